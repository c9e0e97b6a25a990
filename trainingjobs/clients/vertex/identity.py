"""Which job is the same job: what of the inputs is its content, and the labels that a submitted job carries.

The content is what the user wrote: the document where there is one, else the body itself. What the project derived
from a document (pool sizes from a newer catalogue, say) is never part of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Final

from trainingjobs.workloads.vertex import by_body
from trainingjobs.workloads.vertex_types import canonical_spec

# What the job is: the same for every attempt at this document and run.
LABEL: Final = "trainingjobs-key"
KEY_LENGTH: Final = 32
# Where it is declared: the same whatever the document says, so that an attempt at an earlier document is found too.
DECLARATION_LABEL: Final = "trainingjobs-declaration"
MARK_LENGTH: Final = 16
OWN_LABELS: Final = frozenset({LABEL, DECLARATION_LABEL})

# Keys of a document that say how the project treats a job, not what the job does. `run` is compared by itself.
NOT_CONTENT: Final = frozenset({"labels", "displayName", "waitFor", "retainRecord", "allowReplaceWhileRunning", "run"})


def document_content(document: Mapping[str, object]) -> dict[str, object]:
    """Returns the part of a job document whose change makes it another job."""
    return {key: value for key, value in document.items() if key not in NOT_CONTENT}


def run_number(inputs: Mapping[str, object]) -> object:
    """Returns which run of the job the inputs ask for, 1 where they do not say."""
    document = inputs.get("document")
    run = document.get("run") if isinstance(document, Mapping) else None
    return inputs.get("run", run if run is not None else 1)


def job_key(urn: str, inputs: Mapping[str, object], state_id: str) -> str:
    """Returns 32 hex digits that are the same for every attempt at this job in this state, and for no other job.

    `state_id` is a value that exists once per Pulumi state, so that two people's stacks of one name never share a key.
    """
    document = inputs.get("document")
    content = document_content(document) if isinstance(document, Mapping) else _body_content(inputs)
    parts = {
        "urn": urn,
        "content": content,
        "encryptionSpec": canonical_spec(inputs.get("encryptionSpec"), "EncryptionSpec"),
        "run": run_number(inputs),
        "state": state_id,
    }
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:KEY_LENGTH]


def declaration(urn: str, state_id: str) -> str:
    """Returns the mark of a declaration, 33 characters: its state's mark, a hyphen, and 16 hex digits of its URN."""
    return f"{state_mark(urn, state_id)}-{_digits(urn)}"


def state_mark(urn: str, state_id: str) -> str:
    """Returns 16 hex digits of the Pulumi state, which every declaration of its stack begins with.

    Of the stack too, by any of its URNs: the copy of a state in another stack has the same `state_id`, and must not
    take the jobs of the first for its own.
    """
    return _digits("\n".join((state_id, *urn.split("::")[:2])))


def _digits(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:MARK_LENGTH]


def _body_content(inputs: Mapping[str, object]) -> dict[str, object]:
    kind = by_body(inputs)
    if kind is None:
        raise ValueError("no body of a job among the inputs")
    return {key: kind.identity(inputs, key) for key in kind.content}
