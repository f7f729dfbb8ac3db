"""What agents answered, for the tests of the checks: builders, strategies, and the number that a check gives."""

from __future__ import annotations

from typing import Any, TypeAlias

from hypothesis import settings
from hypothesis import strategies as st

from steelyard import AgentOutput, Failed, Message, NotScorable, Outcome, PipelineScorer, Scored, ScorerRun, ToolCall
from steelyard_checks._negation import Negation

AnyCheck: TypeAlias = PipelineScorer[Any, Any, Any, Any] | Negation[Any]

LAW = settings(deadline=None)

TOOLS = ("search", "fetch", "refund")

# Few letters, so that texts meet often: case pairs, folding that changes lengths, marks, white space, a lone surrogate.
LETTERS = "abAB ßſıİéΐΣςσ\u0301\u0130ﬁ한ᄒ\n\t🚀\ud83d"

texts = st.text(alphabet=LETTERS, max_size=12)
texts_to_find = st.text(alphabet=LETTERS, min_size=1, max_size=4)
answers = st.lists(texts, max_size=4)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from((0.0, 1.0, 0.5, 1e300)) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcé"), inner, max_size=3),
    max_leaves=8,
)
names = st.sampled_from(TOOLS)
states: st.SearchStrategy[Any] = st.sampled_from(("call", "partial-call", "result", "output-error"))


@st.composite
def calls(draw: st.DrawFn) -> list[Message]:
    """Messages with tool calls in every state, ids that may repeat, and other roles between."""
    messages = []
    for _ in range(draw(st.integers(0, 4))):
        made = [
            ToolCall(name, id=draw(st.sampled_from((None, "1", "2", "3"))), state=draw(states))
            for name in draw(st.lists(names, max_size=3))
        ]
        messages.append(Message("assistant", draw(st.sampled_from((None, "", "done"))), tool_calls=made))
    return messages


def said(*texts: str | list[str]) -> list[Message]:
    """One assistant message for each text; a list are the segments of one message."""
    return [Message("assistant", text) for text in texts]


def called(*names: str) -> list[Message]:
    """One assistant message for each name, in which that tool is called and answers."""
    return [Message("assistant", None, tool_calls=[ToolCall(name, result={"ok": True})]) for name in names]


def asked(name: str, **args: Any) -> Message:
    """An assistant message in which that tool is called with these arguments and answers."""
    return Message("assistant", None, tool_calls=[ToolCall(name, args, result={"ok": True})])


def outcome(check: AnyCheck, output: object, **item: Any) -> Outcome:
    """What becomes of the check on this output, with ``ground_truth`` and ``metadata`` of its item."""
    assert check.plain is not None
    seen = AgentOutput(output) if check.type == "agent" and isinstance(output, list) else output
    found = check.plain(ScorerRun(output=seen, **item))
    assert isinstance(found, Scored | NotScorable | Failed), found
    return found


def score(check: AnyCheck, output: object, **item: Any) -> float:
    """The check's number for this output."""
    found = outcome(check, output, **item)
    assert isinstance(found, Scored), found
    return found.score


def reason(check: AnyCheck, output: object, **item: Any) -> str:
    """The check's reason for its number."""
    found = outcome(check, output, **item)
    assert isinstance(found, Scored), found
    assert found.reason is not None
    return found.reason


def not_scored(check: AnyCheck, output: object, **item: Any) -> str:
    """Why the check gave no number, where there was nothing to measure."""
    found = outcome(check, output, **item)
    assert isinstance(found, NotScorable), found
    assert found.reason is not None
    return found.reason


def failure(check: AnyCheck, output: object, **item: Any) -> BaseException:
    """What kept the check from giving a number."""
    found = outcome(check, output, **item)
    assert isinstance(found, Failed), found
    return found.error
