"""Results of small evaluations for the tests of the reports, built and generated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from io import StringIO, TextIOWrapper
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from steelyard import (
    EvalItem,
    EvalResult,
    ItemResult,
    PassRate,
    Scale,
    Scored,
    Scorer,
    ScorerRun,
    ShareOfItems,
    Threshold,
    Tracked,
    not_scorable,
    run_evals,
    scorer,
)
from steelyard_cli._report import Report, print_report

LAW = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])

NAMES = (
    "tone",
    "日本語の採点者",
    "مرحبا بالعالم",
    'check-includes("a, b", ignore_case=false)',
    "[bold red]loud[/bold red]",
    "a|b`c\\d",
    "=cmd('x')!A1",
    "👩‍👩‍👧 family",
    "-lead",
)
REASONS = (
    None,
    "fine",
    "=1+1",
    "two\nlines\tand \x1b[31mred\x1b[0m",
    "half \ud83d of it",
    "<b>&amp; ]]> \x00 \ufffe",
    "@everyone | `code` [link](x)",
    "'quoted",
)
NONE, ERROR = "not scorable", "error"
NO_ENVIRONMENT: Mapping[str, str] = {}


def scripted(id: str, scale: Scale | None = None) -> Scorer:
    """A scorer that gives what the item's metadata says under its id: a number, nothing to score, or an error."""

    def score(run: ScorerRun[Any, Any]) -> object:
        told = run.metadata.get(id, NONE)
        if told == NONE:
            return not_scorable("nothing to see")
        if told == ERROR:
            raise RuntimeError("the judge is out")
        return Scored(told, run.metadata.get("reason"), label=run.metadata.get("label"), parts={"half": told / 2})

    made: Any = scorer(id=id, scale=Scale() if scale is None else scale)
    return made(score)  # type: ignore[no-any-return]


def target(question: Any) -> str:
    """An agent that fails where the question says so."""
    if isinstance(question, str) and question.startswith("fail"):
        raise ConnectionError(f"no answer to {question}")
    return "an answer"


def item(number: int, /, **told: object) -> EvalItem:
    """An item whose metadata says what scorers give; with ``fails=True`` the target fails on it."""
    fails = told.pop("fails", False)
    return EvalItem(input=f"{'fail ' if fails else ''}question {number}", id=f"item-{number}", metadata=told)


def evaluated(
    data: Sequence[EvalItem], scorers: Sequence[object] = (), gates: Sequence[object] = (), **more: Any
) -> EvalResult:
    """The result of the scripted scorers over the items."""
    return run_evals(data=data, target=target, scorers=scorers, gates=gates, **more)


def of_scores(*scores: object, **more: Any) -> EvalResult:
    """The result of one scorer, ``tone``, over items with these scores; ``as_`` makes an entry of it."""
    as_: Callable[[Scorer], object] = more.pop("as_", lambda made: made)
    scale = more.pop("scale", None)
    gate = more.pop("gate", False)
    entries = [as_(scripted("tone", scale))]
    data = [item(number, tone=score) for number, score in enumerate(scores)]
    return evaluated(data, () if gate else entries, entries if gate else (), **more)


def report_of(result: EvalResult, **more: Any) -> Report:
    """The report under a plain name."""
    return Report.of(result, **{"name": "support", **more})


class Terminal(StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def printed(
    report: Report, width: int = 120, encoding: str = "utf-8", environment: Mapping[str, str] = NO_ENVIRONMENT
) -> str:
    """What goes into a pipe of that encoding."""
    from io import BytesIO

    raw = BytesIO()
    stream = TextIOWrapper(raw, encoding=encoding, newline="\n")
    print_report(report, stream, width=width, environment=environment)
    stream.flush()
    return raw.getvalue().decode(encoding)


def drawn(report: Report, width: int = 120, environment: Mapping[str, str] = NO_ENVIRONMENT) -> str:
    """What goes to a terminal."""
    stream = Terminal()
    print_report(report, stream, width=width, environment={"TERM": "xterm-256color", **environment})
    return stream.getvalue()


# -- generated ---------------------------------------------------------------------------------------------------------

told = st.one_of(
    st.sampled_from((0.0, 0.1, 0.25, 1 / 3, 0.7, 0.999999, 1.0)), st.floats(0, 1), st.sampled_from((NONE, ERROR))
)
ids = st.text(alphabet="ab\n\x1b=' |\ud83d日م", min_size=1, max_size=6).filter(str.strip)


@st.composite
def results(draw: st.DrawFn) -> EvalResult:
    """The result of a few scorers, gates and bounds over a few items, some of which fail."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    made = [scripted(name, draw(st.sampled_from((Scale(), Scale(0, 1, "lower"))))) for name in names]
    n_gates = draw(st.integers(0, len(made)))
    gates = [draw(st.sampled_from((each, ShareOfItems(each, 0.5)))) for each in made[:n_gates]]
    entries = [draw(_entries(each)) for each in made[n_gates:]]
    item_ids = draw(st.lists(ids, min_size=1, max_size=6, unique=True))
    data = [
        EvalItem(
            input="fail" if draw(st.integers(0, 5)) == 5 else "question",
            id=id,
            metadata={
                **{name: draw(told) for name in names},
                "reason": draw(st.sampled_from(REASONS)),
                "label": draw(st.sampled_from((None, "good", "=bad"))),
                "lang": draw(st.sampled_from(("de", "日本"))),
            },
        )
        for id in item_ids
    ]
    return evaluated(data, entries, gates, group_by=draw(st.sampled_from(((), ("metadata.lang",)))))


def _entries(made: Scorer) -> st.SearchStrategy[object]:
    bound = st.sampled_from((0.0, 0.25, 0.5, 0.7, 1.0))
    return st.one_of(
        st.just(made),
        bound.map(lambda pass_at: Tracked(made, pass_at=pass_at)),
        bound.map(lambda low: Threshold(made, min=low)),
        bound.map(lambda high: Threshold(made, max=high, pass_at=0.5)),
        bound.map(lambda low: Threshold(made, min=low / 2, part="half")),
        bound.map(lambda share: PassRate(made, share, pass_at=0.5)),
    )


def completed(result: EvalResult) -> Sequence[ItemResult]:
    """The items in the order of an evaluation that worked on several at once."""
    return [*result.items[1::2], *result.items[::2]]
