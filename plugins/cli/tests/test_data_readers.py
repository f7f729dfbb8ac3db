"""Readers of formats: ours and those of others through one door."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from plugins.cli.tests.data_files import READERS, Installed, lines, written
from steelyard import BrokenPlugin, ConfigurationError, EvalItem, UnknownPlugin
from steelyard_cli._data.places import DataFault, Located, Skipped, UnreadableFile
from steelyard_cli._data.readers import FORMAT_OF, jsonl, read_items, reader_for


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.jsonl", "jsonl"),
        ("a.NDJSON", "jsonl"),
        ("folder.d/a.json", "json"),
        ("a.b.CSV", "csv"),
        ("a.tsv", "csv"),
        ("a.yaml", "yaml"),
        (Path("a.yml"), "yaml"),
    ],
)
def test_the_name_of_a_file_tells_its_format(name: Any, format: str) -> None:
    assert reader_for(name, registry=Installed()) is READERS[format]


@pytest.mark.parametrize("format", READERS)
def test_our_readers_are_installed_under_the_names_of_their_formats(format: str) -> None:
    assert reader_for("data", format) is READERS[format]


def test_a_format_that_is_named_beats_the_name_of_the_file() -> None:
    assert reader_for("a.txt", "jsonl", Installed()) is jsonl
    assert reader_for("a.csv", "jsonl", Installed()) is jsonl


def test_the_ending_may_be_the_name_of_an_installed_reader() -> None:
    other = Installed(sheet=list, jsonl=jsonl)
    assert reader_for("a.sheet", registry=other) is list


@pytest.mark.parametrize("name", ["a", "a.txt", "a.jsonl.gz", ".jsonl"])
def test_a_name_that_tells_no_format_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        reader_for(name, registry=Installed())
    assert str(caught.value) == (
        f"The name of {name} does not tell its format. Give format=; installed are csv, json, jsonl, yaml."
    )


def test_a_format_that_is_not_installed_is_refused() -> None:
    with pytest.raises(UnknownPlugin):
        reader_for("a.jsonl", "jsonlines", Installed())


def test_every_format_that_a_name_tells_has_a_reader() -> None:
    assert set(FORMAT_OF.values()) == set(READERS)


@pytest.mark.parametrize("format", READERS)
def test_a_reader_is_called_with_a_path_and_gives_items(tmp_path: Path, format: str) -> None:
    content = {"csv": "input\na\n", "json": '[{"input": "a"}]', "jsonl": '{"input": "a"}', "yaml": "- input: a"}
    path = tmp_path / f"data.{format}"
    path.write_text(content[format], encoding="utf-8")
    assert list(READERS[format](path)) == [EvalItem(input="a")]
    assert list(READERS[format](str(path))) == [EvalItem(input="a")]


def test_a_reader_raises_at_the_first_bad_row_after_the_items_before_it(tmp_path: Path) -> None:
    given = jsonl(written(tmp_path, "data.jsonl", '{"input": "a"}\nno\n{"input": "b"}\n'))
    assert next(given) == EvalItem(input="a")
    with pytest.raises(DataFault):
        next(given)


class Sheet:
    """A stranger's reader that tells its rows."""

    cells = True

    def rows(self, path: str) -> Iterable[tuple[int | None, object]]:
        yield 2, {"question": "a", "metadata": '{"n": 1}'}
        yield 3, ValueError("cell B3 is no text")
        yield None, {"question": "b"}
        yield 5, KeyError()

    def __call__(self, path: str) -> Iterator[EvalItem]:
        raise AssertionError("rows are there")


def test_a_strangers_reader_may_tell_rows_lines_and_faults_as_ours_do() -> None:
    skipped = Skipped()
    read = list(read_items("a.sheet", Sheet(), columns={"input": "question"}, skipped=skipped))
    assert read == [
        Located(item=EvalItem(input="a", metadata={"n": 1}), path="a.sheet", line=2),
        Located(item=EvalItem(input="b"), path="a.sheet", line=None),
    ]
    assert [str(fault) for fault in skipped] == ["a.sheet:3: cell B3 is no text", "a.sheet:5: KeyError"]


def test_a_strangers_reader_that_gives_items_is_read_without_lines() -> None:
    def plain(path: str) -> Iterator[Any]:
        yield EvalItem(input=path)
        yield {"input": "row"}
        yield {"inptu": "row"}

    skipped = Skipped()
    assert [(each.item.input, each.line) for each in read_items("a", plain, skipped=skipped)] == [
        ("a", None),
        ("row", None),
    ]
    assert lines(skipped) == [None]
    with pytest.raises(ConfigurationError, match="columns cannot be mapped"):
        read_items("a", plain, columns={"input": "question"})


def test_whatever_a_reader_raises_is_an_error_of_the_file() -> None:
    def broken(path: str) -> Iterator[EvalItem]:
        yield EvalItem(input="a")
        raise RuntimeError("sheet 2 is locked")

    def at_once(path: str) -> Iterator[EvalItem]:
        raise KeyError

    given = read_items("a.sheet", broken, skipped=Skipped())
    next(given)
    with pytest.raises(UnreadableFile) as caught:
        next(given)
    assert str(caught.value) == "a.sheet: its reader failed: RuntimeError: sheet 2 is locked"
    assert isinstance(caught.value.__cause__, RuntimeError)
    with pytest.raises(UnreadableFile, match="its reader failed: KeyError"):
        list(read_items("a.sheet", at_once))


def test_columns_that_cannot_be_are_refused_before_the_file_is_opened(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="an item has no field"):
        read_items(str(tmp_path / "none.jsonl"), jsonl, columns={"question": "input"})


def test_an_open_file_is_closed_when_reading_stops_early(tmp_path: Path) -> None:
    """Warnings are errors here, so that a file which nobody closes fails the test."""
    given = read_items(written(tmp_path, "data.jsonl", '{"input": "a"}\n' * 3), jsonl)
    assert next(given).item.input == "a"
    del given


def test_what_is_no_reader_is_a_broken_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = Installed(odd=17)
    monkeypatch.setattr(registry, "find", Plugins("readers").find)
    with pytest.raises(BrokenPlugin, match="an object of type int cannot be called"):
        reader_for("a", "odd", registry)


class Plugins:
    """Says of every name that it is declared."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def find(self, kind: str, name: str) -> Any:
        from steelyard import Plugin

        assert kind == self._kind
        return Plugin(kind=kind, name=name, distribution="d", version="1", value="d:x")
