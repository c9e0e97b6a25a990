"""Stacks by name and files by path → judgements: what the program, the commands and promotion ask for."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trainingjobs.core.documents import DocumentError
from trainingjobs.core.findings import did_you_mean
from trainingjobs.judge.documents import judge
from trainingjobs.judge.judgement import Judgement, Source, unreadable
from trainingjobs.project.files import STACK_NAME, Project, project, read_file, stack_names


def stack_source(name: str, policies: Project | None = None) -> Source:
    """Returns where a stack of the project comes from, with its policy configuration: `policies`' own, if given."""
    this_project = project()
    policies = policies or this_project
    file = policies.policy_file(name)
    policy, unread = None, None
    if file.is_file():
        try:
            policy = read_file(file)
        except DocumentError as error:
            unread = error.finding
    label = this_project.label(this_project.stack_file(name))
    return Source(
        name=name,
        label=label,
        is_stack=True,
        policy=policy,
        policy_label=policies.label(file),
        unread_policy=unread,
    )


def judge_stack_named(name: str, policies: Project | None = None) -> Judgement:
    """Returns what the stack's file holds, by its policy configuration in the project or in another one."""
    this_project, names = project(), stack_names()
    path = this_project.stack_file(name)
    folder = this_project.label(this_project.stacks)
    label = f"Pulumi.{name}.yaml" if folder == "." else f"{folder}/Pulumi.{name}.yaml"
    if not STACK_NAME.fullmatch(name) or not os.path.lexists(path):
        nearest = did_you_mean(Path(name).name.removeprefix("Pulumi.").removesuffix(".yaml"), names)
        fix = f"did you mean {nearest}?" if nearest else f"there are {', '.join(names) or 'none'}"
        return unreadable(label, DocumentError("no such stack", fix).finding)
    try:
        return judge(read_file(path), stack_source(name, policies))
    except DocumentError as error:
        return unreadable(label, error.finding)


def judge_file(given: str) -> Judgement:
    """Returns what a file holds: a job document, or a description from elsewhere, which is recognised."""
    path = Path(given)
    try:
        document = read_file(path)
        _refuse_stack(document, path)
    except DocumentError as error:
        return unreadable(given, error.finding)
    return judge(document, Source(name=job_name(path), label=given))


def job_name(path: Path) -> str:
    """Returns the file's stem made a legal job name: lower case, other characters `-`; never refused."""
    words = re.sub(r"[^a-z0-9]+", "-", path.stem.lower()).strip("-")
    if not words or not words[0].isalpha():
        words = f"job-{words}".strip("-")
    return words[:40].rstrip("-")


def _refuse_stack(document: Mapping[str, Any], path: Path) -> None:
    """Raises DocumentError for the file of a stack: every key of it would be refused as a job's."""
    config = document.get("config")
    if not isinstance(config, Mapping) or not any(str(key).startswith(("gcp:", "training:")) for key in config):
        return
    name = path.name.removeprefix("Pulumi.").removesuffix(".yaml").removesuffix(".yml")
    folder = project().label(project().stacks)
    fix = (
        f"use --stack {name}"
        if name in stack_names()
        else f"put it under {folder}/ as Pulumi.{name}.yaml and use --stack {name}"
    )
    raise DocumentError("this is the file of a stack, not of a job", fix, "config")
