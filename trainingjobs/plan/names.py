"""Names of what a stack declares in Google Cloud. They are identities: a change of one is a replacement."""

from __future__ import annotations

import hashlib

ACCOUNT_ID_LIMIT = 30
BUCKET_LIMIT = 63
CLUSTER_LIMIT = 40
COMPUTE_LIMIT = 63


def account_id(stack: str, job: str) -> str:
    """Returns the account id of a job's service account: 6 to 30 characters, unlike for unlike (stack, job)."""
    return _cut(f"{stack}-{job}", ACCOUNT_ID_LIMIT)


def account_email(stack: str, job: str, project: str) -> str:
    """Returns the e-mail address of a job's service account."""
    return f"{account_id(stack, job)}@{project}.iam.gserviceaccount.com"


def bucket(project: str, stack: str, purpose: str) -> str:
    """Returns the name of a bucket of the stack; the project's name makes it unique in the world."""
    return _cut(f"{project}-{stack}-{purpose}", BUCKET_LIMIT)


def repository(stack: str) -> str:
    """Returns the id of the stack's Artifact Registry repository."""
    return _cut(f"{stack}-training", BUCKET_LIMIT)


def network(stack: str, part: str = "training") -> str:
    """Returns the name of the stack's network, or of a part of it."""
    return _cut(f"{stack}-{part}", COMPUTE_LIMIT)


def cluster(stack: str) -> str:
    """Returns the name of the stack's cluster where the user gives none."""
    return _cut(f"{stack}-training", CLUSTER_LIMIT)


def reducer_vms(environment: str, job: str) -> str:
    """Returns what the names of a job's reducer VMs begin with; -0, -1 … follow."""
    return _cut(f"{environment}-{job}-reducer", COMPUTE_LIMIT - 6)


def _cut(name: str, limit: int) -> str:
    """Returns the name in lower case with legal characters; a long or changed one ends in a hash of the whole."""
    legal = "".join(c if c.isascii() and c.isalnum() else "-" for c in name.lower()).strip("-")
    if legal == name and 6 <= len(name) <= limit and name[0].isalpha():
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:6]
    head = (legal if legal[:1].isalpha() else f"t-{legal}")[: limit - 7].rstrip("-")
    return f"{head}-{digest}"
