"""Every form tells the same: number of items, average and status, parsed back out of each."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen
from hypothesis import given
from junitparser import JUnitXml

from plugins.cli.tests.report_results import LAW, completed, printed, report_of, results
from steelyard import EvalResult
from steelyard_cli._report import (
    Feed,
    ItemAccount,
    JsonlWriter,
    Report,
    markdown_text,
    write_csv,
    write_json,
    write_junit,
)
from steelyard_cli._report.markdown import MARKS, code


@frozen(order=True)
class Line:
    """What a form says of one line; the average as far as the form shows it."""

    name: str
    n_scored: int
    n_not_scorable: int
    n_failed: int
    average: str
    status: str


def exact(average: float | None) -> str:
    return "not measured" if average is None else repr(average)


def lines(report: Report, *, shown: bool) -> list[Line]:
    """What the report itself says, with averages as they are displayed or as they are."""
    return [
        Line(
            row.name,
            row.n_scored,
            row.n_not_scorable,
            row.n_failed,
            row.shown_average if shown else exact(row.average),
            str(row.status),
        )
        for row in report.rows
    ]


def of_data(rows: Iterable[dict[str, Any]]) -> list[Line]:
    return [
        Line(row["name"], row["n_scored"], row["n_not_scorable"], row["n_failed"], exact(row["average"]), row["status"])
        for row in rows
    ]


def of_junit(place: Path, report: Report) -> list[Line]:
    suite = next(iter(JUnitXml.fromfile(str(place))))
    found = []
    for case, row in zip(suite, report.rows, strict=True):
        told = dict(line.split(": ", 1) for line in str(case.system_out).splitlines())
        assert str(case.name).startswith(row.name.replace("\x1b", "\\x1b"))
        found.append(
            Line(
                row.name,
                int(told["scored"]),
                int(told["not scorable"]),
                int(told["failed"]),
                told["average"],
                told["status"],
            )
        )
    return found


def of_markdown(text: str, report: Report) -> list[Line]:
    table = text[text.index("| scorer |") :].split("\n\n")[0].splitlines()[2:]
    statuses = {mark: str(status) for status, mark in MARKS.items()}
    found = []
    for line, row in zip(table, report.rows, strict=True):
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        assert cells[0].strip() == code(row.name)
        n_scored, n_not_scorable, n_failed = map(int, cells[3:6])
        found.append(Line(row.name, n_scored, n_not_scorable, n_failed, cells[2], statuses[cells[7]]))
    return found


def of_terminal(text: str, report: Report) -> list[Line]:
    """Of a width at which every line of the table is one line."""
    rows = [re.split(r" {2,}", line.strip()) for line in text.splitlines()]
    start = next(at for at, cells in enumerate(rows) if cells[:2] == ["scorer", "result"])
    found = []
    for cells, row in zip(rows[start + 1 :], report.rows, strict=False):
        status = str(row.status) if cells[1] == "-" and str(row.status) == "tracked" else cells[1]
        n_scored, n_not_scorable, n_failed = map(int, cells[4:7])
        found.append(Line(cells[0], n_scored, n_not_scorable, n_failed, cells[3], status))
    return found


@LAW
@given(results())
def test_every_form_tells_the_same_lines(tmp_path_factory: pytest.TempPathFactory, result: EvalResult) -> None:
    folder = tmp_path_factory.mktemp("forms")
    report = report_of(result)
    writer = JsonlWriter(folder / "out.jsonl")
    for each in completed(result):
        writer.item_completed(each)
    writer.finish(report)
    write_json(report, result, folder / "out.json")
    write_junit(report, result, folder / "out.xml")
    whole = json.loads((folder / "out.json").read_text("utf-8"))["report"]
    last = json.loads((folder / "out.jsonl").read_text("utf-8").splitlines()[-1])
    assert (
        of_data(whole["rows"])
        == of_data(last["rows"])
        == of_junit(folder / "out.xml", report)
        == lines(report, shown=False)
    )
    assert of_markdown(markdown_text(report), report) == lines(report, shown=True)
    assert of_terminal(printed(report, 400), report) == lines(report, shown=True)
    assert whole["verdict"] == last["verdict"] == (None if report.verdict is None else str(report.verdict))


def measured(rows: Iterable[tuple[str, str, float | None]]) -> dict[str, tuple[int, int, int, float | None]]:
    """Counts and average by scorer, from its outcomes one by one."""
    scores: dict[str, list[float]] = defaultdict(list)
    others: Counter[tuple[str, str]] = Counter()
    names: dict[str, None] = {}
    for name, outcome, score in rows:
        names[name] = None
        if score is None:
            others[name, outcome] += 1
        else:
            scores[name].append(score)
    return {
        name: (
            len(scores[name]),
            others[name, "not scorable"],
            others[name, "failed"],
            float(sum(map(Fraction, scores[name])) / len(scores[name])) if scores[name] else None,
        )
        for name in names
    }


@LAW
@given(results())
def test_the_outcomes_in_the_table_come_to_the_lines_of_the_report(
    tmp_path_factory: pytest.TempPathFactory, result: EvalResult
) -> None:
    place = tmp_path_factory.mktemp("csv") / "out.csv"
    report = report_of(result)
    write_csv(report, result, place)
    with place.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    found = measured(
        (re.sub("^'(?='*[=+@-])", "", row["scorer"]), row["outcome"], float(row["score"]) if row["score"] else None)
        for row in rows
    )
    assert found == {
        row.key: (row.n_scored, row.n_not_scorable, row.n_failed, row.average)
        for row in report.rows
        if row.part is None
    }
    assert Counter({row["index"]: row["status"] for row in rows}.values()) == Counter(report.statuses)


@LAW
@given(results())
def test_the_lines_of_items_come_to_the_numbers_of_the_last_line(
    tmp_path_factory: pytest.TempPathFactory, result: EvalResult
) -> None:
    place = tmp_path_factory.mktemp("jsonl") / "out.jsonl"
    writer, account = JsonlWriter(place), ItemAccount()
    feed = Feed(writer, account)
    for each in completed(result):
        feed(each.item, None, each)
    report = report_of(result, account=account)
    writer.finish(report)
    *items, last = map(json.loads, place.read_text("utf-8").splitlines())
    found = measured(
        (key, told["outcome"].replace("_", " "), told.get("score"))
        for line in items
        for group in (line.get("gates", {}), line.get("scores", {}))
        for key, told in group.items()
    )
    n_target_errors = sum("error" in line for line in items)
    for row in last["rows"]:
        if row["part"] is None:
            n_scored, n_not_scorable, n_failed, average = found.get(row["key"], (0, 0, 0, None))
            assert (n_scored, n_not_scorable, average) == (row["n_scored"], row["n_not_scorable"], row["average"])
            assert n_failed + n_target_errors == row["n_failed"]
    assert Counter(line["status"] for line in items) == last["statuses"]
