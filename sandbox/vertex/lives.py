"""How jobs live: one thread a job, from its creation to its end.

Owns the running jobs, their slots and their cancelling. What happens in a job's life is sandbox/vertex/job_kinds.py's,
what is stored sandbox/vertex/records.py's.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from sandbox.vertex.errors import job_error
from sandbox.vertex.launch import Runner
from sandbox.vertex.records import Record, Records, collection_of, fail_as_stopped, has_ended, now

# Jobs that run at once; more are queued, as the service queues jobs that a project's quota does not hold.
MOST_RUNNING = 8


class Life:
    """One running job: whether it was cancelled, and the runner processes that it has."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runners: list[Runner] = []
        self.cancelled = False
        self.abandoned = False

    @property
    def ending(self) -> bool:
        """Whether nothing more of this job is to start."""
        return self.cancelled or self.abandoned

    def run(self, start_runner: Callable[[], Runner], on_running: Callable[[], None]) -> dict[str, Any]:
        """Returns the result of a runner, or that of a cancelled one where the job is ending."""
        with self._lock:
            if self.ending:
                return {"state": "CANCELLED", "error": job_error("CANCELLED", "CANCELED")}
            runner = start_runner()
            self._runners.append(runner)
        return runner.follow(on_running)

    def cancel(self) -> None:
        """Ends the job's runners; they say how they ended."""
        with self._lock:
            self.cancelled = True
            for runner in self._runners:
                runner.cancel()

    def abandon(self) -> None:
        """Ends the job's runners because the server ends."""
        with self._lock:
            self.abandoned = True
            for runner in self._runners:
                runner.abandon()


class Lives:
    """The jobs that run. Safe for several threads."""

    def __init__(
        self,
        records: Records,
        state: Path,
        endpoint: str,
        kinds: Mapping[str, Callable[[Lives, str, Life], dict[str, Any]]],
    ) -> None:
        """`kinds` has by collection what happens in a job's life; it returns how the job ended."""
        self.records, self.state, self.endpoint = records, state, endpoint
        self._kinds = kinds
        self._slots = threading.Condition()
        self._running = 0
        self._lives: dict[str, Life] = {}
        self._threads: list[threading.Thread] = []

    def begin(self, parent: str, collection: str, job: Record, pipeline_life: Life | None = None) -> Record:
        """Returns the record of a new job, which starts to live. `pipeline_life`: its pipeline's, where it has one."""
        prefix = "PIPELINE" if collection == "trainingPipelines" else "JOB"
        with self._slots:
            queued = collection != "trainingPipelines" and self._running >= MOST_RUNNING
            state = f"{prefix}_STATE_{'QUEUED' if queued else 'PENDING'}"
            record = self.records.add(parent, collection, {**job, "state": state})
            life = self._lives[record["name"]] = Life()
            if pipeline_life is not None and pipeline_life.ending:
                life.cancelled, life.abandoned = pipeline_life.cancelled, pipeline_life.abandoned
            thread = threading.Thread(target=self._live, args=(record["name"], life), daemon=True)
            self._threads = [other for other in self._threads if other.is_alive()] + [thread]
        thread.start()
        return record

    def cancel(self, name: str) -> None:
        """Asks a job to end. Raises KeyError where there is none and ValueError with its state where it has ended."""

        def edit(record: Record) -> None:
            if has_ended(record):
                raise ValueError(record["state"])
            record["state"] = record["state"].partition("_STATE_")[0] + "_STATE_CANCELLING"

        self.records.change(name, edit)
        with self._slots:
            life = self._lives.get(name)
            if life is not None:
                life.cancel()
            self._slots.notify_all()
        # Read only now: a pipeline either has named its job by now, or sees that it is cancelled once it has.
        for backing in (self.records.get(name) or {}).get("trainingTaskMetadata", {}).values():
            self.cancel_backing(str(backing))

    def cancel_backing(self, name: str) -> None:
        """Cancels the job that a pipeline made, unless it has ended."""
        try:
            self.cancel(name)
        except (KeyError, ValueError):
            # It has ended by itself: the pipeline tells how.
            return

    def close(self) -> None:
        """Ends every job and returns once their replicas are gone; the jobs count as failed."""
        while True:
            with self._slots:
                threads = [thread for thread in self._threads if thread.is_alive()]
                for life in self._lives.values():
                    life.abandon()
                self._slots.notify_all()
            if not threads:
                return
            for thread in threads:
                thread.join()

    def _live(self, name: str, life: Life) -> None:
        try:
            collection = collection_of(name)
            # A pipeline waits for the job that it makes: with a slot of its own it could keep that one from starting.
            with nullcontext() if collection == "trainingPipelines" else self._slot(life):
                result = self._kinds[collection](self, name, life)
        except Exception:
            # Whatever goes wrong in here must not leave a job that seems to run for ever.
            traceback.print_exc()
            result = {
                "state": "FAILED",
                "error": job_error("INTERNAL", "The sandbox failed; see server.log in its folder."),
            }
        self._end(name, result, life)
        with self._slots:
            self._lives.pop(name, None)

    @contextmanager
    def _slot(self, life: Life) -> Iterator[None]:
        with self._slots:
            self._slots.wait_for(lambda: self._running < MOST_RUNNING or life.ending)
            self._running += 1
        try:
            yield
        finally:
            with self._slots:
                self._running -= 1
                self._slots.notify_all()

    def _end(self, name: str, result: dict[str, Any], life: Life) -> None:
        def edit(record: Record) -> None:
            if life.abandoned and result["state"] != "SUCCEEDED":
                fail_as_stopped(record)
                return
            record["state"] = f"{record['state'].partition('_STATE_')[0]}_STATE_{result['state']}"
            record["endTime"] = now()
            record.pop("webAccessUris", None)
            if result.get("error"):
                record["error"] = result["error"]

        self.records.change(name, edit)

    def set_state(self, name: str, state: str, **changes: object) -> None:
        """Moves a job on, unless it is being cancelled."""

        def edit(record: Record) -> None:
            kind, _, current = record["state"].partition("_STATE_")
            if current in ("QUEUED", "PENDING"):
                record["state"] = f"{kind}_STATE_{state}"
            for key, value in changes.items():
                record.setdefault(key, value)

        self.records.change(name, edit)
