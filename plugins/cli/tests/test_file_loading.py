"""Evaluations are read from TOML, YAML by the rules of 1.2, and Python, and every value knows its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.cli.tests.command_desk import Desk
from steelyard_cli._file.loading import Loaded, load
from steelyard_cli._file.places import FileFault, Place, Source
from steelyard_cli._file.references import importable
from steelyard_cli._file.toml_lines import toml_lines
from steelyard_cli._file.yaml_text import plain, read_yaml

SOURCE = Source("x.yaml", Path())

TOML = '''\
# a remark with [brackets] and = signs
name = "first"   # here too
text = """
[[gates]]
check = "no"
"""
other = \'\'\'
x = 1\'\'\'\'
list = [
    1,
    { a = 1, "b.c" = { d = [
        2, 3,
    ] } },
]

[data]
path = "x.jsonl"
columns = { input = "q", "metadata.lang" = "l" }

[[gates]]
check = "includes"
value = "]}#"

[[gates]]
check = "excludes"
options.value = 'x'

[scorers]
[[scorers.agent]]
check = "equals"
[[scorers.steps."a b"]]
check = "equals"
[scorers.steps."a b".options]
value = 5
'''


def loaded(desk: Desk, name: str, content: str) -> Loaded:
    desk.write(name, content)
    return load(name, desk.folder)


def yaml(text: str) -> object:
    return read_yaml(text, SOURCE)[0]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("name",), 2),
        (("text",), 3),
        (("other",), 7),
        (("list",), 9),
        (("list", 0), 10),
        (("list", 1), 11),
        (("list", 1, "a"), 11),
        (("list", 1, "b.c", "d", 1), 12),
        (("data", "path"), 17),
        (("data", "columns", "metadata.lang"), 18),
        (("gates",), 20),
        (("gates", 0), 20),
        (("gates", 0, "value"), 22),
        (("gates", 1), 24),
        (("gates", 1, "options", "value"), 26),
        (("scorers", "agent", 0, "check"), 30),
        (("scorers", "steps", "a b", 0, "check"), 32),
        (("scorers", "steps", "a b", 0, "options", "value"), 34),
    ],
)
def test_each_value_of_a_toml_file_has_the_line_on_which_it_stands(path: tuple[str | int, ...], line: int) -> None:
    assert toml_lines(TOML)[path] == line


def test_what_has_no_line_of_its_own_has_the_line_of_what_it_stands_in() -> None:
    source = Source("x.toml", Path(), toml_lines(TOML))
    assert (Place(source) / "gates" / 1 / "nothing").line == 24
    assert str(Place(source) / "gates" / 1 / "nothing") == "x.toml:24: gates[1].nothing"
    assert str(Place(source)) == "x.toml"


TEXTS = st.text(alphabet="ab [{}]#='\"\n\\,.", max_size=8)
VALUES = st.recursive(
    st.integers(0, 9) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


def written(value: object) -> str:
    """A value as TOML writes it; only what is escaped anyway is escaped."""
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    if isinstance(value, list):
        return f"[\n{','.join(map(written, value))} ]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{written(key)} = {written(inner)}' for key, inner in value.items())} }}"
    return str(value)


def lines_of(value: object, path: tuple[str | int, ...], line: int) -> tuple[dict[tuple[str | int, ...], int], int]:
    """Where ``written`` puts the value and what it holds, and on which line it ends."""
    found = {path: line}
    if isinstance(value, list):
        line += 1
        for number, inner in enumerate(value):
            more, line = lines_of(inner, (*path, number), line)
            found |= more
    if isinstance(value, dict):
        for key, inner in value.items():
            more, line = lines_of(inner, (*path, key), line)
            found |= more
    return found, line


@given(VALUES)
def test_lines_of_toml_are_right_for_any_value(value: object) -> None:
    expected, _ = lines_of(value, ("x",), 2)
    assert toml_lines(f"\nx = {written(value)}\n") == expected


@pytest.mark.parametrize(
    "word", ["no", "yes", "on", "off", "1:30", "2031-05-02", "2031-05-02T10:00:00Z", "1_000", "<<"]
)
def test_words_that_older_yaml_changes_are_texts(word: str) -> None:
    assert yaml(f"a: {word}") == {"a": word}
    assert yaml(f"- {word}\n- '{word}'") == [word, word]


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("12", 12),
        ("-7", -7),
        ("0o17", 15),
        ("0x1F", 31),
        ("012", 12),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("-.inf", float("-inf")),
        ("!!str 12", "12"),
        ('"12"', "12"),
    ],
)
def test_plain_words_are_what_yaml_1_2_says(word: str, value: object) -> None:
    assert yaml(f"a: {word}") == {"a": value}


@given(st.text(alphabet="+-.0123456789eExonailstruNTFA:_~", max_size=8))
def test_a_plain_word_is_never_a_number_that_it_does_not_look_like(word: str) -> None:
    value = plain(word)
    if isinstance(value, str):
        assert value == word
    elif not isinstance(value, bool) and value is not None:
        assert word.strip("+-.")[:1].isdigit() or word.strip("+-.").lower() in ("inf", "nan")


def test_lines_of_yaml_are_told() -> None:
    _, lines = read_yaml(
        "name: x\ngates:\n  - check: includes\n    value: sun\n  - {check: excludes, value: x}\n", SOURCE
    )
    assert lines["name",] == 1
    assert lines["gates", 0] == 3
    assert lines["gates", 0, "value"] == 4
    assert lines["gates", 1, "value"] == 5


def test_an_anchor_gives_the_same_value_wherever_it_is_named() -> None:
    assert yaml("a: &x {b: 1}\nc: *x\n") == {"a": {"b": 1}, "c": {"b": 1}}


def test_anchors_that_double_again_and_again_take_no_time() -> None:
    lines = ["a0: &a0 [x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60))]
    assert set(yaml("\n".join(lines))) == {f"a{n}" for n in range(60)}  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("a: 1\nb: !!python/object:os.system x\n", 2, "tag"),
        ("a: !thing x\n", 1, "tag !thing"),
        ("a: 1\na: 2\n", 2, "'a' stands there twice"),
        ("a: 1\nb: [1\n", 3, "not valid YAML"),
        ("a: &x [*x]\n", 1, "within itself"),
        ("a: 1\n[1, 2]: 3\n", 2, "one word"),
        ("a: 'x\n", 2, "not valid YAML"),
    ],
)
def test_what_is_no_plain_yaml_is_refused_with_its_line(text: str, line: int, told: str) -> None:
    with pytest.raises(FileFault, match=told) as raised:
        yaml(text)
    assert raised.value.place.line == line


@pytest.mark.parametrize("content", ["name = 'x'\r\n\r\nbad =\r\n", "name = 'x'\n\nbad =\n"])
def test_what_is_no_toml_is_refused_with_its_line(desk: Desk, content: str) -> None:
    with pytest.raises(FileFault, match=r"bad\.toml:3: this is not valid TOML") as raised:
        loaded(desk, "bad.toml", content)
    assert "at line" not in raised.value.fault


@pytest.mark.parametrize(
    ("name", "content"), [("x.toml", "name = 'größe'"), ("x.yaml", "name: größe"), ("x.yml", "{name: größe}")]
)
def test_files_are_utf_8_with_or_without_a_mark_at_their_start(desk: Desk, name: str, content: str) -> None:
    assert loaded(desk, name, content).values == {"name": "größe"}
    assert loaded(desk, name, "\ufeff" + content).values == {"name": "größe"}
    desk.write(name, content.encode("latin-1"))
    with pytest.raises(FileFault, match=rf"{name}:1: this is not UTF-8"):
        load(name, desk.folder)


@pytest.mark.parametrize("content", ["", "- a\n", "just a text\n", "12\n"])
def test_a_yaml_file_without_keys_is_refused(desk: Desk, content: str) -> None:
    with pytest.raises(FileFault, match="an evaluation has keys"):
        loaded(desk, "x.yaml", content)


def test_an_evaluation_is_called_like_its_file_unless_it_says(desk: Desk) -> None:
    assert loaded(desk, "returns.toml", "").name == "returns"


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("missing.toml", "there is no such file"),
        ("evaluatoin.toml", r"there is no such file. Did you mean 'evaluation.toml'\?"),
        ("folder.toml", "this is a folder"),
        ("x.txt", "ends in .toml, .yaml or .yml"),
        ("nothing", "there is no such file"),
        (
            "no_such_module:thing",
            "no_such_module cannot be imported: ModuleNotFoundError.*Python looked beside the file",
        ),
        ("evaluation_code:thign", "evaluation_code has no thign. Did you mean 'thing'"),
        ("evaluation_code:number", "a mapping, or a function that gives one; found int"),
        ("evaluation_code:raises", "calling it failed: RuntimeError: no luck"),
        ("evaluation_code:leaves", "calling it failed: SystemExit"),
        ("evaluation_code:keys", "the keys of an evaluation are texts"),
        ("evaluation_breaks:thing", "evaluation_breaks cannot be imported: ZeroDivisionError"),
        ("no_such.py:thing", "there is no file no_such.py"),
        ("evaluation_code:", "names no Python object"),
        ("a b:thing", "names no Python object"),
    ],
)
def test_what_cannot_be_loaded_is_refused_in_a_sentence(desk: Desk, spec: str, told: str) -> None:
    desk.write("evaluation.toml", "")
    desk.write("x.txt", "")
    (desk.folder / "folder.toml").mkdir()
    desk.write(
        "evaluation_code.py",
        "number = 1\nthing = {}\nkeys = {1: 2}\n"
        "def raises(): raise RuntimeError('no luck')\ndef leaves(): raise SystemExit(1)\n",
    )
    desk.write("evaluation_breaks.py", "1 / 0\n")
    with importable([desk.folder]), pytest.raises(FileFault, match=told):
        load(spec, desk.folder)


@pytest.mark.parametrize(
    "spec", ["evaluation_here:made", "evaluation_here:given", "evaluation_here.py:made", "evaluation_here:Box.inner"]
)
def test_python_gives_a_mapping_or_makes_one(desk: Desk, spec: str) -> None:
    desk.write(
        "evaluation_here.py",
        "given = {'name': 'x'}\ndef made(): return given\nclass Box:\n    inner = given\n",
    )
    with importable([desk.folder]):
        found = load(spec, desk.folder)
    assert found.values == {"name": "x"}
    assert found.name == spec.rpartition(":")[2].rpartition(".")[2]


def test_two_files_of_one_name_are_two_modules(desk: Desk) -> None:
    desk.write("one/evaluation_twin.py", "given = {'name': 'one'}\n")
    desk.write("two/evaluation_twin.py", "given = {'name': 'two'}\n")
    names = [load(f"{folder}/evaluation_twin.py:given", desk.folder).values["name"] for folder in ("one", "two", "one")]
    assert names == ["one", "two", "one"]


def test_a_file_that_fails_to_import_is_tried_again(desk: Desk) -> None:
    desk.write("evaluation_again.py", "1 / 0\n")
    with pytest.raises(FileFault):
        load("evaluation_again.py:given", desk.folder)
    desk.write("evaluation_again.py", "given = {}\n")
    assert load("evaluation_again.py:given", desk.folder).values == {}
