"""The flags of a command by name: typed access, and a finding for each flag that nobody asked for."""

from __future__ import annotations

from trainingjobs.convert.gcloud_words import Command, entries, mapping
from trainingjobs.core.findings import Finding, did_you_mean, quote, schema_error

# gcloud's own flags: they say how the command runs, not what.
WIDE = (
    "--access-token-file", "--account", "--billing-project", "--configuration", "--flags-file", "--flatten", "--format",
    "--help", "--impersonate-service-account", "--log-http", "--no-log-http", "--project", "--quiet", "-q",
    "--trace-token", "--user-output-enabled", "--no-user-output-enabled", "--verbosity",
)  # fmt: skip


class Flags:
    """The flags of a command, and the findings about them."""

    def __init__(self, command: Command, findings: list[Finding]) -> None:
        self.command = command
        self.findings = findings
        self.asked: set[str] = set()

    def all(self, name: str) -> list[str]:
        """Returns the values of a flag that may stand more than once."""
        self.asked.add(name)
        return [value or "" for flag, value in self.command.flags if flag == name]

    def text(self, name: str) -> str | None:
        """Returns the value of a flag, None where it is absent; one without a value is reported."""
        values = self.all(name)
        if values and not values[-1]:
            self.findings.append(schema_error(name, "no value; one is needed", f"write {name}=VALUE"))
        return values[-1] or None if values else None

    def entries(self, name: str) -> list[str]:
        """Returns the entries of a list flag; lists that stand more than once are joined."""
        return [entry for value in self.all(name) for entry in entries(value)]

    def mapping(self, name: str) -> dict[str, str]:
        """Returns the entries of a dictionary flag."""
        return {key: value for text in self.all(name) for key, value in mapping(text).items()}

    def switch(self, name: str) -> bool | None:
        """Returns whether a switch is on (--NAME), off (--no-NAME) or unsaid."""
        off = f"--no-{name.removeprefix('--')}"
        self.asked |= {name, off}
        values = [flag == name for flag, _ in self.command.flags if flag in (name, off)]
        return values[-1] if values else None

    def rest(self, silent: tuple[str, ...] = ()) -> None:
        """Reports the flags that nobody asked for and that do not say how the command itself runs."""
        for flag in dict(self.command.flags):
            if flag in self.asked or flag in (*silent, *WIDE):
                continue
            nearest = did_you_mean(flag, (*self.asked, *silent, *WIDE))
            fix = f"did you mean {nearest}?" if nearest else "remove it"
            message = f"gcloud {' '.join(self.command.verb)} has no such flag"
            self.findings.append(schema_error(quote(flag), message, fix))


def kms_key(flags: Flags) -> str | None:
    """Returns the key's full name out of --kms-key and the flags that may stand beside it."""
    key, ring = flags.text("--kms-key"), flags.text("--kms-keyring")
    location, project = flags.text("--kms-location"), flags.text("--kms-project")
    if key and ring and "/" not in key:
        return f"projects/{project}/locations/{location}/keyRings/{ring}/cryptoKeys/{key}"
    return key
