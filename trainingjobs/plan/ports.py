"""The one port that replicas and servers listen at, on every platform (Vertex AI's own choice in its documents)."""

from __future__ import annotations

SERVER_PORT = 2222
