"""What the package offers, how its checks are named and keyed, and what importing it loads."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any

import pytest

import steelyard_checks as checks
from checks.tests.answers import called, outcome, reason, said
from steelyard import FromItem, Scale, Scored, from_item, run_evals, scorer_key

SIGNATURES = {
    "called_tool": "(name, times=1)",
    "did_not_call": "(name)",
    "equals": "(value, *, ignore_case=True)",
    "excludes": "(value, *, ignore_case=True)",
    "includes": "(value, *, ignore_case=True)",
    "matches": "(pattern, *, exact=False, flags=0, timeout=1.0)",
    "max_tool_calls": "(n)",
    "no_tool_errors": "()",
    "similarity": "(value, threshold=None, *, ignore_case=True)",
    "tool_order": "(order)",
    "used_no_tools": "()",
}
ONE_OF_EACH = {
    "called_tool": checks.called_tool("search"),
    "did_not_call": checks.did_not_call("search"),
    "equals": checks.equals("sun"),
    "excludes": checks.excludes("sun"),
    "includes": checks.includes("sun"),
    "matches": checks.matches("sun"),
    "max_tool_calls": checks.max_tool_calls(1),
    "no_tool_errors": checks.no_tool_errors(),
    "similarity": checks.similarity("sun"),
    "tool_order": checks.tool_order(["search"]),
    "used_no_tools": checks.used_no_tools(),
}


def test_public_names_and_signatures_are_deliberate() -> None:
    def plain(function: Any) -> str:
        signature = inspect.signature(function)
        bare = [parameter.replace(annotation=parameter.empty) for parameter in signature.parameters.values()]
        return str(inspect.Signature(bare))

    assert {name: plain(getattr(checks, name)) for name in checks.__all__} == SIGNATURES
    assert list(checks.__all__) == sorted(checks.__all__)


@pytest.mark.parametrize("name", checks.__all__)
def test_every_check_is_a_scorer_of_agents_with_an_id_of_its_own(name: str) -> None:
    check = ONE_OF_EACH[name]
    assert check.id == f"check-{name.replace('_', '-')}"
    assert check.type == "agent"
    assert check.scale == Scale(0.0, 1.0, "higher")
    assert check.description.endswith(".")
    assert not check.needs
    assert check.plain is not None, "a check must be one plain function"


@pytest.mark.parametrize("name", checks.__all__)
@pytest.mark.parametrize("output", [said("sunny"), said("rain"), [], called("search", "fetch")])
def test_every_score_is_a_float_with_a_reason_and_made_afresh(name: str, output: Any) -> None:
    first, second = outcome(ONE_OF_EACH[name], output), outcome(ONE_OF_EACH[name], output)
    assert isinstance(first, Scored)
    assert type(first.score) is float
    assert reason(ONE_OF_EACH[name], output)
    assert first == second
    assert first is not second


@pytest.mark.parametrize("name", checks.__all__)
def test_a_check_gives_the_same_alone_and_in_an_evaluation(name: str) -> None:
    check = ONE_OF_EACH[name]
    alone = check.run_sync(output="The sun.")
    result = run_evals(data=[{"output": "The sun."}], scorers=[check])
    assert result.items is not None
    assert result.items[0].scores[check.id] == Scored(alone.score or 0.0, alone.reason)


@pytest.mark.parametrize(
    ("check", "key"),
    [
        (checks.includes("sun"), 'check-includes("sun")'),
        (checks.includes("sun", ignore_case=True), 'check-includes("sun")'),
        (checks.includes("sun", ignore_case=False), 'check-includes("sun", ignore_case=false)'),
        (checks.excludes("日"), 'check-excludes("日")'),
        (checks.equals(""), 'check-equals("")'),
        (checks.similarity("sun"), 'check-similarity("sun")'),
        (checks.similarity("sun", 0.8), 'check-similarity("sun", 0.8)'),
        (checks.similarity("sun", threshold=0), 'check-similarity("sun", 0)'),
        (
            checks.similarity("sun", 0.8, ignore_case=False),
            'check-similarity("sun", 0.8, ignore_case=false)',
        ),
        (checks.called_tool("search"), 'check-called-tool("search")'),
        (checks.called_tool("search", times=2), 'check-called-tool("search", 2)'),
        (checks.did_not_call(name="search"), 'check-did-not-call("search")'),
        (checks.tool_order(["a", "b"]), 'check-tool-order(["a", "b"])'),
        (checks.max_tool_calls(3), "check-max-tool-calls(3)"),
        (checks.used_no_tools(), "check-used-no-tools"),
        (checks.no_tool_errors(), "check-no-tool-errors"),
        (checks.includes(from_item("metadata.must_say")), 'check-includes({"from_item": "metadata.must_say"})'),
        (
            checks.called_tool("search", from_item("metadata.times")),
            'check-called-tool("search", {"from_item": "metadata.times"})',
        ),
    ],
)
def test_a_key_shows_the_arguments_that_differ_from_the_defaults(check: Any, key: str) -> None:
    assert scorer_key(check) == key


def test_a_list_that_is_changed_later_changes_neither_the_check_nor_its_key() -> None:
    order = ["search", "fetch"]
    check = checks.tool_order(order)
    order.clear()
    assert scorer_key(check) == 'check-tool-order(["search", "fetch"])'
    assert reason(check, called("search")) == "'fetch' was not called after 'search'. Calls: 'search'."


def test_a_check_says_what_each_item_must_bring() -> None:
    check = checks.similarity(FromItem("ground_truth"), FromItem("metadata.least"))
    assert check.needs == {"ground_truth", "metadata.least"}


def test_importing_the_package_loads_neither_regex_nor_what_the_core_keeps_for_later() -> None:
    heavy = ("regex", "asyncio", "cattrs", "structlog", "pluggy", "importlib.metadata")
    program = f"import sys, steelyard_checks; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_only_matches_needs_the_package_regex() -> None:
    program = (
        "import sys, steelyard_checks as checks\n"
        "check = checks.includes('sun'); check.run_sync(output='sun'); print('regex' in sys.modules)\n"
        "check = checks.matches('sun'); check.run_sync(output='sun'); print('regex' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
