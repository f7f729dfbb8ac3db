"""The JUnit file, as junitparser reads it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from plugins.cli.tests.report_results import (
    ERROR,
    LAW,
    NONE,
    evaluated,
    item,
    of_scores,
    report_of,
    results,
    scripted,
)
from steelyard import EvalItem, EvalResult, ShareOfItems, Threshold, Turn, run_evals
from steelyard_cli._report import write_junit

CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"testsuite", "properties", "testcase", "system-out", "system-err"},
    "properties": {"property"},
    "testcase": {"skipped", "error", "failure", "system-out", "system-err"},
}
ATTRIBUTES = {
    "testsuites": {"name", "time", "tests", "failures", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "group", "time", "skipped", "timestamp", "hostname", "id"},
    "testcase": {"name", "time", "classname", "group"},
    "property": {"name", "value"},
    "skipped": {"type", "message"},
    "error": {"type", "message"},
    "failure": {"type", "message"},
}
"""What junit-10 allows where."""


def written(result: EvalResult, folder: Path, **more: Any) -> dict[str, dict[str, TestCase]]:
    """The cases by suite and name."""
    place = folder / "out.xml"
    write_junit(report_of(result, **more), result, place)
    check_structure(ElementTree.parse(place).getroot())
    suites: list[TestSuite] = list(JUnitXml.fromfile(str(place)))
    return {str(suite.name): {str(case.name): case for case in suite} for suite in suites}


def check_structure(element: ElementTree.Element) -> None:
    assert set(element.attrib) <= ATTRIBUTES.get(element.tag, set())
    for child in element:
        assert child.tag in CHILDREN.get(element.tag, set())
        check_structure(child)
    if element.tag in ("testsuite", "testsuites"):
        cases = list(element.iter("testcase"))
        for ending, attribute in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            if attribute in element.attrib:
                assert int(element.attrib[attribute]) == sum(case.find(ending) is not None for case in cases)
        assert int(element.attrib["tests"]) == len(cases)


def ending(case: TestCase) -> str:
    kinds = {Failure: "failure", Error: "error", Skipped: "skipped"}
    found = [kinds[type(each)] for each in case.result]
    assert len(found) <= 1
    return found[0] if found else "passed"


def message(case: TestCase) -> str:
    [found] = case.result
    return str(found.message)


@pytest.mark.parametrize(
    ("scores", "ended"),
    [((1.0, 1.0), "passed"), ((1.0, 0.0), "failure"), ((1.0, ERROR), "error"), ((NONE, NONE), "skipped")],
)
def test_missed_is_a_failure_not_computed_an_error_and_not_scorable_is_skipped(
    tmp_path: Path, scores: tuple[object, ...], ended: str
) -> None:
    cases = written(of_scores(*scores, gate=True), tmp_path)
    assert ending(cases["support: averages"]["tone"]) == ended
    assert ending(cases["support: items"]["item-1 / tone"]) == ended


def test_each_ending_says_why(tmp_path: Path) -> None:
    data = [item(0, a=0.0, reason="too short"), item(1, a=NONE), item(2, a=ERROR)]
    cases = written(evaluated(data, gates=[scripted("a")]), tmp_path)
    items = cases["support: items"]
    assert message(items["item-0 / a"]) == "too short"
    assert message(items["item-1 / a"]) == "nothing to see"
    assert message(items["item-2 / a"]) == "RuntimeError: the judge is out"
    assert message(cases["support: averages"]["a"]).startswith("Gate a did not hold: 1 item of 2 did not reach 1")


def test_a_threshold_is_one_case_whatever_the_number_of_items(tmp_path: Path) -> None:
    cases = written(of_scores(0.2, 0.4, as_=lambda made: Threshold(made, min=0.5)), tmp_path)
    assert list(cases) == ["support: averages"]
    case = cases["support: averages"]["tone >= 0.5"]
    assert ending(case) == "failure"
    assert "missed by 0.200" in message(case)


def test_an_item_that_a_gate_can_do_without_is_no_failure(tmp_path: Path) -> None:
    data = [item(0, a=1.0), item(1, a=1.0), item(2, a=0.0), item(3, a=ERROR)]
    cases = written(evaluated(data, gates=[ShareOfItems(scripted("a"), 0.5)]), tmp_path)
    assert [ending(case) for case in cases["support: items"].values()] == ["passed", "passed", "passed", "skipped"]
    assert "missed here, which the gate allows" in str(cases["support: items"]["item-2 / a"].system_out)
    assert ending(cases["support: averages"]["a"]) == "passed"


def test_an_item_whose_target_failed_has_one_case(tmp_path: Path) -> None:
    cases = written(evaluated([item(0, fails=True), item(1, a=1.0)], [scripted("b")], [scripted("a")]), tmp_path)
    assert {name: ending(case) for name, case in cases["support: items"].items()} == {
        "item-0 / target": "error",
        "item-1 / a": "passed",
    }
    assert message(cases["support: items"]["item-0 / target"]) == "ConnectionError: no answer to fail question 0"


def test_gates_of_turns_are_cases_of_their_own(tmp_path: Path) -> None:
    chat = EvalItem(
        turns=[Turn(input="x", gates=[scripted("a")]), Turn(input="y", gates=[scripted("a")])],
        metadata={"a": 0.0},
        id="chat",
    )
    cases = written(run_evals(data=[chat], target=lambda asked: "x", scorers=[scripted("b")]), tmp_path)
    assert list(cases["support: items"]) == ["chat / turn 0: a", "chat / turn 1: a"]
    assert list(cases["support: averages"]) == ["turn 0: a", "turn 1: a", "b"]


def test_without_kept_items_the_lines_of_the_report_are_still_there(tmp_path: Path) -> None:
    data = [item(0, a=0.0)]
    cases = written(evaluated(data, gates=[scripted("a")], keep_items=False), tmp_path)
    assert list(cases) == ["support: averages"]


@pytest.mark.parametrize(
    "text", ["\x00\x1b[31m", "]]>", "<a&b>\"'", "\ufffe\uffff", "half \ud83d", "a\nb\tc", "日本 👩‍👩‍👧"]
)
def test_any_text_makes_a_file_that_can_be_read(tmp_path: Path, text: str) -> None:
    data = [EvalItem(input="x", id=text, metadata={text: 0.0, "reason": text})]
    cases = written(evaluated(data, gates=[scripted(text)]), tmp_path, name=text)
    assert sum(len(suite) for suite in cases.values()) == 2


def test_a_run_that_ended_early_says_so(tmp_path: Path) -> None:
    result = of_scores(1.0, gate=True)
    write_junit(report_of(result, stopped="enough", planned=4), result, tmp_path / "out.xml")
    suite: Any = next(iter(JUnitXml.fromfile(str(tmp_path / "out.xml"))))
    found = {str(each.name): str(each.value) for each in suite.properties()}
    assert (found["partial"], found["verdict"], found["items"]) == ("partial 1/4", "none", "1")


def test_a_run_that_ended_early_is_an_error_and_what_held_so_far_is_no_pass(tmp_path: Path) -> None:
    cases = written(of_scores(1.0, gate=True), tmp_path, stopped="the data broke off", planned=4)["support: averages"]
    assert {name: ending(case) for name, case in cases.items()} == {"the run": "error", "tone": "skipped"}
    assert message(cases["the run"]) == "The run ended early (partial 1/4): the data broke off"
    assert message(cases["tone"]) == "tone held so far, but the run ended early."


def test_lines_that_were_left_out_are_a_skipped_case(tmp_path: Path) -> None:
    cases = written(of_scores(1.0, gate=True), tmp_path, skipped=3)["support: averages"]
    assert ending(cases["the data"]) == "skipped"
    assert message(cases["the data"]) == "3 lines of the data were left out as unreadable (--skip-bad)"


def test_an_item_whose_target_failed_is_an_error_where_nothing_is_asked_too(tmp_path: Path) -> None:
    cases = written(evaluated([item(0, fails=True), item(1, b=1.0)], [scripted("b")]), tmp_path)
    assert ending(cases["support: items"]["item-0 / target"]) == "error"


def endings(cases: dict[str, dict[str, TestCase]]) -> Iterator[str]:
    for suite in cases.values():
        yield from map(ending, suite.values())


@LAW
@given(results())
def test_a_file_has_failures_or_errors_exactly_when_a_gate_or_bound_did_not_pass_or_the_target_failed(
    tmp_path_factory: pytest.TempPathFactory, result: EvalResult
) -> None:
    cases = written(result, tmp_path_factory.mktemp("junit"))
    not_passed = any(row.passed is False for row in report_of(result).asked)
    target_failed = any(each.error is not None for each in result.items)
    assert bool({"failure", "error"} & set(endings(cases))) == (not_passed or target_failed)
