"""A stack's whole life on the real engine, with a secret wherever the project, the engine or a cloud tool takes one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from dev.engine.cache import cache_root
from tests.engine.clone import Clone
from tests.engine.lab import job
from tests.security.canaries import Canaries

# Reaches the job as it stands: a reference is no secret, and what a job prints is its own.
REFERENCE = "projects/acme-ml-sandbox/secrets/weights-key/versions/3"
PRINTS_ALL = "import os, sys; print('environment:', dict(os.environ), sys.argv)"
LANGUAGES = ("custom-job", "gcloud", "ai-platform", "tfjob", "pytorchjob", "jobset", "pods")
# What tools of the cloud, of the engine and of training read from the environment.
VARIABLES = (
    "AWS_SECRET_ACCESS_KEY", "CLOUDSDK_AUTH_ACCESS_TOKEN", "GITHUB_TOKEN", "GOOGLE_OAUTH_ACCESS_TOKEN", "HF_TOKEN",
    "PULUMI_ACCESS_TOKEN", "WANDB_API_KEY",
)  # fmt: skip
KUBECONFIG = """\
apiVersion: v1
kind: Config
current-context: own
clusters: [{{name: own, cluster: {{server: "https://127.0.0.1:1"}}}}]
users: [{{name: own, user: {{token: "{0}", client-key-data: "{1}", password: "{2}"}}}}]
contexts: [{{name: own, context: {{cluster: own, user: own}}}}]
"""


class Life:
    """Runs of a clone of the project: everything that they print, and where everything that they write is."""

    def __init__(self, folder: Path) -> None:
        self.canaries = Canaries()
        self.output: dict[str, str] = {}
        self.folder = folder
        self.look_count = 0
        self.clone = Clone(folder)
        self.home, self.temporary = folder / "home", folder / "tmp"
        for made in (self.home / ".kube", self.home / ".config" / "gcloud", self.temporary):
            made.mkdir(parents=True)
        self.given = [self.home / ".kube" / "config", self.home / ".config" / "gcloud" / "account.json"]
        plant = self.canaries.plant
        self.given[0].write_text(KUBECONFIG.format(*(plant(f"kubeconfig {part}") for part in ("token", "key", "word"))))
        account = {
            "type": "service_account",
            "private_key": plant("service account", "-----BEGIN PRIVATE KEY-----\n{}"),
        }
        self.given[1].write_text(json.dumps(account))
        self.clone.environment |= {
            "HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "TRAINING_CACHE": str(cache_root()),
            "GOOGLE_APPLICATION_CREDENTIALS": str(self.given[1]),
            "GOOGLE_CREDENTIALS": json.dumps({**account, "private_key": plant("GOOGLE_CREDENTIALS")}),
            "KUBECONFIG": str(self.given[0]),
            "PULUMI_CONFIG_PASSPHRASE": plant("passphrase of the user"),
            **{name: plant(name) for name in VARIABLES},
        }

    def run(self, name: str, *words: str, environment: dict[str, str] | None = None, folder: Path | None = None) -> int:
        """Runs a command and keeps what it prints; returns its exit status."""
        done = subprocess.run(
            words,
            cwd=folder or self.clone.root,
            env=environment or self.clone.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=120,
            check=False,
        )
        self.output[name] = self.output.get(name, "") + done.stdout
        return done.returncode

    def python(self, *words: str) -> int:
        """Runs `python -m …` as a user does."""
        return self.run(" ".join(words), sys.executable, "-m", *words)

    def engine(self, *words: str, **more: str) -> int:
        """Runs the engine as plain Pulumi does, on the sandbox; `more` are variables."""
        config = str(self.clone.state / "project" / f"Pulumi.{self.clone.stack}.yaml")
        own = () if words[0] == "stack" else ("--config-file", config)
        environment = {**self.clone.exports(), **more}
        folder = self.clone.root if words[0] in ("up", "preview", "destroy") else self.clone.state / "project"
        whole = ("pulumi", *words, "--stack", self.clone.stack, "--non-interactive", *own)
        return self.run(f"pulumi {' '.join(words[:2])}", *whole, environment=environment, folder=folder)

    def look(self, stack: str) -> None:
        """Runs every verb that looks at a stack and changes nothing; what an earlier look wrote is kept."""
        self.look_count += 1
        self.python("trainingjobs", "validate", f"--stack={stack}")
        self.python("trainingjobs", "cost", f"--stack={stack}")
        self.python("trainingjobs", "env", f"--stack={stack}", "--job=bert", "--task=primary:0")
        self.python("trainingjobs", "status", stack)
        self.python("trainingjobs", "logs", stack, "bert", "--role=all")
        self.python("trainingjobs", "drift", stack, "--json")
        self.python("trainingjobs", "promote", "dev", "staging", "--dry-run", "--json")
        for language in LANGUAGES:
            self.python("trainingjobs", "render", f"--stack={stack}", "--job=bert", f"--as={language}")
        for form in ("html", "svg", "png", "mermaid"):
            self.python(
                "trainingjobs",
                "report",
                stack,
                f"--as={form}",
                "-o",
                str(self.folder / f"report-{self.look_count}.{form}"),
            )
        self.python(
            "trainingjobs",
            "report",
            "staging",
            "--compare=dev",
            "-o",
            str(self.folder / f"compared-{self.look_count}.html"),
        )

    def leaks(self) -> list[str]:
        """Returns where a secret is that was planted elsewhere: in output, state, logs, files left."""
        files = [self.clone.root, self.clone.state, self.temporary, self.home]
        reports = {path.name: path.read_bytes() for path in self.folder.glob("*.*") if path.is_file()}
        return [
            *self.canaries.leaks(dict(self.output)),
            *self.canaries.leaks(reports),
            *self.canaries.leaks_in_files(files, [*self.given, self.clone.state / "api.json"]),
        ]


def jobs(**env: Any) -> dict[str, Any]:
    """Returns a job whose primary prints all that it is given; `env` are variables of its container."""
    made = job(PRINTS_ALL, waitFor="succeeded", labels={"team": "nlp", "cost-center": "research"})
    made["container"]["env"] = {"WEIGHTS_KEY": REFERENCE, **env}
    return {"bert": made}
