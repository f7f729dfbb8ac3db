"""CSV as spreadsheets and programs write it: texts that stay texts, cells over several lines, rows that do not fit."""

from __future__ import annotations

import csv
import io
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from plugins.cli.tests.data_files import fault, items, lines, located, place_and_reason, written
from steelyard import EvalItem
from steelyard_cli._data.places import Skipped, UnreadableFile
from steelyard_cli._data.readers import csv as csv_reader
from steelyard_cli._data.readers import read_items


def test_a_row_is_an_item_and_an_empty_cell_is_no_value(tmp_path: Path) -> None:
    path = written(tmp_path, "data.csv", 'id,input,ground_truth,output\n1,a,x,y\n,b,,""\n')
    assert items(path) == [EvalItem(id="1", input="a", ground_truth="x", output="y"), EvalItem(input="b")]


def test_text_stays_text(tmp_path: Path) -> None:
    path = written(
        tmp_path, "data.csv", "id,input,ground_truth,output\n007,1.10,true,null\n1e3, no ,2024-01-01,nan\nx,y,[1],NaN\n"
    )
    assert [(item.id, item.input, item.ground_truth, item.output) for item in items(path)] == [
        ("007", "1.10", "true", "null"),
        ("1e3", " no ", "2024-01-01", "nan"),
        ("x", "y", "[1]", "NaN"),
    ]


def test_a_quoted_cell_may_hold_separators_quotes_and_line_ends(tmp_path: Path) -> None:
    path = written(
        tmp_path, "data.csv", 'input,output\n"a, ""b""\nc\r\n\n d",x\n"",y\n"e\u2028f",""""\n'.replace('\n"', '\r\n"')
    )
    assert [(each.item.input, each.item.output, each.line) for each in located(path)] == [
        ('a, "b"\nc\r\n\n d', "x", 2),
        (None, "y", 6),
        ("e\u2028f", '"', 7),
    ]


def test_byte_order_mark_carriage_returns_blank_lines_and_a_missing_last_line_end_do_not_matter(tmp_path: Path) -> None:
    """B163 B165"""
    path = written(tmp_path, "data.csv", "\ufeff\r\n input ,output\r\na,x\r\n\r\n  \r\n,\r\nb,y")
    assert [(each.item.input, each.item.output, each.line) for each in located(path)] == [("a", "x", 3), ("b", "y", 7)]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_cells_are_separated_by_what_separates_the_header(tmp_path: Path, separator: str) -> None:
    rows = [["input", "output"], ["a", "x,y;z\tw"], ["b", "y"]]
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator).writerows(rows)
    path = written(tmp_path, "data.csv", text.getvalue())
    assert [[item.input, item.output] for item in items(path)] == rows[1:]


def test_a_comma_in_the_header_separates_before_a_semicolon_does(tmp_path: Path) -> None:
    path = written(tmp_path, "data.csv", 'input,"note; long"\na,b\n')
    [item] = items(path, {"input": "input"})
    assert item.metadata == {"note; long": "b"}


def test_a_dotted_column_leads_into_metadata(tmp_path: Path) -> None:
    path = written(
        tmp_path, "data.csv", "input,metadata.lang,metadata.by.name,request_context.user\na,de,Ada,7\nb,,,\n"
    )
    assert items(path) == [
        EvalItem(input="a", metadata={"lang": "de", "by": {"name": "Ada"}}, request_context={"user": "7"}),
        EvalItem(input="b"),
    ]


def test_fields_that_cannot_be_a_text_are_json_in_their_cell(tmp_path: Path) -> None:
    rows = [
        {"input": "a", "metadata": '{"n": [1, 2]}', "context": '["one", "two"]', "metadata.lang": "de"},
        {"inputs": '["a", "b"]', "context": "[1] is a footnote", "request_context": '{"user": 7}'},
        {"turns": '[{"input": "a"}, "b"]', "context": "[1]"},
    ]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns)
    writer.writeheader()
    writer.writerows(rows)
    first, second, third = items(written(tmp_path, "data.csv", text.getvalue()))
    assert (first.metadata, first.context) == ({"n": [1, 2], "lang": "de"}, ["one", "two"])
    assert (second.inputs, second.context, second.request_context) == (["a", "b"], ["[1] is a footnote"], {"user": 7})
    assert ([turn.input for turn in third.turns or ()], third.context) == (["a", "b"], ["[1]"])


def test_a_cell_that_must_hold_json_and_does_not_is_a_bad_row(tmp_path: Path) -> None:
    path = written(tmp_path, "data.csv", "input,metadata\na,SECRET\n")
    assert place_and_reason(path) == (2, "the cell of metadata must hold JSON: no JSON: expecting value (character 1)")
    path = written(tmp_path, "data.csv", "input,metadata\na,17\n")
    assert place_and_reason(path) == (2, "metadata must be an object, found a number")


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("SECRET", "the row has 1 cell and the header 2 cells"),
        ("SECRET,b,c", "the row has 3 cells and the header 2 cells"),
        ('SECRET "quoted",b', "cell 1 has a quote in it; put the cell in quotes and double those inside"),
        ('a, "SECRET"', "cell 2 has a quote in it; put the cell in quotes and double those inside"),
        ('"SECRET"x,b', "text follows the closing quote of cell 1; double the quotes inside a cell"),
    ],
)
def test_a_row_that_does_not_fit_costs_itself_alone(tmp_path: Path, row: str, reason: str) -> None:
    path = written(tmp_path, "data.csv", f'input,output\n"a\n",x\n\n{row}\nb,y\n')
    assert place_and_reason(path) == (5, reason)
    skipped = Skipped()
    assert [item.output for item in items(path, skipped=skipped)] == ["x", "y"]
    assert lines(skipped) == [5]


def test_bytes_that_are_no_utf_8_are_named_with_their_line_within_a_cell_too(tmp_path: Path) -> None:
    path = written(tmp_path, "data.csv", b'input,output\na,x\n"SECRET\n\xe9,\n",y\nb,z\n')
    assert place_and_reason(path) == (4, "byte 1 of the line is not UTF-8; data files are UTF-8 whatever the locale")
    skipped = Skipped()
    assert [item.output for item in items(path, skipped=skipped)] == ["x", "z"]


def test_a_quote_that_is_never_closed_ends_the_reading_and_is_named_where_its_row_begins(tmp_path: Path) -> None:
    path = written(tmp_path, "data.csv", 'input,output\na,x\nb,"SECRET\nc,y\n')
    assert place_and_reason(path) == (3, "a cell that begins in this row has no closing quote")
    with pytest.raises(UnreadableFile):
        items(path, skipped=Skipped())


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("input,input", "the header has columns of one name: 'input'"),
        (",", "the first line must hold the names of the columns"),
        ('in"put,output', "the header: cell 1 has a quote in it; put the cell in quotes and double those inside"),
    ],
)
def test_a_header_that_cannot_be_one_is_refused(tmp_path: Path, header: str, reason: str) -> None:
    path = written(tmp_path, "data.csv", f"{header}\na,b\n")
    assert place_and_reason(path) == (1, reason)
    with pytest.raises(UnreadableFile):
        items(path, skipped=Skipped())


def test_a_column_without_a_name_may_only_be_empty(tmp_path: Path) -> None:
    path = written(tmp_path, "data.csv", "input,,\na,,\n")
    assert items(path) == [EvalItem(input="a")]
    path = written(tmp_path, "data.csv", ",input\n0,a\n")
    assert place_and_reason(path)[1].startswith("cell 1 stands in a column without a name")


@pytest.mark.parametrize("content", ["", "\n\n", "input,output\n", "input,output"])
def test_a_file_without_rows_has_no_items(tmp_path: Path, content: str) -> None:
    assert items(written(tmp_path, "data.csv", content)) == []


def test_a_cell_of_fifty_megabytes_is_a_text(tmp_path: Path) -> None:
    cell = b"x" * 25_000_000 + b"\n" + b"y" * 25_000_000
    path = written(tmp_path, "data.csv", b'input\n"' + cell + b'"\nb\n')
    assert [len(item.input) for item in items(path)] == [50_000_001, 1]


def test_memory_does_not_grow_with_the_number_of_rows(tmp_path: Path) -> None:
    def peak(rows: int) -> int:
        path = written(tmp_path, "data.csv", "input,output\n" + 'a,"b\nc"\nbad\n' * rows)
        tracemalloc.start()
        try:
            for _ in read_items(path, csv_reader, skipped=Skipped()):
                pass
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(8_000) < peak(400) + 50_000


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@given(
    rows=st.lists(st.tuples(CELLS.filter(lambda cell: not cell.isspace()), CELLS), max_size=5),
    line_end=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
    separator=st.sampled_from([",", ";", "\t"]),
)
def test_what_the_csv_module_writes_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], line_end: str, quoting: int, separator: str
) -> None:
    # Without quotes a last cell that ends in a carriage return is written just as the line end of another system.
    assume(quoting == csv.QUOTE_ALL or not any(last.endswith("\r") for _, last in rows))
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator=line_end, quoting=quoting, delimiter=separator)  # type: ignore[arg-type]
    writer.writerow(["input", "ground_truth"])
    writer.writerows(rows)
    path = written(tmp_path_factory.getbasetemp(), "law.csv", text.getvalue())
    assert [(item.input, item.ground_truth) for item in items(path)] == rows


def test_nothing_of_a_bad_header_is_taken_for_a_row(tmp_path: Path) -> None:
    found = fault(written(tmp_path, "data.csv", "question,answer\na,b\n"))
    assert found.line == 2
    assert "Did you mean 'input'?" in found.reason
