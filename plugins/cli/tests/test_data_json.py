"""JSON files: a list of objects, an object around one, one object; every item with the line on which it begins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.cli.tests.data_files import inputs, items, lines, located, place_and_reason, written
from plugins.cli.tests.test_data_jsonl import VALUES
from steelyard_cli._data.places import Skipped, UnreadableFile


def test_a_list_of_objects_is_the_items_with_the_lines_on_which_they_begin(tmp_path: Path) -> None:
    path = written(
        tmp_path, "data.json", '\ufeff\n[\n  {"input": "a"},\n  {\n    "input": "b"\n  }, {"input": "c"}\n]\n'
    )
    assert [(each.item.input, each.line) for each in located(path)] == [("a", 3), ("b", 4), ("c", 6)]


@pytest.mark.parametrize("key", ["cases", "data", "examples", "goldens", "items", "samples", "tests"])
def test_the_list_may_stand_in_an_object_that_says_what_the_file_is(tmp_path: Path, key: str) -> None:
    text = f'{{"name": "n", "version": 2,\n "{key}": [{{"input": "a"}},\n{{"input": "b"}}], "description": "d"}}'
    path = written(tmp_path, "data.json", text)
    assert [(each.item.input, each.line) for each in located(path)] == [("a", 2), ("b", 3)]


def test_one_object_is_one_item_even_when_it_holds_such_a_list(tmp_path: Path) -> None:
    path = written(tmp_path, "data.json", '\n{"input": "a"}')
    assert [(each.item.input, each.line) for each in located(path)] == [("a", 2)]
    path = written(tmp_path, "data.json", '{"input": "a", "items": [1]}')
    [item] = items(path, {"metadata.of": "items"})
    assert item.metadata == {"of": [1]}


@pytest.mark.parametrize("content", ["", "[]", " [ ] \n", '{"items": []}', "\ufeff"])
def test_a_file_without_rows_has_no_items(tmp_path: Path, content: str) -> None:
    assert items(written(tmp_path, "data.json", content)) == []


def test_what_stands_beside_the_list_and_would_be_lost_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "data.json", '\n{"cases": [{"input": "SECRET"}], "evaluators": ["SECRET"]}')
    line, reason = place_and_reason(path)
    assert line == 2
    assert reason.startswith("beside the list 'cases' stands 'evaluators', which belongs to no item and would be lost")


def test_two_lists_that_may_be_the_items_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "data.json", '{"data": [], "tests": []}')
    assert place_and_reason(path) == (
        1,
        "the items may be the list under any of 'data', 'tests'; keep one list in the file",
    )


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        ('[{"input": "SECRET"},\n{"input": SECRET}]', 2, "no JSON: expecting value (character 11)"),
        ('[{"input": "SECRET"},\n\n', 3, "no JSON: it ends before the value does"),
        ('[{"input": "SECRET"}\n{"input": "b"}]', 2, "no JSON: expected ','"),
        ('[{"input": "SECRET"},\n]', 2, "no JSON: expecting value (character 1)"),
        ('{"items": [{"input": "SECRET"}]', 1, "no JSON: it ends before the value does"),
        ('{"items": [],\n}', 2, "no JSON: expected a key in double quotes"),
        ('{"items" []}', 1, "no JSON: expected ':'"),
        ('{"items": [],\n"items": []}', 2, "the file's object has one key twice"),
        ('"SECRET"', 1, "expected a list of objects, found a text"),
        ("[] SECRET", 1, "something follows the first value of the file"),
        (
            '{"input": "SECRET"}\n{"input": "b"}\n',
            2,
            'something follows the first value of the file. Where each line holds one object, the format is "jsonl"',
        ),
        (f'[{{"input": "a"}},\n{"[" * 200_000}', 2, "it is nested too deeply"),
    ],
)
def test_a_text_that_is_no_json_is_named_with_its_line_and_cannot_be_passed_over(
    tmp_path: Path, content: str, line: int, reason: str
) -> None:
    path = written(tmp_path, "data.json", content)
    assert place_and_reason(path) == (line, reason)
    with pytest.raises(UnreadableFile):
        items(path, skipped=Skipped())


def test_bytes_that_are_no_utf_8_are_named_with_their_line(tmp_path: Path) -> None:
    path = written(tmp_path, "data.json", b'[{"input": "a"},\n{"input": "\xe9SECRET"}]')
    assert place_and_reason(path) == (2, "byte 12 of the line is not UTF-8; data files are UTF-8 whatever the locale")


@pytest.mark.parametrize("shape", ["[%s]", '{"items": [%s]}'])
def test_a_bad_element_costs_itself_alone(tmp_path: Path, shape: str) -> None:
    elements = [
        '{"input": "a"}',
        '{"input": "SECRET", "input": "b"}',
        '["SECRET"]',
        '{"input": NaN, "metadata": {"n": Infinity}}',
        '{"output": "b"}',
    ]
    path = written(tmp_path, "data.json", shape % ",\n".join(elements))
    assert place_and_reason(path) == (2, "an object has the key 'input' twice")
    skipped = Skipped()
    assert [item.input for item in items(path, skipped=skipped)] == ["a", None]
    assert lines(skipped) == [2, 3, 4]
    assert "SECRET" not in "".join(map(str, skipped))


@pytest.mark.parametrize("content", ['{"input": "a", "input": "b"}', '{"input": "a", "metadata": {"n": 1, "n": 2}}'])
def test_a_doubled_key_is_refused_in_a_single_object_too(tmp_path: Path, content: str) -> None:
    assert "twice" in place_and_reason(written(tmp_path, "data.json", content))[1]


@given(
    rows=st.lists(st.fixed_dictionaries({"input": VALUES.filter(lambda value: value is not None)}), max_size=5),
    indent=st.none() | st.integers(0, 3),
    key=st.none() | st.sampled_from(["items", "data"]),
)
def test_what_was_written_is_read_back_however_it_is_laid_out(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, object]], indent: int | None, key: str | None
) -> None:
    text = json.dumps(rows if key is None else {key: rows}, indent=indent, ensure_ascii=False)
    assert inputs(written(tmp_path_factory.getbasetemp(), "law.json", text)) == [row["input"] for row in rows]
