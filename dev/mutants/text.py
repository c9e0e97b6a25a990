"""Which parts of a function are words for people: they are not mutated, since tests assert behaviour, not wording.

Words are the message and the fix of a finding, its reason, the sentence of an exception, and a local variable that only
those read.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

KEYWORDS = frozenset({"message", "fix", "why", "note"})
# Call → the position of its first argument that is words; what precedes says where, and is mutated.
WORDS_FROM = {
    "schema_error": 1, "schema_advice": 1, "not_carried": 1, "not_expressible": 1, "wrong": 2, "number": 1, "_word": 2
}  # fmt: skip


def text_of(function: cst.FunctionDef) -> set[cst.CSTNode]:
    """Returns the nodes of a function that are words: arguments of calls, and assignments to variables of words."""
    nodes = list(_below(function))
    text: set[cst.CSTNode] = {argument for node in nodes for argument in _arguments(node)}
    assignments = {node: name for node in nodes if (name := _assigned(node))}
    while True:
        within = {below for root in text for below in _below(root)}
        found = set()
        for node, name in assignments.items():
            reads = list(_loads(nodes, name, assignments))
            if node not in text and reads and all(read in within for read in reads):
                found.add(node)
        if not found:
            return text
        text |= found


def _arguments(node: cst.CSTNode) -> Iterator[cst.Arg]:
    if not isinstance(node, cst.Call):
        return
    name = node.func.attr.value if isinstance(node.func, cst.Attribute) else getattr(node.func, "value", "")
    words_from = 0 if str(name).endswith("Error") and name != "NotKnownError" else WORDS_FROM.get(str(name))
    for position, argument in enumerate(node.args):
        keyword = argument.keyword.value if argument.keyword else None
        if keyword in KEYWORDS or (keyword is None and words_from is not None and position >= words_from):
            yield argument


def _assigned(node: cst.CSTNode) -> str | None:
    """Returns the one plain variable that a statement assigns."""
    if isinstance(node, cst.Assign) and len(node.targets) == 1:
        target: cst.BaseExpression = node.targets[0].target
    elif isinstance(node, cst.AnnAssign | cst.AugAssign):
        target = node.target
    else:
        return None
    return target.value if isinstance(target, cst.Name) else None


def _loads(nodes: list[cst.CSTNode], name: str, assignments: dict[cst.CSTNode, str]) -> Iterator[cst.CSTNode]:
    """Yields what else in a function reads a variable."""
    elsewhere: set[cst.CSTNode] = set()
    for node in nodes:
        if isinstance(node, cst.Assign) and node in assignments:
            elsewhere.add(node.targets[0].target)
        elif isinstance(node, cst.AnnAssign | cst.AugAssign):
            elsewhere.add(node.target)
        elif isinstance(node, cst.Attribute):
            elsewhere.add(node.attr)
        elif isinstance(node, cst.Arg) and node.keyword:
            elsewhere.add(node.keyword)
    yield from (n for n in nodes if isinstance(n, cst.Name) and n.value == name and n not in elsewhere)


def _below(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(current.children)
