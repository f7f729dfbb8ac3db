"""What the package offers, how its checks are named and keyed, and what importing it loads."""

from __future__ import annotations

import inspect
import subprocess
import sys
from copy import deepcopy
from typing import Any

import pytest

import steelyard_checks as checks
from checks.tests.answers import called, outcome, said
from steelyard import AgentOutput, FromItem, NotScorable, Scale, Scored, from_item, run_evals, scorer_key

SIGNATURES = {
    "called_tool": "(name, times=1)",
    "contains_all": "(values, *, ignore_case=True)",
    "contains_any": "(values, *, ignore_case=True)",
    "cost_under": "(dollars)",
    "did_not_call": "(name)",
    "ends_with": "(value, *, ignore_case=True)",
    "equals": "(value, *, ignore_case=True)",
    "excludes": "(value, *, ignore_case=True)",
    "includes": "(value, *, ignore_case=True)",
    "is_json": "(schema=None)",
    "json_path_equals": "(path, value)",
    "latency_under": "(seconds)",
    "matches": "(pattern, *, exact=False, flags=0, timeout=1.0)",
    "max_length": "(n, unit='characters')",
    "max_tool_calls": "(n)",
    "max_turns": "(n)",
    "min_length": "(n, unit='characters')",
    "no_tool_errors": "()",
    "not_": "(check)",
    "refused": "()",
    "similarity": "(value, threshold=None, *, ignore_case=True)",
    "starts_with": "(value, *, ignore_case=True)",
    "tool_called_with": "(name, args, *, match='exact')",
    "tool_order": "(order)",
    "used_no_tools": "()",
}
ONE_OF_EACH: dict[str, Any] = {
    "called_tool": checks.called_tool("search"),
    "contains_all": checks.contains_all(["sun", "rain"]),
    "contains_any": checks.contains_any(["sun", "rain"]),
    "cost_under": checks.cost_under(0.5),
    "did_not_call": checks.did_not_call("search"),
    "ends_with": checks.ends_with("sun"),
    "equals": checks.equals("sun"),
    "excludes": checks.excludes("sun"),
    "includes": checks.includes("sun"),
    "is_json": checks.is_json(),
    "json_path_equals": checks.json_path_equals("a.b", 1),
    "latency_under": checks.latency_under(2),
    "matches": checks.matches("sun"),
    "max_length": checks.max_length(4),
    "max_tool_calls": checks.max_tool_calls(1),
    "max_turns": checks.max_turns(1),
    "min_length": checks.min_length(5),
    "no_tool_errors": checks.no_tool_errors(),
    "not_": checks.not_(checks.includes("sun")),
    "refused": checks.refused(),
    "similarity": checks.similarity("sun"),
    "starts_with": checks.starts_with("sun"),
    "tool_called_with": checks.tool_called_with("search", {}),
    "tool_order": checks.tool_order(["search"]),
    "used_no_tools": checks.used_no_tools(),
}
OF_THE_OUTPUT_AS_IT_IS = {"is_json", "json_path_equals"}
OF_THE_RUN = {"cost_under", "latency_under"}


def test_public_names_and_signatures_are_deliberate() -> None:
    def plain(function: Any) -> str:
        signature = inspect.signature(function)
        bare = [parameter.replace(annotation=parameter.empty) for parameter in signature.parameters.values()]
        return str(inspect.Signature(bare))

    assert {name: plain(getattr(checks, name)) for name in checks.__all__} == SIGNATURES
    assert list(checks.__all__) == sorted(checks.__all__)


@pytest.mark.parametrize("name", checks.__all__)
def test_every_check_is_a_scorer_with_an_id_of_its_own_and_most_are_of_agents(name: str) -> None:
    check = ONE_OF_EACH[name]
    assert check.id == f"check-{name.strip('_').replace('_', '-')}"
    assert check.type == (None if name in OF_THE_OUTPUT_AS_IT_IS | OF_THE_RUN else "agent")
    assert check.scale == Scale(0.0, 1.0, "higher")
    assert check.description.endswith(".")
    assert not check.needs
    assert check.plain is not None, "a check must be one plain function"


@pytest.mark.parametrize("name", checks.__all__)
@pytest.mark.parametrize("output", [said("sunny"), said("rain"), AgentOutput(), called("search", "fetch")])
def test_every_score_is_a_float_with_a_reason_and_made_afresh(name: str, output: Any) -> None:
    first, second = (outcome(ONE_OF_EACH[name], output, cost=1.0, target_duration_ms=1.0) for _ in range(2))
    assert isinstance(first, Scored)
    assert type(first.score) is float
    assert first.reason
    assert first == second
    assert first is not second


@pytest.mark.parametrize("name", checks.__all__)
def test_a_check_gives_the_same_alone_and_in_an_evaluation(name: str) -> None:
    check = ONE_OF_EACH[name]
    alone = check.run_sync(output="The sun.")
    result = run_evals(data=[{"output": "The sun."}], scorers=[check])
    found = result.items[0].scores[check.id]
    if name in OF_THE_RUN:
        assert found == alone.not_scorable
        assert isinstance(found, NotScorable)
    else:
        assert found == Scored(alone.score or 0.0, alone.reason)
    assert found.result is not None
    assert (found.result.scorer_id, found.result.score) == (check.id, alone.score)


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
        (checks.contains_all(["a", "b"]), 'check-contains-all(["a", "b"])'),
        (checks.contains_any(("a",), ignore_case=False), 'check-contains-any(["a"], ignore_case=false)'),
        (checks.starts_with("sun"), 'check-starts-with("sun")'),
        (checks.is_json(), "check-is-json"),
        (checks.is_json({"type": "object"}), 'check-is-json({"type": "object"})'),
        (checks.json_path_equals("a[0]", None), 'check-json-path-equals("a[0]", null)'),
        (checks.max_length(9), "check-max-length(9)"),
        (checks.min_length(9, "words"), 'check-min-length(9, "words")'),
        (checks.max_turns(2), "check-max-turns(2)"),
        (checks.latency_under(0.5), "check-latency-under(0.5)"),
        (checks.cost_under(2), "check-cost-under(2)"),
        (checks.refused(), "check-refused"),
        (checks.tool_called_with("search", {"q": 1}), 'check-tool-called-with("search", {"q": 1})'),
        (
            checks.tool_called_with("search", {"q": 1}, match="subset"),
            'check-tool-called-with("search", {"q": 1}, match="subset")',
        ),
        (
            checks.tool_called_with("search", callable, match="predicate"),
            'check-tool-called-with("search", "callable", match="predicate")',
        ),
        (checks.not_(checks.includes("sun")), 'check-not(check-includes("sun"))'),
        (checks.not_(checks.used_no_tools()), "check-not(check-used-no-tools)"),
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


@pytest.mark.parametrize(
    ("make", "given", "output"),
    [
        (checks.tool_order, ["search", "fetch"], called("search")),
        (checks.contains_all, ["sun", "rain"], said("sun")),
        (checks.contains_any, ["sun", "rain"], said("snow")),
        (lambda given: checks.tool_called_with("search", given), {"q": "x"}, called("search")),
        (checks.is_json, {"type": "object"}, said("[]")),
        (lambda given: checks.json_path_equals("$", given), {"a": 1}, said("{}")),
        (lambda given: checks.json_path_equals("$", given), [1], said("[]")),
    ],
)
def test_a_list_or_mapping_that_is_changed_later_changes_neither_the_check_nor_its_key(
    make: Any, given: Any, output: Any
) -> None:
    check, same = make(given), make(deepcopy(given))
    given.clear()
    assert scorer_key(check) == scorer_key(same)
    assert outcome(check, output) == outcome(same, output)
    assert outcome(check, output).score == 0.0


def test_a_check_says_what_each_item_must_bring() -> None:
    check = checks.similarity(FromItem("ground_truth"), FromItem("metadata.least"))
    assert check.needs == {"ground_truth", "metadata.least"}


def test_importing_the_package_loads_neither_regex_nor_jsonschema_nor_what_the_core_keeps_for_later() -> None:
    heavy = ("regex", "jsonschema", "referencing", "asyncio", "cattrs", "structlog", "pluggy", "importlib.metadata")
    program = f"import sys, steelyard_checks; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_needs_no_pattern_and_no_schema_loads_neither_package() -> None:
    program = (
        "import sys, steelyard_checks as checks\n"
        "check = checks.includes('sun'); check.run_sync(output='sun'); print('regex' in sys.modules)\n"
        "check = checks.is_json(); check.run_sync(output='1'); print('jsonschema' in sys.modules)\n"
        "check = checks.matches('sun'); check.run_sync(output='sun'); print('regex' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "True"]
