"""The table for spreadsheets has a row for each item and scorer, and no formula."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from plugins.cli.tests.report_results import ERROR, NONE, evaluated, item, of_scores, report_of, scripted
from steelyard import AgentScorers, EvalItem, EvalResult, Threshold, Turn, result_from_json, result_to_json, run_evals
from steelyard_cli._report import write_csv


def rows_of(result: EvalResult, folder: Path) -> list[dict[str, str]]:
    write_csv(report_of(result), result, folder / "out.csv")
    with (folder / "out.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, strict=True))


def test_there_is_a_row_for_each_item_and_scorer(tmp_path: Path) -> None:
    data = [item(0, a=1 / 3, b=1.0, reason="so so", label="x"), item(1, a=ERROR, b=NONE)]
    rows = rows_of(evaluated(data, [scripted("a")], [scripted("b")]), tmp_path)
    shown = [(row["id"], row["status"], row["scope"], row["scorer"], row["outcome"], row["score"]) for row in rows]
    assert shown == [
        ("item-0", "passed", "gates", "b", "scored", "1.0"),
        ("item-0", "passed", "scorers", "a", "scored", "0.3333333333333333"),
        ("item-1", "errored", "gates", "b", "not scorable", ""),
        ("item-1", "errored", "scorers", "a", "failed", ""),
    ]
    assert (rows[1]["reason"], rows[1]["label"]) == ("so so", "x")
    assert (rows[3]["step"], rows[3]["reason"]) == ("generate_score", "RuntimeError: the judge is out")


def test_an_item_whose_target_failed_has_a_failed_row_for_every_scorer_that_it_would_have_had(tmp_path: Path) -> None:
    a, b, c, own = (scripted(name) for name in ("a", "b", "c", "own"))
    bounds = [Threshold(own, min=0.1), Threshold(own, max=0.9)]
    turns = [Turn(input="x", gates=[b]), Turn(input="fail now", scorers=[c])]
    data = [
        item(0, a=1.0),
        EvalItem(turns=turns, gates=[c], scorers=bounds, id="chat"),
        EvalItem(input="fine", scorers=[c], metadata={"a": 1.0, "c": 0.5}, id="fine"),
    ]
    result = evaluated(data, [a], [b])
    for each in (result, result_from_json(result_to_json(result))):
        rows = [row for row in rows_of(each, tmp_path) if row["id"] == "chat"]
        assert [(row["turn"], row["scope"], row["scorer"]) for row in rows] == [
            ("", "gates", "b"),
            ("", "gates", "c"),
            ("0", "gates", "b"),
            ("1", "scorers", "c"),
            ("", "scorers", "a"),
            ("", "scorers", "own"),
        ]
        assert {(row["outcome"], row["step"], row["reason"]) for row in rows} == {
            ("failed", "target", "ConnectionError: no answer to fail now")
        }


def test_groups_and_turns_have_their_columns(tmp_path: Path) -> None:
    chat = EvalItem(
        turns=[Turn(input="x", gates=[scripted("b")])],
        scorers=[scripted("own")],
        metadata={"b": 1.0, "a": 0.5, "own": 1.0},
    )
    groups = AgentScorers(agent=[scripted("a")], trajectory=[scripted("a")])
    rows = rows_of(run_evals(data=[chat], target=lambda asked: "x", scorers=groups), tmp_path)
    assert [(row["turn"], row["scope"], row["scorer"]) for row in rows] == [
        ("0", "gates", "b"),
        ("", "agent", "a"),
        ("", "agent", "own"),
        ("", "trajectory", "a"),
    ]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "＝1", "'=1", "''-1"])
def test_no_cell_of_text_is_a_formula_and_the_text_can_be_had_back(tmp_path: Path, text: str) -> None:
    data = [EvalItem(input="x", id=text, metadata={text: 0.5, "reason": text, "label": text})]
    [row] = rows_of(evaluated(data, [scripted(text)]), tmp_path)
    for column in ("id", "scorer", "label", "reason"):
        assert row[column] == f"'{text}"


@pytest.mark.parametrize("text", ["'sun' is missing", "a = b", "plain", "日本", 'with "quotes", commas', "two\nlines"])
def test_other_texts_stay_as_they_are(tmp_path: Path, text: str) -> None:
    data = [EvalItem(input="x", id=text, metadata={"a": 0.5, "reason": text})]
    [row] = rows_of(evaluated(data, [scripted("a")]), tmp_path)
    assert (row["id"], row["reason"]) == (text, text)


def test_a_negative_score_stays_a_number(tmp_path: Path) -> None:
    from steelyard import Scale

    [row] = rows_of(evaluated([item(0, a=-0.5)], [scripted("a", Scale(-1, 1))]), tmp_path)
    assert float(row["score"]) == -0.5


def test_controls_and_half_characters_become_escapes(tmp_path: Path) -> None:
    data = [item(0, a=0.5, reason="a\x00b\x1b[31m \ud83d\r\nx")]
    [row] = rows_of(evaluated(data, [scripted("a")]), tmp_path)
    assert row["reason"] == "a\\x00b\\x1b[31m \\ud83d\nx"


def test_the_rows_of_a_scorer_come_to_its_counts(tmp_path: Path) -> None:
    data = [item(0, a=0.5), item(1, a=NONE), item(2, a=ERROR), item(3, fails=True)]
    result = evaluated(data, [scripted("a")])
    counts = Counter(row["outcome"] for row in rows_of(result, tmp_path))
    [row] = report_of(result).rows
    assert counts == {"scored": row.n_scored, "not scorable": row.n_not_scorable, "failed": row.n_failed}


def test_lines_that_were_left_out_are_told_in_a_last_row(tmp_path: Path) -> None:
    result = of_scores(1.0)
    write_csv(report_of(result, skipped=2), result, tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as stream:
        [_, last] = csv.DictReader(stream)
    assert {column: cell for column, cell in last.items() if cell} == {
        "status": "left out",
        "reason": "2 lines of the data were left out as unreadable (--skip-bad)",
    }
