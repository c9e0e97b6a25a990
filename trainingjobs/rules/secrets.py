"""The rule of secrets: what a job's description holds in plain text is in every console, log and state file.

A finding names the place and never quotes the value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from trainingjobs.facts.job import JobFacts, PoolFacts
from trainingjobs.rules.registry import Problem, rule

# Every pattern has a bound: a hostile argument must not hold a check up.
KNOWN = {
    "a private key": re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY"),
    "an AWS key": re.compile(r"\b(AKIA|ASIA)[0-9A-Z]{16}"),
    "a GitHub token": re.compile(r"\b(gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{22})"),
    "a GitLab token": re.compile(r"\bglpat-[\w-]{20}"),
    "a Slack token": re.compile(r"\bxox[abeoprs]-[\w-]{10}"),
    "a Google API key": re.compile(r"\bAIza[\w-]{35}"),
    "a Google OAuth token or secret": re.compile(r"\b(ya29\.[\w-]{20}|GOCSPX-[\w-]{20})"),
    "a Hugging Face token": re.compile(r"\bhf_[A-Za-z0-9]{30}"),
    "an API key": re.compile(
        r"\b(sk-(?=[\w-]{0,40}[0-9])(?=[\w-]{0,40}[A-Z])[\w-]{20}|[sr]k_live_\w{16}|nvapi-[\w-]{20})"
    ),
    "a bearer token": re.compile(r"\bauthorization: {0,4}(bearer|basic) {1,4}[\w.~+/-]{8}", re.IGNORECASE),
    "a package index token": re.compile(r"\b(npm_[A-Za-z0-9]{36}|pypi-[\w-]{50})"),
    "a JSON web token": re.compile(r"\beyJ[\w-]{10,300}\.eyJ"),
    "a password in an address": re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{0,64}:[^\s/@$<{]{1,200}@"),
}
WORDS = r"(PASSWORD|PASSWD|PASSPHRASE|SECRET|CREDENTIAL|PRIVATE_?KEY|API_?KEY|ACCESS_?KEY|AUTH_?KEY)"
SECRET_NAME = re.compile(rf"{WORDS}|(^|_)TOKEN$|_PWD$")
# Names of where a secret is, or of which one: not the secret.
PLACE_NAME = re.compile(r"_(FILE|PATH|DIR|NAME|ID|VERSION|URI|URL|RESOURCE|REF|PROJECT|MANAGER|LENGTH|TTL)S?$")
# Tokens of a vocabulary, which every language model is told.
VOCABULARY = re.compile(r"(^|_)(PAD|EOS|BOS|UNK|MASK|SEP|CLS|START|END|STOP|SPECIAL|MAX|NUM|PER|IMAGE|NEW)_TOKEN$")
REFERENCE = re.compile(r"(projects/[^/\s]+/secrets/[^/\s]+(/versions/[^/\s]+)?|\$\(\w+\)|\$\{?\w+\}?)$")
# What a shell puts in at run time; the options inside it name secrets and hold none.
SUBSTITUTED = re.compile(r"\$\([^()]{1,2000}\)|`[^`]{1,2000}`")
SETTING = re.compile(r"(true|false|none|null|yes|no|on|off|[0-9]{1,3})?$", re.IGNORECASE)
PATH = re.compile(r"(/[\w.-]+){2,}$|/[\w-]+\.\w+$|gs://\S+$")
# NAME=value, --name=value and --name value in one word, as in `bash -c`.
ASSIGNED = re.compile(
    r"(?<![\w-])(?:--?([A-Za-z][\w-]{1,60})(?:=|\s{1,4})|([A-Za-z][\w-]{1,60})=)"
    r"(\"[^\"]{0,2000}\"|'[^']{0,2000}'|[^\s\"';&|]{1,2000})"
)
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
        yield from _variables(pool, primary_env)
        if primary is None or pool.args != primary.args:
            yield from _arguments(pool)
        primary = pool if pool.role == "primary" else primary
    for pool in job.pools:
        if not pool.gap:
            pool.need("container.env", "container.args")


def _variables(pool: PoolFacts, primary_env: Mapping[str, str]) -> Iterator[Problem]:
    for name, value in sorted(pool.env.items()):
        secret_kind = named_secret(name, value) or known_secret(value)
        if secret_kind and primary_env.get(name) != value:
            # A body keeps its variables in a list: the name is in the message.
            path = pool.of_code("env") + ("" if pool.form == "body" else f".{name}")
            yield Problem(path=path, message=f"{name} holds {secret_kind} in plain text")


def _arguments(pool: PoolFacts) -> Iterator[Problem]:
    option = ""
    for number, word in enumerate(pool.args):
        secret_kind = known_secret(word) or named_secret(option, word) or _assigned(word)
        if secret_kind:
            yield Problem(path=pool.of_code("args"), message=f"word {number + 1} of the command holds {secret_kind}")
        match = OPTION.match(word)
        option = match[1] if match else ""


def _assigned(word: str) -> str | None:
    text = SUBSTITUTED.sub("$SUBSTITUTED", word)
    values = ((match[1] or match[2], match[3].strip("\"'")) for match in ASSIGNED.finditer(text))
    return next((secret_kind for name, value in values if (secret_kind := named_secret(name, value))), None)


def named_secret(name: str, value: str) -> str | None:
    """Returns what a value is by the name that it goes under, None where that says no secret."""
    folded = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).upper().replace("-", "_").replace(".", "_")
    if not SECRET_NAME.search(folded) or PLACE_NAME.search(folded) or VOCABULARY.search(folded):
        return None
    text = value.strip()
    if SETTING.fullmatch(text) or REFERENCE.match(text) or PATH.match(text) or text.startswith("-"):
        return None
    return "what its name calls a secret"


def known_secret(value: str) -> str | None:
    """Returns what a value is by its form, None where it is nothing that is known."""
    return next((secret_kind for secret_kind, pattern in KNOWN.items() if pattern.search(value)), None)
