"""Files are whole or not there, each sink's failure is its own, and every form reads back."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given

from plugins.cli.tests.report_results import (
    LAW,
    completed,
    evaluated,
    item,
    of_scores,
    report_of,
    results,
    scripted,
)
from steelyard import (
    EvalItem,
    EvalResult,
    ItemResult,
    SteelyardError,
    Summary,
    TargetResult,
    Threshold,
    Usage,
    result_from_json,
    result_schema,
    result_to_json,
    run_evals,
)
from steelyard_cli._report import (
    Feed,
    Hide,
    JsonlWriter,
    needs_items,
    report_to_json,
    write_csv,
    write_json,
    write_junit,
    write_markdown,
)
from steelyard_cli._report.files import json_text, replaced


def strictly(text: str) -> Any:
    """The data of JSON that holds neither NaN nor infinities."""
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


# -- replacing ---------------------------------------------------------------------------------------------------------


def test_a_file_appears_whole_with_its_folders(tmp_path: Path) -> None:
    place = tmp_path / "made" / "here" / "out.json"
    with replaced(place) as stream:
        stream.write("日本\n")
        assert not place.exists()
    assert place.read_bytes() == "日本\n".encode()
    assert list(place.parent.iterdir()) == [place]


def test_a_block_that_breaks_off_leaves_the_old_file_and_no_rest(tmp_path: Path) -> None:
    place = tmp_path / "out.json"
    place.write_text("old")

    def break_off() -> None:
        with replaced(place) as stream:
            stream.write("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        break_off()
    assert place.read_text() == "old"
    assert list(tmp_path.iterdir()) == [place]


def test_a_new_file_has_the_usual_rights_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    usual, own = tmp_path / "usual", tmp_path / "own"
    usual.write_text("x")
    own.write_text("x")
    own.chmod(0o600)
    with replaced(tmp_path / "new") as stream:
        stream.write("y")
    with replaced(own) as stream:
        stream.write("y")
    assert (tmp_path / "new").stat().st_mode == usual.stat().st_mode
    assert own.stat().st_mode & 0o777 == 0o600


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("old")
    link.symlink_to(real)
    with replaced(link) as stream:
        stream.write("new")
    assert link.is_symlink()
    assert real.read_text() == "new"


def test_what_is_no_regular_file_is_written_to_directly(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with replaced(pipe) as stream:
            stream.write("through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)


def test_half_a_character_is_written_as_an_escape_and_comes_back() -> None:
    text = json_text({"a": "half \ud83d, 日本", "\udc00": 1})
    assert "日本" in text
    text.encode("utf-8")
    assert json.loads(text) == {"a": "half \ud83d, 日本", "\udc00": 1}


# -- the feed ----------------------------------------------------------------------------------------------------------


def test_a_sink_that_fails_costs_neither_the_run_nor_the_others() -> None:
    class Seen:
        def __init__(self) -> None:
            self.items: list[int] = []

        def item_completed(self, item: ItemResult) -> None:
            self.items.append(item.index)

    class Full(Seen):
        def item_completed(self, item: ItemResult) -> None:
            super().item_completed(item)
            raise OSError("no space left")

    full, seen = Full(), Seen()
    feed = Feed(full, seen)
    result = evaluated([item(n, a=1.0) for n in range(3)], [scripted("a")], on_item_complete=feed)
    assert (full.items, seen.items) == ([0], [0, 1, 2])
    assert [(sink, str(error)) for sink, error in feed.errors] == [(full, "no space left")]
    assert result.summary.callback_errors == 0


def test_only_outputs_that_are_made_at_the_end_need_the_items() -> None:
    assert needs_items(junit=Path("x"))
    assert not needs_items(json=None, junit=None, csv=None)


# -- JSON --------------------------------------------------------------------------------------------------------------


def written_json(result: EvalResult, folder: Path, **more: Any) -> Any:
    write_json(report_of(result, **more), result, folder / "out.json")
    return strictly((folder / "out.json").read_text(encoding="utf-8"))


def test_the_json_file_is_a_result_with_the_report_beside_it(tmp_path: Path) -> None:
    result = of_scores(0.5, 1.0, as_=lambda made: Threshold(made, min=0.9))
    data = written_json(result, tmp_path)
    assert result_from_json(data) == result
    jsonschema.validate(data, result_schema())
    assert (data["steelyard_result"], data["report"]["steelyard_report"]) == (1, 1)
    [row] = data["report"]["rows"]
    assert (row["name"], row["status"], row["average"], row["bound"]) == ("tone", "missed", 0.75, ">= 0.9")
    assert data["report"]["words"]["headline"].startswith("scored:")


def test_the_json_file_shows_values_of_users_and_texts_readably(tmp_path: Path) -> None:
    odd = {"set": {1, 2}, "bytes": b"\x00", "nan": float("nan"), "half": "\ud83d", "text": "日本"}
    told = TargetResult("x", usage=Usage(input_tokens=1), metadata=odd)
    result = run_evals(data=[item(1, a=1.0)], target=lambda asked: told, scorers=[scripted("a")])
    data = written_json(result, tmp_path)
    assert data["report"]["target"]["cost"] is None
    assert "日本" in (tmp_path / "out.json").read_text(encoding="utf-8")


def test_numbers_that_are_none_are_null() -> None:
    summary = Summary(judge_cost=float("nan"), duration_ms=float("inf"))
    data = report_to_json(report_of(EvalResult(verdict=None, scores={}, summary=summary)))
    assert (data["judge"]["cost"], data["duration_ms"]) == (None, None)
    json_text(data)


def test_an_unmeasured_average_is_null_and_not_zero(tmp_path: Path) -> None:
    [row] = written_json(of_scores("error"), tmp_path)["report"]["rows"]
    assert (row["average"], row["status"]) == (None, "not measured")


# -- JSONL -------------------------------------------------------------------------------------------------------------


def lines_of(place: Path) -> list[dict[str, Any]]:
    return [strictly(line) for line in place.read_text(encoding="utf-8").splitlines()]


def test_each_line_is_there_as_soon_as_its_item_is_complete(tmp_path: Path) -> None:
    place = tmp_path / "made" / "out.jsonl"
    writer = JsonlWriter(place)
    result = of_scores(1.0, 0.0, gate=True)
    assert not place.exists()
    for n, each in enumerate(reversed(result.items), start=1):
        writer.item_completed(each)
        assert len(lines_of(place)) == n
    writer.finish(report_of(result))
    lines = lines_of(place)
    assert [(line["steelyard_line"], line["kind"]) for line in lines] == [(1, "item"), (1, "item"), (1, "report")]
    assert [line["index"] for line in lines[:2]] == [1, 0]
    assert lines[-1]["verdict"] == "failed"


def test_an_item_in_a_line_is_an_item_of_a_result(tmp_path: Path) -> None:
    result = evaluated([item(1, a=0.5, b="error"), item(2, fails=True)], [scripted("a")], [scripted("b")])
    writer = JsonlWriter(tmp_path / "out.jsonl")
    for each in result.items:
        writer.item_completed(each)
    writer.close()
    whole = result_to_json(result)
    with_lines = {**whole, "items": lines_of(tmp_path / "out.jsonl")}
    assert result_to_json(result_from_json(with_lines)) == whole


def test_lines_of_data_with_line_breaks_of_all_kinds_stay_lines(tmp_path: Path) -> None:
    text = "a\nb\r\nc\u2028d\u2029e\x85f"
    result = evaluated([EvalItem(input=text, id=text, metadata={"a": 1.0})], [scripted("a")])
    writer = JsonlWriter(tmp_path / "out.jsonl")
    writer.item_completed(result.items[0])
    writer.finish(report_of(result))
    lines = (tmp_path / "out.jsonl").read_bytes().split(b"\n")
    assert len(lines) == 3
    assert json.loads(lines[0])["id"] == text


def test_a_file_that_could_not_be_written_to_its_end_has_no_report(tmp_path: Path) -> None:
    place = tmp_path / "out.jsonl"
    writer = JsonlWriter(place)
    result = of_scores(1.0, 1.0)
    writer.item_completed(result.items[0])
    with pytest.raises(SteelyardError):
        writer.item_completed(None)  # type: ignore[arg-type]
    writer.finish(report_of(result))
    assert [line["kind"] for line in lines_of(place)] == ["item"]


def test_an_old_file_is_only_lost_to_a_run_that_has_something_to_write(tmp_path: Path) -> None:
    place = tmp_path / "out.jsonl"
    place.write_text("old")
    JsonlWriter(place).close()
    assert place.read_text() == "old"


def test_a_place_that_cannot_be_written_is_told_when_it_is_opened(tmp_path: Path) -> None:
    writer = JsonlWriter(tmp_path)
    with pytest.raises(OSError, match="directory"):
        writer.item_completed(of_scores(1.0).items[0])


# -- all of them -------------------------------------------------------------------------------------------------------


def test_nothing_hidden_and_nothing_of_the_environment_is_in_any_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, other = "sk-very-secret", "value-of-a-variable"
    monkeypatch.setenv("SOME_VARIABLE", other)

    def leaky(question: str) -> str:
        if question == "break":
            raise ConnectionError(f"401 for key {secret}")
        return f"my key is {secret}"

    data = [
        EvalItem(input=asked, id=f"{asked} {secret}", metadata={"a": 1.0, "reason": secret})
        for asked in ("break", "ask")
    ]
    hide = Hide((secret,))
    writer = JsonlWriter(tmp_path / "out.jsonl", hide=hide)
    feed = Feed(writer)
    result = run_evals(
        data=data, target=leaky, gates=[scripted("a")], scorers=[scripted(secret)], on_item_complete=feed
    )
    report = report_of(result, name=secret, hide=hide)
    writer.finish(report)
    write_json(report, result, tmp_path / "out.json")
    write_junit(report, result, tmp_path / "out.xml")
    write_csv(report, result, tmp_path / "out.csv")
    write_markdown(report, tmp_path / "out.md")
    assert len(list(tmp_path.iterdir())) == 5
    for place in tmp_path.iterdir():
        text = place.read_text(encoding="utf-8")
        assert secret not in text
        assert other not in text
        assert "hidden" in text


@LAW
@given(results())
def test_any_report_has_a_strict_json_form(result: EvalResult) -> None:
    report = report_of(result)
    data = strictly(json_text(report_to_json(report)))
    assert [row["status"] for row in data["rows"]] == [str(row.status) for row in report.rows]
    assert completed(result)
