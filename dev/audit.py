"""`make audit`: known vulnerabilities of every locked package, by pip-audit; runs in .venv-audit.

Where the vulnerability database cannot be reached the audit is skipped: that is said, and is no failure. A registry
that holds packages and no vulnerabilities answers "not found" for each one: that is the same, not a clean result.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dev.lock_requirements import LISTS, ROOT, locked

# The shortest list first: it tells whether the database can be reached.
ORDER = sorted(LISTS, key=lambda name: name != "dev/requirements/lock.in")
UNREACHABLE = re.compile(
    r"ConnectionError|Timeout|ProxyError|SSLError|Could not connect|Temporary failure|resolve host"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """What is known of a list's packages: lines to print, how many were looked up, how many could not be."""

    vulnerable: tuple[str, ...]
    audited: int
    unknown: tuple[str, ...]


class AuditFailedError(Exception):
    """pip-audit ended without a result; the text has its last lines."""


def read_report(text: str) -> Audit:
    """Returns what pip-audit's JSON report says. Raises AuditFailedError where it is none."""
    try:
        packages = json.loads(text)["dependencies"]
    except (ValueError, KeyError, TypeError):
        raise AuditFailedError(f"pip-audit printed no report: {text[-300:]!r}") from None
    vulnerable = [
        f"{package['name']} {package['version']}: {vulnerability['id']},"
        f" fixed in {', '.join(vulnerability['fix_versions']) or '?'}"
        for package in packages
        for vulnerability in package.get("vulns", ())
    ]
    unknown = tuple(package["name"] for package in packages if "skip_reason" in package)
    return Audit(vulnerable=tuple(vulnerable), audited=len(packages) - len(unknown), unknown=unknown)


def audit_list(path: Path) -> Audit | None:
    """Returns what is known of a locked list, None where the database is not reached. Raises AuditFailedError."""
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(path), "--require-hashes", "--disable-pip"]
    command += ["--format", "json", "--progress-spinner", "off"]
    completed = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    if not completed.stdout.strip():
        if UNREACHABLE.search(completed.stderr):
            return None
        raise AuditFailedError("\n".join(completed.stderr.splitlines()[-5:]))
    audit = read_report(completed.stdout)
    return audit if audit.audited else None


def audit_all(audit_file: Callable[[Path], Audit | None] = audit_list) -> int:
    """Prints what is known of every list; returns 1 where a package is vulnerable. Raises AuditFailedError."""
    lines: set[str] = set()
    for name in ORDER:
        audit = audit_file(locked(name))
        if audit is None:
            print(f"» audit SKIPPED from {name} on: the vulnerability database cannot be reached from here")
            return bool(lines)
        print(f"» {name}: {audit.audited} packages looked up, {len(audit.vulnerable)} vulnerabilities", flush=True)
        if audit.unknown:
            print(f"  not in the database: {', '.join(audit.unknown)}")
        lines |= set(audit.vulnerable)
        print("".join(f"  {line}\n" for line in audit.vulnerable), end="")
    return bool(lines)


def main() -> int:
    """Audits every locked list; returns the exit status."""
    try:
        return int(audit_all())
    except AuditFailedError as error:
        print(f"make audit: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
