"""JSON Lines as people have them: read line by line, every bad line named and none of its content told."""

from __future__ import annotations

import json
import pickle
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.cli.tests.data_files import fault, inputs, items, lines, located, place_and_reason, written
from steelyard_cli._data.places import MOST_KEPT, DataFault, Skipped, UnreadableFile
from steelyard_cli._data.readers import jsonl, read_items

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def test_every_line_is_an_item_with_its_place(tmp_path: Path) -> None:
    path = written(tmp_path, "data.jsonl", '{"input": "a"}\n{"input": "b", "id": "x", "metadata": {"lang": "de"}}\n')
    first, second = located(path)
    assert (first.item.input, first.path, first.line, first.place) == ("a", path, 1, f"{path}:1")
    assert (second.item.id, second.item.metadata, second.line) == ("x", {"lang": "de"}, 2)


def test_a_byte_order_mark_is_no_part_of_the_data(tmp_path: Path) -> None:
    """B163"""
    path = written(tmp_path, "data.jsonl", '\ufeff{"input": "a"}\n\ufeff{"input": "b"}\n')
    assert inputs(path) == ["a", "b"]


def test_blank_lines_carriage_returns_and_a_missing_last_line_end_do_not_matter(tmp_path: Path) -> None:
    """B165"""
    path = written(tmp_path, "data.jsonl", '\r\n{"input": "a"}\r\n\n  \t \n\u3000\n{"input": "b"}\n\n{"input": "c"}')
    assert [(each.item.input, each.line) for each in located(path)] == [("a", 2), ("b", 6), ("c", 8)]


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\\u000b"])
def test_only_a_newline_ends_a_line(tmp_path: Path, separator: str) -> None:
    """B165"""
    path = written(tmp_path, "data.jsonl", f'{{"input": "a{separator}b"}}\n{{"input": "c"}}\n')
    assert inputs(path) == [json.loads(f'"a{separator}b"'), "c"]


def test_texts_stay_as_they_were_written_whatever_the_locale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """B180"""
    monkeypatch.setenv("LC_ALL", "C")
    path = written(tmp_path, "data.jsonl", '{"input": "日本語 é ñ 😀", "ground_truth": "\\ud83d"}\n')
    [item] = items(path)
    assert (item.input, item.ground_truth) == ("日本語 é ñ 😀", "\ud83d")


def test_a_bad_line_is_named_by_its_physical_number_and_its_content_stays_untold(tmp_path: Path) -> None:
    """B175"""
    path = written(tmp_path, "data.jsonl", '{"input": "a"}\n\n\n\n\n\n{"input": "SECRET"\n{"input": "c"}\n')
    found = fault(path)
    assert str(found) == f"{path}:7: no JSON: it ends before the value does"
    assert not isinstance(found, UnreadableFile)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('["SECRET"]', 'expected an object, found a list; a list of objects is the format "json"'),
        ('"SECRET"', "expected an object, found a text"),
        ("null", "expected an object, found null"),
        ("true", "expected an object, found true or false"),
        ("17", "expected an object, found a number"),
        ('{"input": "SECRET"} {"input": "SECRET"}', "no JSON: something follows the value (character 21)"),
        ("{'input': 'SECRET'}", "no JSON: expecting property name enclosed in double quotes (character 2)"),
        ('{"input": "SECRET", "input": "b"}', "an object has the key 'input' twice"),
        ('{"input": {"a": 1, "b": {"c": 1, "c": "SECRET"}}}', "an object has the key 'c' twice"),
        ('{"input": "SECRET", "metadata": {"n": Infinity}}', "it holds a number that is not finite"),
        ('{"input": "SECRET", "metadata": {"n": -1e999}}', "it holds a number that is not finite"),
        (f'{{"input": {"9" * 5000}}}', "it holds a number of too many digits"),
        ("[" * 200_000, "it is nested too deeply"),
        ("SECRET", "no JSON: expecting value (character 1)"),
    ],
)
def test_every_kind_of_bad_line_says_what_is_wrong(tmp_path: Path, line: str, reason: str) -> None:
    """B175"""
    path = written(tmp_path, "data.jsonl", f'{{"input": "a"}}\n\n{line}\n{{"input": "b"}}\n')
    assert place_and_reason(path) == (3, reason)
    skipped = Skipped()
    assert [item.input for item in items(path, skipped=skipped)] == ["a", "b"]
    assert (skipped.count, [each.reason for each in skipped]) == (1, [reason])


def test_bytes_that_are_no_utf_8_are_named_with_their_line(tmp_path: Path) -> None:
    path = written(tmp_path, "data.jsonl", b'{"input": "a"}\n{"input": "SECRET \xe9"}\n{"input": "c"}\n')
    reason = "byte 19 of the line is not UTF-8; data files are UTF-8 whatever the locale"
    assert place_and_reason(path) == (2, reason)
    skipped = Skipped()
    assert [item.input for item in items(path, skipped=skipped)] == ["a", "c"]
    assert lines(skipped) == [2]


def test_what_is_passed_over_is_counted_and_only_the_first_is_kept(tmp_path: Path) -> None:
    path = written(tmp_path, "data.jsonl", "no\n" * 50 + '{"input": "a"}\n')
    skipped = Skipped()
    assert [item.input for item in items(path, skipped=skipped)] == ["a"]
    assert (skipped.count, lines(skipped)) == (50, list(range(1, MOST_KEPT + 1)))


def test_nan_is_no_value_and_never_the_text_nan(tmp_path: Path) -> None:
    """B167"""
    path = written(
        tmp_path,
        "data.jsonl",
        '{"id": NaN, "input": "q", "ground_truth": NaN, "output": NaN, "metadata": {"n": NaN, "m": [1, NaN]}}\n',
    )
    [item] = items(path)
    assert (item.id, item.ground_truth, item.metadata) == (None, None, {"n": None, "m": [1, None]})
    assert item == type(item)(input="q", metadata={"n": None, "m": [1, None]})


def test_a_file_without_rows_has_no_items(tmp_path: Path) -> None:
    for content in ["", "\n \n", "\ufeff", "\r\n"]:
        assert items(written(tmp_path, "data.jsonl", content)) == []


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xff\xfe{\x00}\x00", "the file is UTF-16; save it as UTF-8"),
        (b"\xfe\xff\x00{\x00}", "the file is UTF-16; save it as UTF-8"),
        (b"\xff\xfe\x00\x00{\x00\x00\x00", "the file is UTF-32; save it as UTF-8"),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n",
            "this is a pointer to a file in Git LFS, not the data; fetch it with: git lfs pull",
        ),
    ],
)
@pytest.mark.parametrize("format", ["jsonl", "json", "csv", "yaml"])
def test_a_file_that_is_not_the_data_is_named_even_where_bad_lines_are_passed_over(
    tmp_path: Path, format: str, content: bytes, reason: str
) -> None:
    path = written(tmp_path, f"data.{format}", content)
    with pytest.raises(UnreadableFile) as caught:
        items(path, skipped=Skipped())
    assert str(caught.value) == f"{path}: {reason}"


@pytest.mark.parametrize("format", ["jsonl", "json", "csv", "yaml"])
def test_a_file_that_cannot_be_opened_is_named_with_the_reason(tmp_path: Path, format: str) -> None:
    missing = str(tmp_path / f"none.{format}")
    assert str(fault(missing)) == f"{missing}: there is no such file"
    folder = tmp_path / f"folder.{format}"
    folder.mkdir()
    assert str(fault(str(folder))) == f"{folder}: this is a folder, not a file"


@pytest.mark.parametrize("content", ['[\n{"input": "a"}\n]\n', '{\n"input": "a"\n}\n'])
def test_json_over_several_lines_is_pointed_out(tmp_path: Path, content: str) -> None:
    line, reason = place_and_reason(written(tmp_path, "data.jsonl", content))
    assert line == 1
    assert 'the format "json"' in reason


def test_a_fault_can_be_sent_to_another_process(tmp_path: Path) -> None:
    found = pickle.loads(pickle.dumps(DataFault("a.jsonl", 7, "why")))
    assert (str(found), found.line) == ("a.jsonl:7: why", 7)


@given(rows=st.lists(st.fixed_dictionaries({"input": VALUES.filter(lambda value: value is not None)}), max_size=5))
@pytest.mark.parametrize("ensure_ascii", [True, False])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\n\n"])
def test_what_was_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, object]], ensure_ascii: bool, line_end: str
) -> None:
    text = line_end.join(json.dumps(row, ensure_ascii=ensure_ascii) for row in rows)
    path = written(tmp_path_factory.getbasetemp(), "law.jsonl", text)
    assert inputs(path) == [row["input"] for row in rows]


def peak(path: str) -> int:
    """The most memory, in bytes, that reading the file takes beyond what was there before."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        for _ in read_items(path, jsonl, skipped=Skipped()):
            pass
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_number_of_lines(tmp_path: Path) -> None:
    line = '{"input": "a question", "ground_truth": "an answer"}\n'
    small = written(tmp_path, "small.jsonl", (line + "bad\n") * 500)
    large = written(tmp_path, "large.jsonl", (line + "bad\n") * 10_000)
    assert peak(large) < peak(small) + 50_000


def test_two_hundred_thousand_lines_are_read_one_by_one(tmp_path: Path) -> None:
    path = written(tmp_path, "data.jsonl", '{"input": "q"}\n' * 200_000)
    read = read_items(path, jsonl)
    assert next(read).line == 1
    assert sum(1 for _ in read) == 199_999


def test_a_line_of_fifty_megabytes_is_an_item(tmp_path: Path) -> None:
    size = 50_000_000
    path = written(tmp_path, "data.jsonl", b'{"input": "' + b"x" * size + b'"}\n{"input": "b"}\n')
    assert [len(text) for text in inputs(path)] == [size, 1]
