"""Columns of any name as fields of items: mapped on purpose, kept when unmapped, never dropped and never guessed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard import ConfigurationError
from steelyard_cli._data.columns import Columns
from steelyard_cli._data.places import BadRow


def fields(row: Mapping[str, object], **columns: str) -> dict[str, Any]:
    return Columns.of(columns).fields_of(row)


def mapped(row: Mapping[str, object], columns: Mapping[str, str]) -> dict[str, Any]:
    return Columns.of(columns).fields_of(row)


def reason(row: Mapping[str, object], columns: Mapping[str, str] | None = None) -> str:
    with pytest.raises(BadRow) as caught:
        Columns.of(columns).fields_of(row)
    return str(caught.value)


def refusal(columns: Any) -> str:
    with pytest.raises(ConfigurationError) as caught:
        Columns.of(columns)
    return str(caught.value)


def test_a_column_becomes_the_field_that_names_it() -> None:
    row = {"question": "q", "answer": "a", "language": "de"}
    columns = {"input": "question", "ground_truth": "answer", "metadata.lang": "language"}
    assert mapped(row, columns) == {"input": "q", "ground_truth": "a", "metadata": {"lang": "de"}}


def test_what_no_source_takes_goes_to_metadata_beside_what_is_there() -> None:
    row = {"question": "q", "topic": "t", "metadata": {"lang": "de"}, "id": "7", "a.b": 1, "empty": None}
    assert fields(row, input="question") == {
        "input": "q",
        "id": "7",
        "metadata": {"lang": "de", "topic": "t", "a.b": 1},
    }
    assert row["metadata"] == {"lang": "de"}


def test_a_mapped_field_beats_the_column_of_its_own_name_which_is_kept_as_metadata() -> None:
    assert fields({"input": "raw", "question": "q"}, input="question") == {"input": "q", "metadata": {"input": "raw"}}


def test_a_field_may_be_mapped_to_the_column_of_its_own_name() -> None:
    assert fields({"input": "q", "topic": "t"}, input="input") == {"input": "q", "metadata": {"topic": "t"}}


def test_one_column_may_be_two_fields() -> None:
    assert mapped({"q": "x"}, {"input": "q", "metadata.q": "q"}) == {"input": "x", "metadata": {"q": "x"}}


def test_a_path_leads_into_a_column_and_what_it_leaves_is_kept() -> None:
    row = {"item": {"question": "q", "answer": "a", "topic": "t"}, "sample": {"output_text": "o"}}
    columns = {"input": "item.question", "ground_truth": "item.answer", "output": "sample.output_text"}
    assert mapped(row, columns) == {
        "input": "q",
        "ground_truth": "a",
        "output": "o",
        "metadata": {"item": {"topic": "t"}},
    }


def test_a_path_takes_an_element_or_a_part_of_each() -> None:
    row = {"docs": [{"text": "one"}, {"text": "two"}], "choices": [["x", "y"]]}
    columns = {"context": "docs[].text", "output": "choices[0][1]", "metadata.all": "docs[]"}
    assert mapped(row, columns) == {
        "context": ["one", "two"],
        "output": "y",
        "metadata": {"all": row["docs"], "docs": row["docs"], "choices": row["choices"]},
    }


def test_a_column_whose_name_looks_like_a_path_is_taken_by_its_name() -> None:
    assert fields({"item.question": "q", "item": {"question": "x"}}, input="item.question")["input"] == "q"
    assert fields({"a[": "q"}, input="a[") == {"input": "q"}
    assert fields({"why?": "q"}, input="why??") == {"input": "q"}


def test_a_column_that_a_row_lacks_is_a_fault_unless_it_may_be_lacking() -> None:
    row = {"reply": "SECRET", "topic": "t"}
    assert reason(row, {"input": "question"}) == (
        "there is no 'question' for input, only 'reply', 'topic'. Write 'question?' if rows may lack it"
    )
    assert "no column at all" in reason({}, {"input": "question"})
    assert mapped(row, {"output": "reply", "input": "question?"}) == {"output": "SECRET", "metadata": {"topic": "t"}}
    assert fields({"item": None, "o": "x"}, output="o", input="item.question") == {"output": "x"}
    assert "there is no 'item.question'" in reason({"item": "SECRET"}, {"input": "item.question"})
    assert "there is no 'docs[].text'" in reason({"docs": [{"text": "a"}, {}]}, {"context": "docs[].text"})
    assert "there is no 'docs[1]'" in reason({"docs": ["a"]}, {"context": "docs[1]"})
    assert "there is no 'docs[]'" in reason({"docs": "SECRET"}, {"context": "docs[]"})


def test_a_whole_field_and_keys_in_it_come_together_whatever_their_order() -> None:
    row = {"language": "de", "extra": {"n": 1}}
    for columns in [
        {"metadata.lang": "language", "metadata": "extra"},
        {"metadata": "extra", "metadata.lang": "language"},
    ]:
        assert mapped(row, columns) == {"metadata": {"n": 1, "lang": "de"}}
    assert row["extra"] == {"n": 1}


def test_two_columns_for_one_place_are_a_fault() -> None:
    assert reason({"lang": "x", "l": "y"}, {"metadata.lang": "l"}) == "metadata.lang has a value from two columns"
    assert reason({"metadata": {"lang": "x"}, "metadata.lang": "y"}) == "metadata.lang has a value from two columns"
    assert reason({"metadata": "SECRET", "x": 1}, {"input": "x", "id": "x", "metadata.n": "x"}) == (
        "metadata must be an object, found a text"
    )


def test_without_columns_names_are_those_of_fields() -> None:
    row = {"input": "q", "metadata.by.name": "Ada", "metadata": {"lang": "de"}, "output": None, "id": float("nan")}
    assert fields(row) == {"input": "q", "metadata": {"lang": "de", "by": {"name": "Ada"}}}


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("question", "input"),
        ("expected_output", "ground_truth"),
        ("groundTruth", "ground_truth"),
        ("Actual Output", "output"),
        ("retrieved_contexts", "context"),
        ("inptu", "input"),
        ("meta_data", "metadata"),
    ],
)
def test_an_unknown_column_is_refused_with_the_field_that_it_may_be(name: str, field: str) -> None:
    assert reason({name: "SECRET"}) == (
        f"unknown field {name!r}. Did you mean {field!r}? Say which column is what, for example "
        f'columns = {{ {field} = "{name}" }}; with columns, all others go to metadata'
    )


def test_a_field_that_is_there_already_is_not_what_an_unknown_column_may_be() -> None:
    assert reason({"input": "SECRET", "prompt": "SECRET", "b": 1}) == (
        "unknown fields 'prompt', 'b'. Say which column is what, for example "
        'columns = { "metadata.prompt" = "prompt" }; with columns, all others go to metadata'
    )


def test_many_and_overlong_names_are_cut() -> None:
    told = reason({f"c{at}{'x' * 500}": 1 for at in range(500)})
    assert "and 492 more" in told
    assert len(told) < 1000


@pytest.mark.parametrize("name", ["gates", "scorers"])
def test_what_measures_cannot_be_in_data(name: str) -> None:
    assert reason({"input": "q", name: ["SECRET"]}) == f"'{name}' cannot be in data; name them in the evaluation file"
    assert "named in the evaluation file" in refusal({name: "x"})


def test_columns_that_cannot_be_mapped_are_refused() -> None:
    assert "an item has no field 'inptu'" in refusal({"inptu": "question"})
    assert refusal({"inptu": "question"}).endswith("Did you mean 'input'?")
    assert refusal({"lang": "language"}).endswith("Write 'metadata.lang' to keep it with the item.")
    assert "an item has no field 'input.text'" in refusal({"input.text": "question"})
    assert "an item has no field 'metadata.'" in refusal({"metadata.": "question"})
    for source in ["", "  ", "?", 3, None, ["question"]]:
        assert "must be the name of a column" in refusal({"input": source})


NAMES = st.sampled_from(["input", "output", "id", "ground_truth", "question", "lang", "x.y", "a b"])


@given(
    names=st.lists(NAMES, min_size=1, unique=True),
    targets=st.lists(st.sampled_from(["input", "output", "ground_truth"]), min_size=1, unique=True),
    data=st.data(),
)
def test_with_columns_nothing_of_a_row_is_lost(names: list[str], targets: list[str], data: st.DataObject) -> None:
    row = {name: at for at, name in enumerate(names)}
    found = mapped(row, {target: data.draw(st.sampled_from(names)) for target in targets})
    kept = found.pop("metadata", {})
    assert {*found.values(), *kept.values()} == set(row.values())
    assert kept.keys() <= row.keys()
    assert targets == [target for target in targets if target in found]
