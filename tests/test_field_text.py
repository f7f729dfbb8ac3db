"""Faults of text checks in the field: a text is compared as it stands, and a check says the same thing every time."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any
from unicodedata import normalize

import pytest
from attrs import frozen

import steelyard_checks as checks
from steelyard import (
    ConfigurationError,
    EvalItem,
    Failed,
    Message,
    PromptStep,
    ScorerRun,
    ScorerRunError,
    ToolCall,
    UnreadableOutput,
    arun_evals,
    create_scorer,
    from_item,
    run_evals,
    scorer,
)
from steelyard.testing import ScriptedJudge
from tests.field_log import unaccounted
from tests.reference import needs_reference


def score_of(made: Any, output: object) -> float:
    score = made.run_sync(output=output).score
    assert isinstance(score, float)
    return score


# -- patterns ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("RESULT=7", 1.0),
        ("RESULT=", 0.0),
        ("RESULT=71", 0.0),
        ("RESULT=17", 0.0),
        ("7", 0.0),
        ("", 0.0),
        ("RESULT=\n7", 0.0),
    ],
)
@pytest.mark.parametrize("exact", [True, False])
def test_a_wanted_value_stands_in_the_pattern_so_that_no_answer_is_none(answer: str, found: float, exact: bool) -> None:
    """B147"""
    assert score_of(checks.matches(r"RESULT=7\b", exact=exact), answer) == found
    item = EvalItem(output=answer, metadata={"pattern": r"RESULT=(7)\b"})
    made = checks.matches(from_item("metadata.pattern"), exact=exact)
    assert run_evals(data=[item], scorers=[made]).items[0]["check-matches"].score == found


@pytest.mark.parametrize(
    "pattern", [r"RESULT=(\d+)?", r"RESULT=(?:(\d+)|)", r"(RESULT)=(?P<number>\d*)", r"RESULT=\d*"]
)
def test_whether_a_group_captured_something_plays_no_part_as_the_check_says(pattern: str) -> None:
    """B147: a pattern whose number is optional asks for no number, and the check has no target to compare it with."""
    assert score_of(checks.matches(pattern), "RESULT=") == score_of(checks.matches(pattern), "RESULT=7") == 1.0
    assert "Groups play no part" in " ".join((checks.matches.__doc__ or "").split())


@pytest.mark.parametrize(
    "make",
    [
        lambda: checks.matches("a.c"),
        lambda: checks.matches(re.compile("a.c")),
        lambda: checks.matches("A.C", flags="i"),
        lambda: checks.matches("a.c", exact=True),
        lambda: checks.includes("abc"),
        lambda: checks.equals("abc"),
        lambda: checks.similarity("abc", 1.0),
    ],
)
def test_one_check_object_says_the_same_however_often_and_from_however_many_items_it_is_asked(
    make: Callable[[], Any],
) -> None:
    """B160"""
    made = make()
    assert [score_of(made, answer) for answer in ("abc", "abc", "xyz", "abc", "xyz", "xyz", "abc")] == [
        1.0,
        1.0,
        0.0,
        1.0,
        0.0,
        0.0,
        1.0,
    ]

    async def target(at: int) -> str:
        await asyncio.sleep(0)
        return "xyz" if at % 2 else "abc"

    data = [{"input": at} for at in range(20)]
    for options in ({}, {"timeout": 30.0}):
        result = asyncio.run(arun_evals(data=data, target=target, scorers=[made], concurrency=20, **options))  # type: ignore[arg-type]
        assert [item[made.id].score for item in result.items] == [1.0, 0.0] * 10


@pytest.mark.parametrize(
    "flags", ["g", "y", "gi", "d", "v", "L", "I", " ", "i,m", 1 << 20, -1, True, None, 1.0, ["i"]], ids=repr
)
def test_unknown_flags_are_refused(flags: Any) -> None:
    """B160: in a pattern that was ported from elsewhere, "g" keeps a place between searches."""
    with pytest.raises(ConfigurationError, match=r"matches\(flags=\)"):
        checks.matches("abc", flags=flags)


# -- whole texts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("dog bites man", "man bites dog"),
        ("no no", "no"),
        ("no", "no no"),
        ("a  b", "a b"),
        ("a b ", "a b"),
        ("a b", "ab"),
        ("a, b", "b, a"),
        ("a\nb", "a b"),
        ("", " "),
        ("not good", "good"),
        ("1", "1.0"),
    ],
)
@pytest.mark.parametrize("ignore_case", [True, False])
def test_texts_of_the_same_words_in_another_order_or_number_are_not_equal(
    one: str, other: str, ignore_case: bool
) -> None:
    """B149"""
    for value, answer in ((one, other), (other, one)):
        made = checks.equals(value, ignore_case=ignore_case)
        assert score_of(made, answer) == 0.0
        assert score_of(made, value) == 1.0
        assert score_of(checks.matches(re.escape(value), exact=True), answer) == 0.0


AWKWARD = [
    "1,000",
    "(A)",
    "A, B, and C",
    "A,",
    "a|b",
    "x; y",
    "two\nlines",
    " padded ",
    "[1, 2]",
    '"quoted"',
    "{}",
    "7",
]


@pytest.mark.parametrize("text", AWKWARD, ids=repr)
@pytest.mark.parametrize("make", [checks.equals, checks.includes, lambda value: checks.similarity(value, 1.0)])
def test_an_accepted_answer_is_neither_split_nor_trimmed(make: Callable[[Any], Any], text: str) -> None:
    """B152"""
    made = make(from_item("ground_truth"))
    data = [
        EvalItem(output=text, ground_truth=[text]),
        EvalItem(output=text, ground_truth=text),
        EvalItem(output=text, ground_truth=["something else", text]),
        EvalItem(output=text, ground_truth=("something else",)),
    ]
    result = run_evals(data=data, scorers=[made])
    assert [item[made.id].score for item in result.items] == [1.0, 1.0, 1.0, 0.0]


@pytest.mark.parametrize(("answer", "value"), [("1", "1,000"), ("000", "1,000"), ("A", "(A)"), ("(A", "(A)")])
def test_a_piece_of_an_accepted_answer_is_no_accepted_answer(answer: str, value: str) -> None:
    """B152"""
    made = checks.equals(from_item("ground_truth"))
    result = run_evals(data=[EvalItem(output=answer, ground_truth=[value])], scorers=[made])
    assert result.items[0][made.id].score == 0.0


# -- scripts -----------------------------------------------------------------------------------------------------------

TEXTS = [
    "",
    "好",
    "今天天气很好",
    "今天天气很好。",
    "สวัสดีครับ",
    "مرحبا بالعالم",
    "नमस्ते दुनिया",
    "한국어",
    "👩‍👩‍👧‍👦",
    "e\u0301",
    "\u200b",
    "\ufeff",
    "ok",
]
CHECKS: list[Callable[[str], Any]] = [
    checks.equals,
    checks.similarity,
    lambda value: checks.similarity(value, 0.5),
    lambda value: checks.matches(re.escape(normalize("NFC", value))),
    lambda value: checks.matches(re.escape(normalize("NFC", value)), exact=True),
    lambda value: checks.includes(value or "x"),
    lambda value: checks.excludes(value or "x"),
]


@pytest.mark.parametrize("make", CHECKS)
def test_text_checks_score_every_script_and_the_empty_answer(make: Callable[[str], Any]) -> None:
    """B154: the checks cut no text into words, so none needs spaces between them."""
    for value, answer in product(TEXTS, TEXTS):
        assert 0.0 <= score_of(make(value), answer) <= 1.0
    if make is not CHECKS[-1]:
        assert [score_of(make(text), text) for text in TEXTS if text] == [1.0] * (len(TEXTS) - 1)


def test_texts_without_spaces_are_alike_by_their_characters() -> None:
    """B154"""
    assert score_of(checks.similarity("今天天气很好"), "今天天气不好") == 2 * 3 / 10


# -- structured outputs ------------------------------------------------------------------------------------------------


@frozen
class Trip:
    city: str
    days: int = 3


@dataclass(frozen=True)
class Stay:
    city: str
    days: int = 3


class Place:
    """A model of a kind that nobody here knows."""

    def __init__(self, city: str) -> None:
        self.city = city


STRUCTURED: list[Any] = [{"city": "Paris", "days": 3}, Trip("Paris"), Stay("Paris"), Place("Paris")]
NAMES = ["dict", "Trip", "Stay", "Place"]


@pytest.mark.parametrize(("output", "name"), [*zip(STRUCTURED, NAMES, strict=True)], ids=NAMES)
def test_a_structured_output_never_turns_into_the_text_of_an_object(output: Any, name: str) -> None:
    """B157, B158: a check of an answer's words says that there are none to read."""
    for made in (checks.includes("Paris"), checks.excludes("Paris"), checks.equals("Paris"), checks.matches(".")):
        with pytest.raises(ScorerRunError) as raised:
            made.run_sync(output=output)
        assert isinstance(raised.value.__cause__, UnreadableOutput)
        failed = run_evals(data=[{"output": output}], scorers=[made]).items[0][made.id]
        assert isinstance(failed, Failed)
        assert name in failed.reason
        assert "reply=" in failed.reason


@pytest.mark.parametrize("output", STRUCTURED, ids=NAMES)
@pytest.mark.parametrize("recorded", [True, False])
def test_a_part_of_a_structured_output_is_checked_where_a_path_leads_to_it(output: Any, recorded: bool) -> None:
    """B158"""
    made = [checks.includes("Paris"), checks.equals("paris"), checks.excludes("London")]
    item = {"output": output} if recorded else {"input": "Where?"}
    target = None if recorded else lambda _: output
    for path in ("city", lambda found: found["city"] if isinstance(found, dict) else found.city):
        result = run_evals(data=[item], target=target, scorers=made, reply={"output": path})
        assert [outcome.score for outcome in result.items[0].scores.values()] == [1.0, 1.0, 1.0]
    for path in ("town", "city.name", "city[0]", "days[]"):
        result = run_evals(data=[item], target=target, scorers=made, reply={"output": path})
        assert isinstance(result.items[0].error, UnreadableOutput)


@pytest.mark.parametrize(
    "output", [*STRUCTURED, ["a", {"b": 1}], 7, None, b"bytes"], ids=lambda one: type(one).__name__
)
def test_a_judges_prompt_is_made_of_the_output_as_it_is(output: Any) -> None:
    """B157: the object itself reaches the scorer that writes the prompt, and nothing is written for it unasked."""
    seen: list[object] = []

    def prompt(context: Any) -> str:
        seen.append(context.run.output)
        return "Is it good?"

    judge = ScriptedJudge(lambda request: "Because.")
    made = create_scorer("judged", judge=judge).generate_score(lambda _: 1.0).generate_reason(PromptStep(prompt=prompt))
    assert run_evals(data=[{"output": output}], scorers=[made]).scores["judged"] == 1.0
    assert len(seen) == 1
    assert seen[0] is output
    assert [message.text for message in judge.requests[0].messages] == ["Is it good?"]


@pytest.mark.parametrize("prompt", [{"question": "Is it good?"}, Trip("Paris"), ["Is it good?"], None, b"Is it good?"])
def test_a_prompt_that_is_no_text_is_a_failure_and_is_not_sent(prompt: Any) -> None:
    """B157"""
    judge = ScriptedJudge(lambda request: "Because.")
    made = (
        create_scorer("judged", judge=judge)
        .generate_score(lambda _: 1.0)
        .generate_reason(PromptStep(prompt=lambda _: prompt))
    )
    failed = run_evals(data=[{"output": "x"}], scorers=[made]).items[0]["judged"]
    assert isinstance(failed, Failed)
    assert type(prompt).__name__ in failed.reason
    assert judge.requests == []


NESTED: list[tuple[Any, Any]] = [
    ({"a": [{"b": 1, "c": [True, None]}]}, {"a": [{"c": [True, None], "b": 1}]}),
    ({"x": 1, "y": {"z": 2, "w": 3}}, {"y": {"w": 3, "z": 2}, "x": 1}),
    ([{"k": "v", "l": ["m"]}], [{"l": ["m"], "k": "v"}]),
]


@pytest.mark.parametrize(("one", "other"), NESTED)
def test_equal_structures_are_one_thing_whatever_the_order_of_their_keys(one: Any, other: Any) -> None:
    """B161: items of the same input are occurrences of one item, and a scorer compares by value."""

    @scorer
    def same(run: ScorerRun[Any, Any]) -> bool:
        return bool(run.output == run.ground_truth)

    data = [{"input": one, "ground_truth": other}, {"input": other, "ground_truth": one}, {"input": [one]}]
    result = run_evals(data=data, target=lambda given: given, scorers=[same])
    assert [item["same"].score for item in result.items] == [1.0, 1.0, 0.0]
    first, second, different = [item.id.rpartition("-")[0] for item in result.items]
    assert first == second != different


@pytest.mark.parametrize(("one", "other"), NESTED)
def test_calls_with_equal_arguments_are_equal_whatever_the_order_of_their_keys(one: Any, other: Any) -> None:
    """B161"""

    def said(args: object) -> Message:
        return Message("assistant", None, tool_calls=[ToolCall("search", args, "c1", result=args)])

    assert said(one) == said(other)
    assert said(one) != said([one, other])


NOTHING_TO_TEST = (
    ("B151", "No check splits an answer at commas or the word and: contains_all is given its texts one by one."),
    ("B156", "is_json takes a structured output as the JSON it is; the tests of the checks package show each case."),
)
"""Entries that cannot occur, or that are of what is still to come."""


@needs_reference
def test_every_entry_of_the_section_has_tests_or_a_sentence() -> None:
    assert unaccounted(["Text check"], globals(), NOTHING_TO_TEST) == []
