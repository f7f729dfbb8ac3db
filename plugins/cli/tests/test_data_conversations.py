"""Recorded conversations as items, by whatever extractor reads them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import steelyard_checks as checks
from plugins.cli.tests.data_files import Installed, lines, written
from plugins.cli.tests.test_data_readers import Plugins
from steelyard import (
    BrokenPlugin,
    ConfigurationError,
    Conversation,
    Message,
    Trajectory,
    UnknownPlugin,
    Usage,
    messages_from_json,
    run_evals,
)
from steelyard_cli._data.conversations import extractor_for, read_conversations
from steelyard_cli._data.places import DataFault, Skipped, UnreadableFile

TALK = [
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": "Hi"},
    {"role": "user", "content": "Bye"},
]


def extract(record: Any) -> Conversation:
    """Reads ``{"id", "messages"}`` or the messages alone; refuses anything else."""
    if isinstance(record, list):
        record = {"messages": record}
    if "messages" not in record:
        raise ConfigurationError("a record has messages")
    messages = messages_from_json(record["messages"])
    usage = Usage(input_tokens=3)
    return Conversation(messages=messages, id=record.get("id"), metadata={"n": len(messages)}, usage=usage)


class Cutting:
    """The same, for files whose content it cuts into records itself."""

    def __init__(self) -> None:
        self.given: list[object] = []

    def __call__(self, record: object) -> Conversation:
        return extract(record)

    def split(self, data: Any) -> Iterable[object]:
        self.given.append(data)
        if isinstance(data, dict):
            return list(data["records"])
        return [data[:2], *data[2:]] if data and "role" in data[0] else data


def test_a_record_is_an_item_of_what_was_given_and_what_followed(tmp_path: Path) -> None:
    path = written(tmp_path, "log.jsonl", "\n" + json.dumps({"id": "7", "messages": TALK}) + "\n")
    [located] = read_conversations(path, extract)
    item = located.item
    assert item.input == (Message("user", "Hello"),)
    assert item.output == (Message("assistant", "Hi"), Message("user", "Bye"))
    assert (item.id, item.metadata, located.line, located.path) == ("7", {"n": 3}, 2, path)
    assert located.record is not None
    assert (located.record.usage, located.record.trajectory) == (Usage(input_tokens=3), Trajectory())
    assert run_evals(data=[item], gates=[checks.includes("hi")]).verdict == "passed"


def test_each_line_is_a_record_and_a_json_file_is_one(tmp_path: Path) -> None:
    path = written(tmp_path, "log.jsonl", "".join(json.dumps(TALK) + "\n" for _ in range(3)))
    assert [each.line for each in read_conversations(path, extract)] == [1, 2, 3]
    path = written(tmp_path, "log.json", json.dumps(TALK, indent=2))
    [located] = read_conversations(path, extract)
    assert (located.item.metadata, located.line) == ({"n": 3}, 1)


def test_an_extractor_may_cut_a_file_into_records(tmp_path: Path) -> None:
    cutting = Cutting()
    path = written(tmp_path, "log.json", json.dumps({"records": [TALK, TALK]}))
    assert [each.item.metadata["n"] for each in read_conversations(path, cutting)] == [3, 3]
    path = written(tmp_path, "log.jsonl", "\n".join(json.dumps(line) for line in [*TALK[:2], {"messages": TALK}]))
    assert [(each.item.metadata["n"], each.line) for each in read_conversations(path, cutting)] == [(2, 1), (3, 3)]
    assert cutting.given == [{"records": [TALK, TALK]}, [*TALK[:2], {"messages": TALK}]]


@pytest.mark.parametrize("name", ["log.json", "log.jsonl"])
@pytest.mark.parametrize("content", ["", "\n \n", "\ufeff"])
def test_a_file_without_records_has_no_items_and_nothing_is_cut(tmp_path: Path, name: str, content: str) -> None:
    cutting = Cutting()
    assert list(read_conversations(written(tmp_path, name, content), cutting)) == []
    assert cutting.given == []


def test_a_record_that_cannot_be_read_is_named_and_can_be_passed_over(tmp_path: Path) -> None:
    rows = [json.dumps(TALK), '{"text": "SECRET"}', "17", "SECRET", json.dumps(TALK)]
    path = written(tmp_path, "log.jsonl", "\n".join(rows))
    with pytest.raises(DataFault) as caught:
        list(read_conversations(path, extract))
    assert str(caught.value) == f"{path}:2: the record cannot be read: a record has messages"
    skipped = Skipped()
    assert [each.line for each in read_conversations(path, extract, skipped=skipped)] == [1, 5]
    assert (skipped.count, lines(skipped)) == (3, [2, 3, 4])
    assert [fault.reason for fault in skipped][1:] == [
        "the record cannot be read: TypeError",
        "no JSON: expecting value (character 1)",
    ]
    assert "SECRET" not in "".join(map(str, skipped))


def test_a_json_file_that_is_no_json_is_named_with_its_line(tmp_path: Path) -> None:
    path = written(tmp_path, "log.json", '[{"role": "user",\n"content": SECRET}]')
    with pytest.raises(UnreadableFile) as caught:
        list(read_conversations(path, extract, skipped=Skipped()))
    assert str(caught.value) == f"{path}:2: no JSON: expecting value (character 12)"


def test_a_bad_record_of_a_json_list_is_named_with_the_line_on_which_it_begins(tmp_path: Path) -> None:
    records = [json.dumps(TALK), '{"messages": "SECRET"}', '{"a": 1, "a": 2}', json.dumps(TALK)]
    path = written(tmp_path, "log.json", "[\n" + ",\n".join(records) + "]")
    skipped = Skipped()
    read = list(read_conversations(path, Cutting(), skipped=skipped))
    assert [each.line for each in read] == [2, 5]
    assert sorted((fault.line or 0, fault.reason) for fault in skipped) == [
        (3, "the record cannot be read: Messages must be a list of objects, found str."),
        (4, "an object has the key 'a' twice"),
    ]


def test_a_file_that_cannot_be_cut_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, "log.json", '{"SECRET": 1}')
    with pytest.raises(UnreadableFile) as caught:
        list(read_conversations(path, Cutting(), skipped=Skipped()))
    assert str(caught.value) == f"{path}: it cannot be cut into records: KeyError"


def test_an_extractor_that_gives_no_conversation_is_at_fault_for_the_whole_file(tmp_path: Path) -> None:
    def odd(record: object) -> Any:
        return record

    path = written(tmp_path, "log.jsonl", json.dumps(TALK))
    with pytest.raises(UnreadableFile, match="gave a value of type list, not a Conversation"):
        list(read_conversations(path, odd, skipped=Skipped()))


def test_lines_are_read_one_by_one(tmp_path: Path) -> None:
    path = written(tmp_path, "log.jsonl", (json.dumps(TALK) + "\n") * 2 + "SECRET\n")
    given = read_conversations(path, extract)
    assert [next(given).line, next(given).line] == [1, 2]
    with pytest.raises(DataFault):
        next(given)


def test_the_format_is_told_by_the_name_or_given(tmp_path: Path) -> None:
    path = written(tmp_path, "log.txt", json.dumps(TALK))
    for name in [path, "log.csv", "log"]:
        with pytest.raises(ConfigurationError, match="recorded conversations are read from JSON or JSONL"):
            read_conversations(name, extract)
    with pytest.raises(ConfigurationError):
        read_conversations(path, extract, format="yaml")
    assert [len(list(read_conversations(path, extract, format=format))) for format in ["json", "jsonl"]] == [1, 1]


def test_extractors_are_found_by_name() -> None:
    registry = Installed(chat=extract)
    assert extractor_for("chat", registry) is extract
    with pytest.raises(UnknownPlugin):
        extractor_for("chta", registry)


def test_what_is_no_extractor_is_a_broken_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = Installed(odd=17)
    monkeypatch.setattr(registry, "find", Plugins("extractors").find)
    with pytest.raises(BrokenPlugin, match="an object of type int cannot be called"):
        extractor_for("odd", registry)


def test_records_may_be_cut_lazily(tmp_path: Path) -> None:
    class Lazy(Cutting):
        def split(self, data: Any) -> Iterator[object]:
            yield from data

    path = written(tmp_path, "log.json", json.dumps([TALK, TALK]))
    assert len(list(read_conversations(path, Lazy()))) == 2
