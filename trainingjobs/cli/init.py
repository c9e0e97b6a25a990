"""`init`: five questions, or options, and a stack file that validates. A file that is there is never touched."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from trainingjobs import catalog
from trainingjobs.core.documents import DocumentError, parse_document
from trainingjobs.core.findings import Finding, did_you_mean, has_errors, quote
from trainingjobs.core.yaml_text import AMBIGUOUS
from trainingjobs.judge.documents import judge
from trainingjobs.project.files import STACK_NAME, project
from trainingjobs.project.judged import stack_source
from trainingjobs.terminal.output import UsageError, complain, note, print_json, refuse, say

ENVIRONMENTS = ("dev", "staging", "prod", "sandbox")
MOST_NODES = 10_001
EXAMPLES = (
    "mine",
    "mine --project=acme-ml-dev --image=us-docker.pkg.dev/acme/train/bert:1 --machines=8xa2-highgpu-8g",
)
PROJECT = re.compile(r"[a-z][a-z0-9-]{4,28}[a-z0-9]")
PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/@:-]*(?<!:)")


@dataclass(frozen=True, slots=True)
class Question:
    """What one option asks for; `default` None means that an answer is needed."""

    option: str
    words: str
    default: str | None


QUESTIONS = (
    Question("project", "Google Cloud project", None),
    Question("region", "Region of the jobs", "us-central1"),
    Question("environment", f"Environment ({', '.join(ENVIRONMENTS)})", "dev"),
    Question("image", "Training image, best by digest (NAME@sha256:…)", None),
    Question("machines", "Machines, as COUNTxTYPE", "4xa2-highgpu-8g"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the verb's options."""
    parser.add_argument("stack", metavar="STACK", help="name of the new stack")
    for question in QUESTIONS:
        default = f"; default {question.default}" if question.default else ""
        parser.add_argument(f"--{question.option}", help=f"{question.words}{default}")
    parser.add_argument("--job", default="training", help="name of the job; default training")
    parser.add_argument("--framework", default="pytorch", help="default pytorch")


def run(args: argparse.Namespace) -> int:
    """Writes stacks/Pulumi.STACK.yaml. Returns 1, and writes nothing, where it would not validate."""
    target = project().stack_file(args.stack)
    if not STACK_NAME.fullmatch(args.stack):
        raise UsageError(f"STACK: {args.stack!r}; letters, digits, '.', '_' and '-' are allowed")
    if target.exists():
        raise UsageError(f"stacks/{target.name} is there already and stays as it is; choose another name")
    answers = answered(args, _asker())
    text = stack_text(answers, args.job, args.framework)
    findings = judged_text(args.stack, text)
    findings = [finding.at(f"stacks/{target.name}") for finding in findings]
    if has_errors(findings):
        status = refuse(args, findings)
        note(args, f"stacks/{target.name} was not written")
        return status
    complain(findings)
    _write_new(target, text)
    if args.json:
        print_json(
            {"ok": True, "file": f"stacks/{target.name}", "findings": [finding.as_json() for finding in findings]}
        )
    else:
        hint = "" if args.quiet else f"; `make preview STACK={args.stack}` shows what it declares"
        print(f"stacks/{target.name} was written{hint}")
    return 0


def _asker() -> Callable[[Question], str] | None:
    if not sys.stdin.isatty():
        return None

    def ask(question: Question) -> str:
        default = f" [{question.default}]" if question.default else ""
        while True:
            # Standard output may be a file, and --json's must hold JSON alone.
            print(f"{question.words}{default}: ", end="", file=sys.stderr, flush=True)
            line = sys.stdin.readline()
            answer = line.strip() or question.default or ""
            try:
                check(question, answer)
            except UsageError as error:
                if not line:
                    raise
                say(str(error))
                continue
            return answer

    return ask


def check(question: Question, answer: str) -> None:
    """Raises UsageError for an answer that cannot be right: the question is asked again, not all five."""
    if question.option == "machines":
        _machines(answer)
    elif question.option == "environment" and answer not in ENVIRONMENTS:
        raise _refused(question, answer, did_you_mean(answer, ENVIRONMENTS), ", ".join(ENVIRONMENTS))
    elif question.option == "region" and answer not in catalog.regions():
        raise _refused(question, answer, catalog.nearest_region(answer), "a region such as us-central1")
    elif question.option == "project" and not PROJECT.fullmatch(answer):
        raise _refused(question, answer, None, "6 to 30 lower-case letters, digits and -, as in acme-ml-dev")
    elif not answer:
        raise _refused(question, answer, None, question.words.lower())


def _refused(question: Question, answer: str, nearest: str | None, allowed: str) -> UsageError:
    hint = f"; did you mean {nearest}?" if nearest else ""
    return UsageError(f"--{question.option}: {quote(answer)}; needed: {allowed}{hint}")


def answered(args: argparse.Namespace, ask: Callable[[Question], str] | None) -> dict[str, str]:
    """Returns an answer for each question: the option's, else what is asked, else the default. Raises UsageError."""
    answers = {}
    for question in QUESTIONS:
        value: str | None = getattr(args, question.option)
        if value is None and ask is not None:
            value = ask(question)
        answer = value or question.default
        if not answer:
            raise UsageError(f"--{question.option} is missing: {question.words}")
        answers[question.option] = answer
    return answers


def stack_text(answers: dict[str, str], job: str, framework: str) -> str:
    """Returns the stack's file: with reducers where they pay by the rules and the model. Raises UsageError."""
    count, machine = _machines(answers["machines"])
    with_reducers = _text(answers, job, framework, count, machine, reducers=True)
    prefixes = ("reducer-", "reducers-")
    if count > 1 and not any(
        finding.rule.startswith(prefixes) for finding in judged_text("new", with_reducers, worth=True)
    ):
        return with_reducers
    return _text(answers, job, framework, count, machine, reducers=False)


def _machines(text: str) -> tuple[int, str]:
    number, _, machine = text.partition("x")
    if not (number.isascii() and number.isdigit() and machine) or not 1 <= int(number[:9]) <= MOST_NODES:
        raise UsageError(f"--machines: {text[:80]!r}; COUNTxTYPE is needed, as in 4xa2-highgpu-8g")
    if not catalog.is_known_machine(machine):
        nearest = catalog.nearest_machine(machine)
        raise UsageError(
            f"--machines: {machine[:80]!r} is no machine type" + (f"; did you mean {nearest}?" if nearest else "")
        )
    return int(number), machine


def _text(answers: dict[str, str], job: str, framework: str, count: int, machine: str, *, reducers: bool) -> str:
    pools = [f"        primary: {{machineType: {machine}}}"]
    pools += [f"        workers: {{replicaCount: {count - 1}}}"] if count > 1 else []
    pools += (
        ["        reducers: {machineType: n1-highcpu-16} # as many as the nodes' bandwidth asks for"]
        if reducers
        else []
    )
    # What an image holds is its maker's to say: unsaid it is advice, and a guess would be wrong.
    declares = (
        '        # declares: {nccl: "2.20", torch: "2.3", packages: [google-reduction-server]}, if the image has them'
    )
    lines = [
        "# yaml-language-server: $schema=schema.json",
        "config:",
        f"  gcp:project: {_scalar(answers['project'])}",
        f"  gcp:region: {_scalar(answers['region'])}",
        f"  training:environment: {_scalar(answers['environment'])}",
        "  training:jobs:",
        f"    {_scalar(job)}:",
        f"      framework: {_scalar(framework)}",
        "      container:",
        f"        imageUri: {_scalar(answers['image'])}",
        *([declares] if reducers else []),
        "      pools:",
        *pools,
        "      scheduling: {timeout: 86400s, restartJobOnWorkerRestart: true}",
    ]
    return "\n".join(lines) + "\n"


def _scalar(text: str) -> str:
    """The words as YAML: plain where every reader takes them for a string, else quoted."""
    return text if PLAIN.fullmatch(text) and not AMBIGUOUS.match(text) else json.dumps(text, ensure_ascii=False)


def judged_text(name: str, text: str, *, worth: bool = False) -> list[Finding]:
    """Returns the findings of a stack's file; `worth` leaves out what is only unsaid of the image."""
    try:
        document = parse_document(text)
    except DocumentError as error:
        return [error.finding]
    findings = judge(document, replace(stack_source(name), label="")).findings
    return [
        finding
        for finding in findings
        if not worth or finding.severity == "error" or finding.rule == "reducer-break-even"
    ]


def _write_new(target: Path, text: str) -> None:
    try:
        # Made only where nothing is, whoever else runs at the same time.
        handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError:
        raise UsageError(f"stacks/{target.name} is there already and stays as it is; choose another name") from None
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
