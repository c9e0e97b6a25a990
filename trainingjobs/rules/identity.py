"""The rule of who a job is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainingjobs.facts.job import JobFacts
from trainingjobs.rules.registry import Problem, rule

# Accounts that Google makes and that everything in a project shares.
SHARED = re.compile(
    r"([0-9]+-compute@developer"  # Compute Engine's default
    r"|[a-z0-9.:-]+@cloudservices|[a-z0-9.:-]+@appspot"  # of deployments, of App Engine
    r"|service-[0-9]+@[a-z0-9-]+)"  # Google's own agents
    r"(\.iam)?\.gserviceaccount\.com"
)


def shared_by(job: JobFacts) -> str:
    """Returns what has an account of its own that runs a job which names none."""
    return "namespace" if job.form == "object" else "project"


@rule(
    "dedicated-service-account",
    summary="A job runs as a service account of its own.",
    fix="leave serviceAccount out of a job document, so that one is declared, or name one made for the job",
    source="Vertex AI, Use a custom service account; IAM, Best practices for service accounts",
    severity="advice",
    prod_severity="error",
)
def dedicated_service_account(job: JobFacts) -> Iterator[Problem]:
    """A body that names none runs as an account that all jobs of the project share; a document gets its own."""
    job.need("serviceAccount")
    account = job.service_account
    if account is None and not job.has_own_account:
        yield Problem(
            path=job.at("serviceAccount"),
            message=f"missing; the job would run as an account that the whole {shared_by(job)} shares",
            fix="name a service account made for the job",
        )
    elif account is not None and SHARED.fullmatch(account.strip().lower()):
        yield Problem(path=job.at("serviceAccount"), message=f"{account} is shared by the whole project")
