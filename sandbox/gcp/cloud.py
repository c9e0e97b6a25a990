"""What the sandbox's Google Cloud does with a resource: create, read, update, delete, with Google's refusals.

It works on the files of store.py, one change at a time, and knows nothing of gRPC or previews.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sandbox.gcp import injected_faults as faults
from sandbox.gcp import quotas, schema, store
from sandbox.gcp.errors import CloudError, HalfDone, google_error
from sandbox.gcp.provider_settings import Settings
from sandbox.gcp.resource_type import Kind, fill, same
from sandbox.gcp.resource_types import KINDS, owner_of, references
from sandbox.gcp.shape import CREATED, effective, id_of, outputs, places_of
from sandbox.gcp.store import Record
from sandbox.gcp.values import Secret, reveal

ACCOUNT = "gcp:serviceaccount/account:Account"
BUCKET = "gcp:storage/bucket:Bucket"


def create(state: Path, kind: Kind, inputs: dict[str, Any], settings: Settings) -> tuple[str, dict[str, Any]]:
    """Make a resource and return its id and outputs.

    Raises CloudError where Google would refuse it (it exists, what it names does not, a quota), and HalfDone where an
    injected fault says so.
    """
    plain_inputs = reveal({key: value for key, value in inputs.items() if key != "__defaults"})
    with store.locked(state):
        fault = _fault(state, kind, "create")
        properties = effective(kind, plain_inputs, settings)
        id = str(id_of(kind, properties))
        now = timestamp()
        record = Record(
            type=kind.type,
            id=id,
            properties=outputs(kind, properties, settings, now, now),
            given=tuple(key for key in plain_inputs if key in schema.input_kinds(kind.type)),
        )
        existing = store.load(state, kind.type, id)
        if existing and plain_inputs.get("createIgnoreAlreadyExists"):
            return id, existing.properties
        if existing and not kind.idempotent:
            raise already_exists(kind, id, properties)
        _require_references(state, kind, properties, settings)
        quotas.check(state, record)
        store.save(state, record)
        if kind.type == BUCKET:
            objects_folder(state, id).mkdir(parents=True, exist_ok=True)
        _fail_after(fault, id, record.properties)
    return id, record.properties


def update(state: Path, kind: Kind, id: str, inputs: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Change a resource that exists and return its outputs; CloudError or HalfDone as for create."""
    plain_inputs = reveal({key: value for key, value in inputs.items() if key != "__defaults"})
    with store.locked(state):
        fault = _fault(state, kind, "update")
        existing = store.load(state, kind.type, id)
        if not existing:
            raise not_found(id)
        now = timestamp()
        created = next((existing.properties[key] for key in sorted(CREATED) if key in existing.properties), now)
        # The old places hold where the program names none: only a replacement moves a resource.
        places = {key: existing.properties[key] for key in places_of(kind) if key in existing.properties}
        properties = effective(kind, {**places, **plain_inputs}, settings)
        record = Record(
            type=kind.type,
            id=id,
            properties=outputs(kind, properties, settings, str(created), now),
            given=tuple(key for key in plain_inputs if key in schema.input_kinds(kind.type)),
        )
        _require_references(state, kind, properties, settings)
        quotas.check(state, record)
        store.save(state, record)
        _fail_after(fault, id, record.properties)
    return record.properties


def delete(state: Path, kind: Kind, id: str, properties: dict[str, Any]) -> None:
    """Delete a resource and its parts; one that is gone is fine.

    `properties` are those in the stack's state: protections that only the provider has are read from there.
    Raises CloudError where it is protected, in use, or a bucket with objects.
    """
    with store.locked(state):
        fault = _fault(state, kind, "delete")
        existing = store.load(state, kind.type, id)
        if not existing:
            return
        properties = reveal(properties)
        _refuse_protected(kind, id, properties)
        if properties.get("deletionPolicy") == "ABANDON":
            return
        records = store.records(state)
        _refuse_used(kind, id, records)
        if kind.type == BUCKET:
            _delete_objects(state, id, bool(properties.get("forceDestroy")))
        for part in [existing, *_parts(kind, id, records)]:
            store.remove(state, part)
        if fault:
            raise HalfDone(fault.error, id, None)


def read(state: Path, kind: Kind, id: str) -> Record | None:
    """Return a resource by its id, or by the last part of one where only one resource ends so; None without."""
    with store.locked(state):
        _fault(state, kind, "read")
        record = store.load(state, kind.type, id)
        if record:
            return record
        matches = [match for match in store.records(state) if match.type == kind.type and match.id.endswith(f"/{id}")]
        return matches[0] if len(matches) == 1 else None


def live_inputs(record: Record, old_inputs: dict[str, Any], old_state: dict[str, Any]) -> dict[str, Any]:
    """Return a live resource's inputs: those that the program gave, as they are now, and those that changed outside.

    Without old inputs (an import): those that were given when it was made, or, not knowing that, all but the defaults.
    """
    kind, live = KINDS[record.type], record.properties
    kinds = schema.input_kinds(record.type)
    if not old_inputs:
        non_default = [key for key in kinds if not same(kind.defaults.get(key), live.get(key))]
        names = non_default if record.given is None else record.given
        return {key: live[key] for key in kinds if key in names and live.get(key) is not None}
    inputs = {}
    for key in kinds:
        if key in old_inputs and key in live:
            inputs[key] = _as_written(key, old_inputs[key], live[key])
        elif key in live and key in old_state and not same(old_state[key], live[key]):
            inputs[key] = live[key]
    if "__defaults" in old_inputs:
        inputs["__defaults"] = old_inputs["__defaults"]
    return inputs


def objects_folder(state: Path, bucket: str) -> Path:
    """Return the folder that a bucket's objects are in: what gs:// is in the sandbox."""
    return state / "gcs" / bucket


def timestamp() -> str:
    """Return the time as Google writes it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def not_found(id: str) -> CloudError:
    """Return Google's error for a resource that is not there."""
    return google_error(404, f"The resource '{id}' was not found", "notFound")


def already_exists(kind: Kind, id: str, properties: dict[str, Any]) -> CloudError:
    """Return Google's error for a resource that is there already."""
    if kind.type == BUCKET:
        message = "Your previous request to create the named bucket succeeded and you already own it."
        return google_error(409, message, "conflict")
    if kind.named == "accountId":
        message = f"Service account {properties['accountId']} already exists within project"
        return google_error(409, f"{message} projects/{properties['project']}.", "alreadyExists")
    return google_error(409, f"The resource '{id}' already exists", "alreadyExists")


def _as_written(key: str, old: Any, live: Any) -> Any:
    plain = reveal(old)
    # Cloud Storage shows a location in capitals, however it was written.
    if same(plain, live) or (key == "location" and str(plain).lower() == str(live).lower()):
        return old
    return Secret(live) if isinstance(old, Secret) else live


def _fault(state: Path, kind: Kind, verb: str) -> faults.Fault | None:
    fault = faults.take(state, kind.type, verb)
    if fault and not fault.after:
        raise CloudError(fault.error)
    return fault


def _fail_after(fault: faults.Fault | None, id: str, properties: dict[str, Any]) -> None:
    if fault:
        raise HalfDone(fault.error, id, None if fault.after == "lost" else properties)


def _require_references(state: Path, kind: Kind, properties: dict[str, Any], settings: Settings) -> None:
    for target, id in references(kind, properties):
        owned = bool(kind.owner) and owner_of(kind, properties) == (target, id)
        # What other projects have is not the sandbox's to know, and each project comes with a default network.
        in_project = id.startswith(f"projects/{properties.get('project')}/") and not id.endswith("/default")
        if (owned or in_project) and not store.load(state, target.type, id):
            raise not_found(id)
    if kind.what == "policy":
        _require_account(state, str(properties["member"]), settings)


def _require_account(state: Path, member: str, settings: Settings) -> None:
    email = member.removeprefix("serviceAccount:")
    name, _, domain = email.partition("@")
    # Only the accounts of the stack's own project are the sandbox's; Google's have other domains.
    if domain == f"{settings.project}.iam.gserviceaccount.com" and email != member:
        id = fill(KINDS[ACCOUNT].id, {"project": settings.project, "accountId": name})
        if not store.load(state, ACCOUNT, id):
            raise google_error(400, f"Service account {email} does not exist.", "badRequest")


def _refuse_protected(kind: Kind, id: str, properties: dict[str, Any]) -> None:
    if properties.get("deletionProtection") is True:
        raise CloudError(
            f"Cannot destroy {kind.what} {id} because deletionProtection is set to true. "
            "Set it to false, update, and then delete it"
        )
    if properties.get("deletionPolicy") == "PREVENT":
        raise CloudError(f"cannot destroy {kind.what} {id} without setting deletionPolicy to DELETE first")


def _refuse_used(kind: Kind, id: str, records: list[Record]) -> None:
    if not kind.protected_in_use:
        return
    for other in records:
        other_kind = KINDS.get(other.type)
        if other_kind is None or owner_is(other_kind, other, kind, id):
            continue
        if (kind, id) in references(other_kind, other.properties):
            raise google_error(
                400,
                f"The {kind.what} resource '{id}' is already being used by '{other.id}'",
                "resourceInUseByAnotherResource",
            )


def owner_is(record_kind: Kind, record: Record, kind: Kind, id: str) -> bool:
    """Return whether a resource is a part of the one with this type and id."""
    return owner_of(record_kind, record.properties) == (kind, id) if record_kind.owner else False


def _parts(kind: Kind, id: str, records: list[Record]) -> Iterator[Record]:
    for other in records:
        other_kind = KINDS.get(other.type)
        if other_kind and owner_is(other_kind, other, kind, id):
            yield other


def _delete_objects(state: Path, bucket: str, force: bool) -> None:
    folder = objects_folder(state, bucket)
    if not force and any(path.is_file() for path in folder.rglob("*")):
        raise CloudError(
            f"Error trying to delete bucket {bucket} containing objects without `force_destroy` set to true"
        )
    shutil.rmtree(folder, ignore_errors=True)
