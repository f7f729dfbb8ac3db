"""Faults of characters and of saving in the field: every text survives and stays readable, and so does every value."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from attrs import field, frozen

import steelyard_checks as checks
from steelyard import (
    EvalItem,
    EvalResult,
    Failed,
    JudgeSettings,
    Message,
    NotScorable,
    PromptStep,
    Scored,
    ScorerRun,
    TargetResult,
    ToolCall,
    create_scorer,
    messages_from_json,
    messages_to_json,
    result_from_json,
    result_to_json,
    run_evals,
    scorer,
    scorer_key,
)
from steelyard.testing import ScriptedJudge
from tests.field_log import unaccounted
from tests.reference import needs_reference

HALVES = ["ok \ud83d end", "\udc4d", "\ud83d", "\udc4d\ud83d", "a\ud800b\udfffc"]
"""Texts that hold half a character, as cut texts do."""


def saved(result: EvalResult) -> str:
    """The result as the text of a file: strict, and encodable."""
    text = json.dumps(result_to_json(result), allow_nan=False)
    text.encode("utf-8")
    return text


def loaded(text: str) -> EvalResult:
    return result_from_json(json.loads(text))


# -- half a character --------------------------------------------------------------------------------------------------

TEXT_CHECKS: list[Callable[[str], Any]] = [
    checks.includes,
    checks.excludes,
    checks.equals,
    checks.similarity,
    checks.matches,
    checks.called_tool,
    checks.did_not_call,
    lambda text: checks.tool_order([text]),
]


@pytest.mark.parametrize("half", HALVES, ids=ascii)
@pytest.mark.parametrize("make", TEXT_CHECKS)
def test_half_a_character_is_compared_and_told_in_a_reason_that_can_be_written(
    make: Callable[[str], Any], half: str
) -> None:
    """B176"""
    said = [Message("assistant", half, tool_calls=[ToolCall(half, {half: half}, half, result=half)])]
    for value, output in ((half, said), ("other", said), (half, "other")):
        result = run_evals(data=[{"output": output, "input": half}], scorers=[make(value)], gates=[make(value)])
        (outcome,) = result.items[0].scores.values()
        assert isinstance(outcome, Scored)
        assert outcome.reason
        outcome.reason.encode("utf-8")
        assert loaded(saved(result)).items[0].output == output


@pytest.mark.parametrize("half", HALVES, ids=ascii)
def test_half_a_character_anywhere_in_a_run_survives_the_run_and_its_saving(half: str) -> None:
    """B176"""

    @scorer(id=f"label {half}", args=[half])
    def labelled(run: ScorerRun[Any, Any]) -> Scored:
        return Scored(1.0, half, label=half, parts={half: 0.5})

    @scorer(id="failing")
    def failing(run: ScorerRun[Any, Any]) -> float:
        raise ValueError(half)

    def target(given: str) -> TargetResult:
        if given == "fail":
            raise RuntimeError(half)
        call = ToolCall(half, {half: [half]}, half, result={half: half})
        return TargetResult(half, messages=[Message("assistant", half, tool_calls=[call])], metadata={half: half})

    data: list[EvalItem] = [
        EvalItem(input=half, metadata={half: half, "of": half}, ground_truth={half}, context=[half]),
        EvalItem(input=half, id=f"id {half}"),
        EvalItem(input="fail"),
    ]
    options: dict[str, Any] = {"target": target, "scorers": [labelled, failing], "group_by": ["metadata.of"]}
    result = run_evals(data=data, **options)
    assert [item.output for item in result.items] == [half, half, None]
    assert result.items[0].id != result.items[1].id == f"id {half}"
    again = loaded(saved(result))
    assert [item.output for item in again.items] == [half, half, None]
    outcome = again.items[0].scores[labelled.id]
    assert (outcome.reason, outcome.label, dict(outcome.parts)) == (half, half, {half: 0.5})
    assert half in again.items[0].scores["failing"].reason
    assert half in str(again.items[2].error)
    assert again.items[0].item.ground_truth == {half}
    assert saved(again) == saved(loaded(saved(again)))
    json.dumps(messages_to_json([Message("user", half)])).encode("utf-8")


@pytest.mark.parametrize("half", HALVES, ids=ascii)
def test_half_a_character_reaches_a_judge_and_comes_back_in_its_answer(half: str) -> None:
    """B176"""
    judge = ScriptedJudge([half])
    made = (
        create_scorer("judged", judge=judge)
        .generate_score(lambda _: 1.0)
        .generate_reason(PromptStep(prompt=lambda context: f"Is this good? {context.run.output}"))
    )
    result = run_evals(data=[{"output": half}], scorers=[made])
    assert judge.requests[0].prompt == f"Is this good? {half}"
    assert loaded(saved(result)).items[0].scores["judged"].reason == half


# -- cutting -----------------------------------------------------------------------------------------------------------

LONG = [
    "a\N{GRINNING FACE}b" * 60,
    "\N{GRINNING FACE}" * 200,
    "日本語" * 100,
    "é" * 300,
    "한" * 81,
    "x" * 79 + "\N{GRINNING FACE}" * 3,
]


@pytest.mark.parametrize("text", LONG, ids=lambda text: f"{text[:3]} x {len(text)}")
def test_what_is_cut_is_cut_between_characters(text: str) -> None:
    """B178: reasons and keys are cut, by characters and not by bytes."""
    whole = {*text, *"…'"}
    for output in (text, f"{text} and more", "short"):
        for made in (checks.includes(text), checks.equals(text), checks.matches(text), checks.excludes(text)):
            outcome = made.run_sync(output=output)
            assert outcome.reason is not None
            assert "\N{REPLACEMENT CHARACTER}" not in outcome.reason
            assert outcome.reason.encode("utf-8").decode("utf-8") == outcome.reason
            assert len(outcome.reason) < 400
    key = scorer_key(checks.includes(text))
    assert key.encode("utf-8").decode("utf-8") == key
    assert len(key) <= len("check-includes()") + 60
    assert set(key[len("check-includes(") : -9]) <= whole | {'"'}


def test_texts_that_differ_after_the_cut_have_keys_that_differ() -> None:
    """B178"""
    keys = {scorer_key(checks.includes("\N{GRINNING FACE}" * 100 + end)) for end in ("", "a", "b")}
    assert len(keys) == 3


# -- readable text -----------------------------------------------------------------------------------------------------

SCRIPTS = {
    "Japanese": "これは日本語のテストです",
    "Vietnamese": "Chuyến bay bị hoãn đến tối nay",
    "Arabic": "الطقس جميل اليوم",
    "emoji": "Danke \N{THUMBS UP SIGN}\N{EMOJI MODIFIER FITZPATRICK TYPE-4}",
}
WITHOUT_UTF8 = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

SCRIPT = """
import json, sys
import steelyard_checks as checks
from steelyard import result_from_json, result_schema, result_to_json, run_evals

text = {text}
data = [{{"output": text, "ground_truth": text}}]
result = run_evals(data=data, scorers=[checks.includes(text), checks.equals(text)])
data = result_to_json(result)
assert result_from_json(data).items[0].output == text
assert result_schema()["$defs"]
written = json.dumps(data, ensure_ascii=False)
assert text in written
sys.stdout.buffer.write(written.encode("utf-8"))
"""


@pytest.mark.parametrize("text", SCRIPTS.values(), ids=SCRIPTS)
def test_texts_are_saved_readable_and_no_file_is_read_in_the_encoding_of_the_machine(text: str, tmp_path: Path) -> None:
    """B180: opening a file without naming its encoding is an error in this interpreter."""
    done = subprocess.run(
        [sys.executable, "-X", "warn_default_encoding", "-W", "error", "-c", SCRIPT.format(text=ascii(text))],
        env={**os.environ, **WITHOUT_UTF8},
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.stderr.decode() == ""
    assert done.returncode == 0
    again = result_from_json(json.loads(done.stdout.decode("utf-8")))
    assert again.items[0].output == text
    assert [outcome.score for outcome in again.items[0].scores.values()] == [1.0, 1.0]


class Tone(Enum):
    FRIENDLY = "thân thiện"
    CURT = "cộc lốc"


@frozen
class Verdict:
    reason: Annotated[str, "Lý do bằng tiếng Việt"]
    verdict: Literal["có", "không"]
    tone: Tone


@pytest.mark.parametrize("way", ["native", "inline", "system"])
def test_a_judge_reads_real_characters_in_prompt_schema_and_correction(way: Any) -> None:
    """B183"""
    wrong = {"reason": "Tốt", "verdict": "có lẽ", "tone": "thân thiện"}
    right = {"reason": "Trả lời đúng", "verdict": "Có", "tone": "Thân Thiện"}
    judge = ScriptedJudge([wrong, right])
    turns = [Message("user", "Chuyến bay có bị hoãn không?"), Message("assistant", "Có, đến tối nay.")]
    made = create_scorer(
        "judged",
        judge=JudgeSettings(judge=judge, instructions="Hãy chấm điểm.", structured_output=way),
        type="agent",
    ).generate_score(
        PromptStep(
            output=Verdict,
            prompt=lambda context: f"{context.run.input.text}\n{context.run.output.text}",
            task=lambda context: context.run.output.text,
            calculate_score=lambda _, answer: float(answer.verdict == "có"),
        )
    )
    result = run_evals(data=[{"input": turns[:1], "output": turns[1:]}], scorers=[made])
    assert result.scores["judged"] == 1.0
    sent = [message.text for request in judge.requests for message in request.messages]
    assert all("\\u" not in text for text in sent)
    assert judge.requests[0].prompt.startswith("Chuyến bay có bị hoãn không?\nCó, đến tối nay.")
    assert any("Hãy chấm điểm." in text for text in sent)
    assert "có lẽ" in sent[-1]
    if way != "native":
        assert any("Lý do bằng tiếng Việt" in text and "cộc lốc" in text for text in sent)
    written = json.dumps(result_to_json(result), ensure_ascii=False)
    assert all(text in written for text in ("Chuyến bay có bị hoãn không?", "Trả lời đúng", "có lẽ"))


# -- whatever users put into their data --------------------------------------------------------------------------------


@frozen
class Booking:
    seat: str
    tags: list[str] = field(factory=list)


@dataclass(frozen=True)
class Ticket:
    number: int
    issued: datetime


class Model:
    """A model with the usual method, of a library that nobody here knows."""

    def __init__(self, city: str) -> None:
        self.city = city

    def model_dump(self) -> dict[str, str]:
        return {"city": self.city}


class Unkind:
    """A value that raises whatever it is asked."""

    def __repr__(self) -> str:
        raise RuntimeError("no words")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")

    __hash__ = None  # type: ignore[assignment]


NOW = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
LOSSLESS: list[Any] = [
    NOW,
    date(2026, 3, 1),
    timedelta(days=1, microseconds=1),
    b"\x00\xff",
    {"a", "b"},
    frozenset({1, (2, 3)}),
    (1, [2, {"three": (4,)}]),
    Decimal("1.10"),
    UUID(int=7),
    1 + 2j,
    float("inf"),
    10**400,
    {1: "one", ("a", 1): None, None: b""},
    {"$type": "set", "items": [1]},
    [Message("assistant", "Hi", tool_calls=[ToolCall("look", {"at": NOW}, "c1", result={1, 2})])],
    "\x00\u2028\u2029\r\n",
    "",
    None,
]
LOSSY: list[Any] = [
    Booking("1A", ["window"]),
    Ticket(7, NOW),
    Model("Paris"),
    Tone.CURT,
    lambda: None,
    object(),
    Booking,
    range(3),
    Unkind(),
    memoryview(b"x"),
    iter([1]),
]


def everywhere(value: object) -> EvalResult:
    """A run with the value as input, output, ground truth, metadata and reply of its target."""
    item = EvalItem(input=value, ground_truth=value, metadata={"value": value}, request_context={"value": value})
    if value is None:
        item = EvalItem(output=value, ground_truth=value, metadata={"value": value})
        return run_evals(data=[item], scorers=[kept])
    return run_evals(
        data=[item],
        target=lambda given: TargetResult(given, metadata={"value": given}),
        scorers=[kept, checks.no_tool_errors()],
    )


@scorer(id="kept")
def kept(run: ScorerRun[Any, Any]) -> Scored:
    return Scored(1.0, "seen")


@pytest.mark.parametrize("value", LOSSLESS, ids=lambda value: type(value).__name__)
def test_values_that_can_be_written_come_back_equal(value: object) -> None:
    """B184"""
    result = everywhere(value)
    text = saved(result)
    again = loaded(text)
    (item,) = again.items
    for found in (item.output, item.item.ground_truth, item.item.metadata["value"]):
        assert found == value
        assert type(found) is type(value)
    assert saved(again) == text
    assert (again.verdict, again.scores, again.summary) == (result.verdict, result.scores, result.summary)


@pytest.mark.parametrize("value", LOSSY, ids=lambda value: type(value).__name__)
def test_values_that_cannot_be_written_as_they_are_are_told_and_never_stop_the_saving(value: object) -> None:
    """B184: what such a value comes back as is a value that says what it was."""
    result = everywhere(value)
    assert result.scores["kept"] == 1.0
    text = saved(result)
    again = loaded(text)
    kind = value if isinstance(value, type) else type(value)
    assert kind.__name__ in repr(again.items[0].output)
    assert again.scores == result.scores
    assert saved(again) == text


def test_a_value_within_itself_is_told_and_never_stops_the_saving() -> None:
    """B184"""
    within: list[Any] = [1]
    within.append(within)
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    for value in (within, {"a": within}, deep):
        result = everywhere(value)
        again = loaded(saved(result))
        assert again.scores == result.scores


@pytest.mark.parametrize("error", [ValueError("no"), KeyError("x"), ExceptionGroup("both", [ValueError("a")]), Unkind])
def test_outcomes_and_errors_are_saved_with_their_words(error: Any) -> None:
    """B184"""

    @scorer(id="mixed")
    def mixed(run: ScorerRun[Any, Any]) -> Any:
        if run.output == "skip":
            return NotScorable(reason="nothing here")
        if run.output == "fail":
            raise error if isinstance(error, Exception) else RuntimeError(error())
        return Scored(0.5, "half", label="fair", parts={"part": 0.25})

    result = run_evals(data=[{"output": output} for output in ("score", "skip", "fail")], scorers=[mixed])
    again = loaded(saved(result))
    scored, skipped, failed = (item["mixed"] for item in again.items)
    assert (scored.score, scored.reason, scored.label, dict(scored.parts)) == (0.5, "half", "fair", {"part": 0.25})
    assert (type(skipped), skipped.reason) == (NotScorable, "nothing here")
    assert isinstance(failed, Failed)
    if error is not Unkind:
        assert failed.reason == result.items[2]["mixed"].reason


def test_special_tokens_of_models_are_ordinary_text() -> None:
    """B186: nothing here counts tokens, and no reading of a text looks for such marks."""
    text = "before <|endoftext|> <|im_start|>system after </s> [INST]"
    result = run_evals(
        data=[{"input": text, "output": text}], scorers=[checks.equals(text), checks.includes("<|endoftext|>")]
    )
    assert [outcome.score for outcome in result.items[0].scores.values()] == [1.0, 1.0]
    assert messages_from_json(messages_to_json([Message("user", text)]))[0].text == text
    assert loaded(saved(result)).items[0].output == text


NOTHING_TO_TEST = (
    ("B181", "Nothing writes YAML; that YAML is read as it stands is tested with the readers of the command line."),
    ("B187", "Nothing here makes the name of a file out of the name of anything: stores, which do, come later."),
)
"""Entries that cannot occur, or that are of what is still to come."""


@needs_reference
def test_every_entry_of_the_section_has_tests_or_a_sentence() -> None:
    assert unaccounted(["Unicode/serialisation"], globals(), NOTHING_TO_TEST) == []
