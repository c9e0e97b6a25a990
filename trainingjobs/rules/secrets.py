"""The rule of secrets: what a job's description holds in plain text is in every console, log and state file.

A finding names the place and never quotes the value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from trainingjobs.facts.job import JobFacts, PoolFacts
from trainingjobs.rules.registry import Problem, rule
from trainingjobs.rules.secret_forms import ASSIGNED, SUBSTITUTED, known_secret, named_secret, random_secret

OPTION = re.compile(r"--?([A-Za-z][\w-]{1,60})$")


@rule(
    "no-plain-secrets",
    summary="No variable and no argument holds a secret in plain text.",
    fix="give the name of a Secret Manager version (projects/P/secrets/S/versions/V) and read it in the job",
    source="Secret Manager, Best practices",
)
def no_plain_secrets(job: JobFacts) -> Iterator[Problem]:
    """By the name, or by what the value is; what a pool has of the primary is told there."""
    primary: PoolFacts | None = None
    for pool in job.pools:
        if pool.gap:
            continue
        primary_env = primary.env if primary else {}
        for container in (pool, *pool.beside):
            yield from _variables(container, primary_env)
            if primary is None or container.args != primary.args:
                yield from _arguments(container)
        primary = pool if pool.role == "primary" else primary
    job.need("workerPoolSpecs")
    for container in job.containers():
        if not container.gap:
            container.need("container.env", "container.args")


def _variables(pool: PoolFacts, primary_env: Mapping[str, str]) -> Iterator[Problem]:
    for name, value in sorted(pool.env.items()):
        secret_kind = _secret(name, value)
        if secret_kind and primary_env.get(name) != value:
            # A body and an object keep their variables in a list: the name is in the message.
            path = pool.of_code("env") + (f".{name}" if pool.form == "document" else "")
            yield Problem(path=path, message=f"{name or 'a variable'} holds {secret_kind} in plain text")


def _arguments(pool: PoolFacts) -> Iterator[Problem]:
    option = ""
    for number, word in enumerate(pool.args):
        secret_kind = _secret(option, word) or _assigned(word)
        if secret_kind:
            yield Problem(path=pool.of_code("args"), message=f"word {number + 1} of the command holds {secret_kind}")
        match = OPTION.match(word)
        option = match[1] if match else ""


def _assigned(word: str) -> str | None:
    text = SUBSTITUTED.sub("$SUBSTITUTED", word)
    values = ((match[1] or match[2], match[3].strip("\"'")) for match in ASSIGNED.finditer(text))
    return next((secret_kind for name, value in values if (secret_kind := _secret(name, value))), None)


def _secret(name: str, value: str) -> str | None:
    return known_secret(value) or named_secret(name, value) or random_secret(name, value)
