"""A refusal is what the provider recorded as one."""

from __future__ import annotations

import pytest

import steelyard_checks as checks
from checks.tests.answers import called, reason, said, score
from steelyard import Message, run_evals

NO = Message("assistant", None, refusal="I cannot help with that.")


def test_the_last_message_is_recorded_as_a_refusal() -> None:
    assert score(checks.refused(), [*said("Let me see."), NO]) == 1.0
    assert score(checks.refused(), [NO, Message("user", "Please!")]) == 1.0
    assert score(checks.refused(), [NO, *said("Here it is.")]) == 0.0
    assert score(checks.not_(checks.refused()), said("Here it is.")) == 1.0


@pytest.mark.parametrize("text", ["I'm sorry, but I cannot help with that.", "Nein.", ""])
def test_words_alone_are_no_refusal_in_any_language(text: str) -> None:
    assert score(checks.refused(), said(text)) == 0.0
    assert score(checks.refused(), [Message("assistant", text, refusal="")]) == 0.0


def test_the_field_is_read_in_recorded_messages_too() -> None:
    item = {"output": [{"role": "assistant", "content": None, "refusal": "No."}]}
    assert run_evals(data=[item], gates=[checks.refused()]).verdict == "passed"


def test_the_reason_shows_the_refusal_or_that_none_is_recorded() -> None:
    assert reason(checks.refused(), [NO]) == "The last message is a refusal: 'I cannot help with that.'."
    assert reason(checks.refused(), called("search")) == "The last message records no refusal."
    assert reason(checks.refused(), [Message("user", "?")]) == "There is no message of the agent."
