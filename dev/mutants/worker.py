"""Runs mutmut in the prepared copy: words are left out, and the tests are collected once for all mutants."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import libcst as cst
import pytest
from _pytest.config import _prepareconfig
from mutmut import __main__ as mutmut
from mutmut.mutation import file_mutation
from mutmut.runners.harness import PytestRunner
from mutmut.utils.file_utils import change_cwd
from mutmut.workers import isolation

from dev.mutants.text import text_of


class Mutator(file_mutation.MutationVisitor):  # type: ignore[misc]  # untyped in mutmut
    """Makes mutmut's mutants of everything but words."""

    _text: frozenset[cst.CSTNode] = frozenset()

    def _skip_node_and_children(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.FunctionDef):
            self._text |= text_of(node)
        return node in self._text or super()._skip_node_and_children(node)

    def _create_mutations(self, node: cst.CSTNode) -> None:
        before = len(self.mutations)
        super()._create_mutations(node)
        made = [one for one in self.mutations[before:] if not self._only_words(node, one.mutated_node)]
        # A string in capitals or in small letters is noticed by whoever notices another string.
        self.mutations[before:] = made[:1] if isinstance(node, cst.SimpleString) else made

    def _only_words(self, node: cst.CSTNode, mutated: cst.CSTNode) -> bool:
        """Whether the mutant takes an argument of words away from a call."""
        if not isinstance(node, cst.Call) or not isinstance(mutated, cst.Call):
            return False
        gone = [argument for argument in node.args if all(argument is not kept for kept in mutated.args)]
        return bool(gone) and all(argument in self._text for argument in gone)


class CollectedOnce(PytestRunner):  # type: ignore[misc]  # untyped in mutmut
    """Runs a mutant's tests among those that were collected before its process was forked.

    To collect them for each mutant takes ten times as long as to run them.
    """

    _items: dict[str, pytest.Item] | None = None

    def run_forced_fail(self) -> int:
        """Returns the exit status of the last check before the mutants, after which the tests are collected."""
        status: int = super().run_forced_fail()
        with change_cwd("mutants"):
            words = ["--rootdir=.", "--tb=no", *self._pytest_add_cli_args]
            config = _prepareconfig([*words, *self._pytest_add_cli_args_test_selection])
            config._do_configure()
            session = pytest.Session.from_config(config)
            config.hook.pytest_sessionstart(session=session)
            self._items = {item.nodeid: item for item in session.perform_collect()}
        return status

    def run_tests(self, *, mutant_name: str | None, tests: Iterable[str]) -> int:
        """Returns 1 where a test fails, 0 where none does."""
        if self._items is None or mutant_name is None:
            status: int = super().run_tests(mutant_name=mutant_name, tests=tests)
            return status
        items = [self._items[name] for name in tests if name in self._items]
        with change_cwd("mutants"):
            for item, following in zip(items, [*items[1:], None], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if item.session.testsfailed:
                    return 1
        return 0


def mutate(copy: Path, patterns: tuple[str, ...], children: int) -> None:
    """Makes and tests the mutants in `copy` that have no verdict yet, or those that a pattern names.

    Raises SystemExit where the tests fail without a mutant.
    """
    file_mutation.MutationVisitor = Mutator
    isolation.PytestRunner = CollectedOnce
    os.chdir(copy)
    mutmut._run(patterns, children)
