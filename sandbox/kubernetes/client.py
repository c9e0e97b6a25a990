"""A Kubernetes API client over plain HTTPS: get, list, watch, create, server-side apply, patch, delete."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from sandbox.kubernetes.kubeconfig import Access, read_kubeconfig

Object = dict[str, Any]

_TIMEOUT_SECONDS = 30.0
_MANAGER = "training-sandbox"
_STRICT = {"fieldValidation": "Strict", "fieldManager": _MANAGER}
_APPLY = {**_STRICT, "force": "true"}
_APPLY_TYPE = "application/apply-patch+yaml"


class KubernetesError(Exception):
    """An answer of the API server that is not a success. `reason` is Kubernetes' own word, such as NotFound."""

    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(f"{status} {reason}: {message}")
        self.status = status
        self.reason = reason


@dataclass(frozen=True)
class Client:
    """One API server. Objects are plain dictionaries; an unknown or a doubled field of one is refused (Strict)."""

    access: Access
    _plurals: dict[tuple[str, str], tuple[str, bool]] = field(default_factory=dict)

    @classmethod
    def of(cls, kubeconfig: Path) -> Client:
        """Returns the client of the file's current context. Raises KubeconfigError where it cannot be used."""
        return cls(read_kubeconfig(kubeconfig))

    def get(self, api_version: str, kind: str, name: str, namespace: str | None = None) -> Object:
        """Returns one object. Raises KubernetesError; reason NotFound where there is none."""
        return self.request("GET", self._path(api_version, kind, namespace, name))

    def items(self, api_version: str, kind: str, namespace: str | None = None, labels: str = "") -> list[Object]:
        """Returns the objects of a namespace, or of all, that match a label selector, in the order of their names."""
        answer = self.request("GET", self._path(api_version, kind, namespace), query={"labelSelector": labels})
        return [{"apiVersion": api_version, "kind": kind, **item} for item in answer["items"]]

    def watch(self, api_version: str, kind: str, seconds: int) -> Iterator[Object]:
        """Yields {"type", "object"} of every namespace, present objects first, then changes for so many seconds."""
        query = {"watch": "true", "timeoutSeconds": str(seconds)}
        with self._answer(
            "GET", self._path(api_version, kind, None), None, {}, query, seconds + _TIMEOUT_SECONDS
        ) as answer:
            for line in answer:
                yield json.loads(line)

    def create(self, item: Object) -> Object:
        """Creates an object and returns it as the server has it."""
        path = self._path(item["apiVersion"], item["kind"], item["metadata"].get("namespace"))
        return self.request("POST", path, item, query=_STRICT)

    def apply(self, item: Object, *, dry_run: bool = False) -> Object:
        """Applies an object on the server's side, over what anybody else set, and returns it as the server has it.

        `dry_run`: every check of the server and of its webhooks is made, and nothing is kept.
        """
        metadata = item["metadata"]
        path = self._path(item["apiVersion"], item["kind"], metadata.get("namespace"), metadata["name"])
        query = {**_APPLY, **({"dryRun": "All"} if dry_run else {})}
        return self.request("PATCH", path, item, content_type=_APPLY_TYPE, query=query)

    def apply_text(self, api_version: str, kind: str, name: str, text: bytes) -> Object:
        """Applies an object of no namespace as the YAML of a file that holds it: only the server parses it."""
        path = self._path(api_version, kind, None, name)
        return self.request("PATCH", path, text, content_type=_APPLY_TYPE, query=_APPLY)

    def patch_status(self, item: Object, status: Object) -> Object:
        """Merges `status` into the object's status and returns the object."""
        metadata = item["metadata"]
        path = self._path(item["apiVersion"], item["kind"], metadata.get("namespace"), metadata["name"])
        # The uid refuses the patch if another object has the name by now.
        body = {"metadata": {"uid": metadata["uid"]}, "status": status}
        return self.request("PATCH", f"{path}/status", body, content_type="application/merge-patch+json")

    def delete(self, api_version: str, kind: str, name: str, namespace: str | None = None) -> None:
        """Deletes an object and what belongs to it, in the background. One that is gone already is fine."""
        try:
            self.request("DELETE", self._path(api_version, kind, namespace, name), {"propagationPolicy": "Background"})
        except KubernetesError as error:
            if error.reason != "NotFound":
                raise

    def request(
        self,
        method: str,
        path: str,
        body: Object | bytes | None = None,
        *,
        content_type: str = "application/json",
        query: Mapping[str, str] | None = None,
    ) -> Object:
        """Returns the server's answer, parsed. Raises KubernetesError; OSError where the server is not reached."""
        headers = {"Content-Type": content_type} if body is not None else {}
        with self._answer(method, path, body, headers, query or {}, _TIMEOUT_SECONDS) as answer:
            return dict(json.loads(answer.read()))

    def healthy(self, path: str) -> bool:
        """Returns whether the server answers `path`, one of its health checks, with a success. Never raises."""
        try:
            with self._answer("GET", path, None, {}, {}, 5.0):
                return True
        except (KubernetesError, OSError, http.client.HTTPException):
            return False

    def _answer(
        self,
        method: str,
        path: str,
        body: Object | bytes | None,
        headers: dict[str, str],
        query: Mapping[str, str],
        timeout: float,
    ) -> http.client.HTTPResponse:
        server = urlsplit(self.access.server)
        connection = http.client.HTTPSConnection(server.netloc, context=self.access.context, timeout=timeout)
        target = f"{server.path}{path}?{urlencode(query)}"
        payload = json.dumps(body).encode() if isinstance(body, dict) else body
        connection.request(method, target, payload, {**self.access.headers, "Connection": "close", **headers})
        answer = connection.getresponse()
        if answer.status < 300:
            return answer
        with answer:
            raise _error(answer.status, answer.read())

    def _path(self, api_version: str, kind: str, namespace: str | None, name: str | None = None) -> str:
        base = f"/api/{api_version}" if "/" not in api_version else f"/apis/{api_version}"
        if (api_version, kind) not in self._plurals:
            for resource in self.request("GET", base)["resources"]:
                if "/" not in resource["name"]:
                    self._plurals[api_version, resource["kind"]] = (resource["name"], resource["namespaced"])
        if (api_version, kind) not in self._plurals:
            raise KubernetesError(404, "NotFound", f"the server has no kind {kind} in {api_version}")
        plural, namespaced = self._plurals[api_version, kind]
        parts = [base]
        if namespaced and (namespace or name):
            parts.append(f"namespaces/{namespace or 'default'}")
        parts.append(plural)
        return "/".join([*parts, quote(name)] if name else parts)


def _error(status: int, content: bytes) -> KubernetesError:
    try:
        body = json.loads(content)
        return KubernetesError(status, body.get("reason", ""), body.get("message", ""))
    except (ValueError, AttributeError):
        return KubernetesError(status, "", content.decode(errors="replace")[:500])
