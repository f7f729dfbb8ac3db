"""YAML by the rules of 1.2: plain values only, texts that stay texts, an item for each entry or document."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from plugins.cli.tests.data_files import inputs, items, lines, located, place_and_reason, written
from steelyard import EvalItem
from steelyard_cli._data.places import Skipped, UnreadableFile

REST = ", and data hold plain values only (line 2)"


def value(folder: Path, text: str) -> object:
    """What a scalar of a file means, beneath a key that takes anything."""
    [item] = items(written(folder, "data.yaml", f"- input: q\n  metadata:\n    value: {text}\n"))
    return item.metadata["value"]


def test_a_list_is_the_items_with_the_lines_on_which_they_begin(tmp_path: Path) -> None:
    path = written(tmp_path, "data.yaml", "# first\n- input: a\n  id: x\n\n- input: |\n    b\n    c\n- {output: d}\n")
    assert [(each.item, each.line) for each in located(path)] == [
        (EvalItem(input="a", id="x"), 2),
        (EvalItem(input="b\nc\n"), 5),
        (EvalItem(output="d"), 8),
    ]


def test_each_document_holds_one_item_a_list_or_an_object_around_one(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "data.yaml",
        "input: a\n---\n- input: b\n- input: c\n---\nname: n\ncases:\n- input: d\n---\n---\ninput: e\n",
    )
    assert [(each.item.input, each.line) for each in located(path)] == [
        ("a", 1),
        ("b", 3),
        ("c", 4),
        ("d", 8),
        ("e", 11),
    ]


@pytest.mark.parametrize(
    "text",
    [
        *[
            "no",
            "yes",
            "on",
            "Off",
            "y",
            "1:30",
            "12:30:45",
            "2024-01-01",
            "2031-05-02T10:00:00Z",
            "007",
            "1_000",
            "0b11",
            "00.5",
            "=",
            "1.10.2",
            "0x",
        ],
        *["nan", "None", "0o9", "1e", "é"],
        "x\u2028y",
        "x\x85y",
    ],
)
def test_what_is_no_value_of_yaml_1_2_is_text(tmp_path: Path, text: str) -> None:
    assert value(tmp_path, text) == text


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("12", 12),
        ("-3", -3),
        ("+5", 5),
        ("0", 0),
        ("0o17", 15),
        ("0xFf", 255),
        ("1.10", 1.1),
        (".5", 0.5),
        ("5.", 5.0),
        ("-1e3", -1000.0),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        (".nan", None),
        ('"12"', "12"),
        ("'true'", "true"),
        ("!!str 12", "12"),
        ("!!int 12", 12),
        ("[1, [no], {a: 2}]", [1, ["no"], {"a": 2}]),
    ],
)
def test_values_of_yaml_1_2_are_what_they_are(tmp_path: Path, text: str, meant: object) -> None:
    found = value(tmp_path, text)
    assert (found, type(found)) == (meant, type(meant))


def test_a_file_that_says_it_is_yaml_1_1_is_read_by_the_same_rules(tmp_path: Path) -> None:
    path = written(tmp_path, "data.yaml", "%YAML 1.1\n---\n- input: no\n  ground_truth: 1:30\n")
    assert items(path) == [EvalItem(input="no", ground_truth="1:30")]


def test_keys_are_texts_as_they_are_written(tmp_path: Path) -> None:
    assert value(tmp_path, "{1: a, no: b, null: c, 007: d}") == {"1": "a", "no": "b", "null": "c", "007": "d"}


def test_byte_order_mark_carriage_returns_and_characters_that_look_like_line_ends_do_not_matter(tmp_path: Path) -> None:
    """B163 B165"""
    path = written(
        tmp_path,
        "data.yaml",
        '\ufeff- input: "a\u2028b\x85c"\r\n- input: |\r\n    d\u2029e\r\n    f\r\n\r\n- input: g\r\n',
    )
    assert [(each.item.input, each.line) for each in located(path)] == [
        ("a\u2028b\x85c", 1),
        ("d\u2029e\nf\n", 2),
        ("g", 6),
    ]


def test_anchors_aliases_and_merged_objects_work(tmp_path: Path) -> None:
    text = "- input: &q a\n  metadata: &m {lang: de, n: 1}\n- input: *q\n  metadata: {<<: *m, n: 2}\n- input: &q c\n"
    assert items(written(tmp_path, "data.yaml", text)) == [
        EvalItem(input="a", metadata={"lang": "de", "n": 1}),
        EvalItem(input="a", metadata={"lang": "de", "n": 2}),
        EvalItem(input="c"),
    ]
    text = "- &a {input: x}\n- &b {input: y, id: i}\n- {<<: [*a, *b], output: z}\n"
    assert items(written(tmp_path, "data.yaml", text))[2] == EvalItem(input="x", id="i", output="z")


@pytest.mark.parametrize(
    ("element", "reason"),
    [
        (
            "input: !!python/object/apply:os.system [SECRET]",
            "a value has the tag '!!python/object/apply:os.system'" + REST,
        ),
        ("input: !mine SECRET", "a value has the tag '!mine'" + REST),
        ("input: !!binary U0VDUkVU", "a value has the tag '!!binary'" + REST),
        ("input: !!set {SECRET}", "a value has the tag '!!set'" + REST),
        ("{input: a, input: SECRET}", "an object has the key 'input' twice (line 2)"),
        ("{input: a, metadata: {1: SECRET, '1': b}}", "an object has the key '1' twice (line 2)"),
        ("{input: a, metadata: {[1]: SECRET}}", "a key must be a text (line 2)"),
        ("{input: a, metadata: {<<: SECRET}}", "what << takes over must be an object (line 2)"),
        ("input: .inf", "it holds a number that is not finite"),
        ("input: -1e999", "it holds a number that is not finite"),
        ("input: " + "9" * 5000, "it holds a number of too many digits"),
        ("input: &x [*x]", "an alias stands inside the very value that it names"),
        ("SECRET", "expected an object, found a text"),
        ("[SECRET]", 'expected an object, found a list; a list of objects is the format "json"'),
    ],
)
def test_a_bad_entry_costs_itself_alone(tmp_path: Path, element: str, reason: str) -> None:
    path = written(tmp_path, "data.yaml", f"- input: a\n- {element}\n- input: b\n")
    assert place_and_reason(path) == (2, reason)
    skipped = Skipped()
    assert [item.input for item in items(path, skipped=skipped)] == ["a", "b"]
    assert lines(skipped) == [2]


def test_aliases_of_aliases_that_stand_for_more_than_memory_holds_are_refused(tmp_path: Path) -> None:
    text = "- input: a\n  metadata:\n    a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    for level in range(1, 30):
        text += f"    a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n"
    path = written(tmp_path, "data.yaml", text)
    assert place_and_reason(path) == (1, "its aliases repeat too much")


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        ("- input: a\n- input: [SECRET\n", 3, "no YAML: expected ',' or ']', but got '<stream end>'"),
        ("- input: a\n\tinput: SECRET\n", 2, "no YAML: found character '\\t' that cannot start any token"),
        ("- input: a\n- input: SECRET: b\n", 2, "no YAML: mapping values are not allowed here"),
        ("- input: a\n- input: *b\n", 2, "no YAML: found undefined alias 'b'"),
        ("- input: a\n- input: SECRET\x01\n", 2, "it holds a character that YAML cannot have"),
        ("SECRET", 1, "expected a list of items, found a text"),
        ("17", 1, "expected a list of items, found a number"),
        ("input: a\n---\nSECRET", 3, "expected a list of items, found a text"),
        (
            "cases: []\ntests: []",
            1,
            "the items may be the list under any of 'cases', 'tests'; keep one list in the file",
        ),
        ("- " * 5000 + "a", None, "it is nested too deeply"),
    ],
)
def test_a_text_that_is_no_yaml_is_named_with_its_line_and_cannot_be_passed_over(
    tmp_path: Path, content: str, line: int | None, reason: str
) -> None:
    path = written(tmp_path, "data.yaml", content)
    assert place_and_reason(path) == (line, reason)
    with pytest.raises(UnreadableFile):
        items(path, skipped=Skipped())


@pytest.mark.parametrize("content", ["", "\n# nothing\n", "[]", "---\n---\n", "null", "cases: []"])
def test_a_file_without_rows_has_no_items(tmp_path: Path, content: str) -> None:
    assert items(written(tmp_path, "data.yaml", content)) == []


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff\ufffe\uffff"))


@given(texts=st.lists(TEXTS, max_size=5))
def test_what_was_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    written_text = io.StringIO()
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = False  # within braces the library writes "?0" in a form that it cannot read itself
    yaml.dump([{"input": text} for text in texts], written_text)
    path = written(tmp_path_factory.getbasetemp(), "law.yaml", written_text.getvalue())
    assert inputs(path) == texts
