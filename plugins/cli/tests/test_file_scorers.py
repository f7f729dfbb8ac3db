"""Scorers and gates are made of what a file says: by plugin name and options, with bounds, or from Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from attrs import frozen

import steelyard_checks as checks
from plugins.cli.tests.command_desk import Desk, outcome
from steelyard import (
    AgentScorers,
    EvalItem,
    PassRate,
    PromptStep,
    Registry,
    ShareOfItems,
    Threshold,
    Tracked,
    UnknownPlugin,
    WorkflowScorers,
    create_scorer,
    scorer_key,
)
from steelyard_cli._file.building import Built, build, open_evaluation
from steelyard_cli._file.loading import load
from steelyard_cli._file.options import factory_of
from steelyard_cli._file.places import FileFault
from steelyard_cli._file.references import importable


class Installed(Registry):
    """A registry that knows these scorers beside the checks that are installed."""

    def __init__(self, **scorers: object) -> None:
        super().__init__()
        self._scorers = scorers

    def names(self, kind: Any) -> tuple[str, ...]:
        return tuple(sorted(self._scorers)) if kind == "scorers" else super().names(kind)

    def load(self, kind: Any, name: str) -> object:
        if kind != "scorers":
            return super().load(kind, name)
        if name not in self._scorers:
            raise UnknownPlugin(kind, name, sorted(self._scorers))
        return self._scorers[name]


def built(desk: Desk, text: str, **scorers: object) -> Built:
    desk.write(
        "x.toml", f"data = [ {{ output = 'the sun', ground_truth = 'sun', metadata = {{ a = 'moon' }} }} ]\n{text}"
    )
    with importable([desk.folder]):
        return build(open_evaluation(load("x.toml", desk.folder)), registry=Installed(**scorers))


def fault(desk: Desk, text: str, **scorers: object) -> str:
    with pytest.raises(FileFault) as raised:
        built(desk, text, **scorers)
    return str(raised.value)


def test_a_check_is_named_with_its_options(desk: Desk) -> None:
    made = built(desk, "[[gates]]\ncheck = 'includes'\nvalue = 'Sun'\noptions = { ignore_case = false }\n")
    [gate] = made.options["gates"]
    assert scorer_key(gate) == scorer_key(checks.includes("Sun", ignore_case=False))
    assert outcome(made).gate_results[0].passed is False


def test_options_that_each_item_brings(desk: Desk) -> None:
    made = built(
        desk,
        "[[gates]]\ncheck = 'includes'\nvalue = { from_item = 'ground_truth' }\n"
        "[[gates]]\ncheck = 'includes'\nvalue.from_item = 'metadata.a'\n",
    )
    assert [gate.passed for gate in outcome(made).gate_results] == [True, False]


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ("min = 0.5", [Threshold]),
        ("max = 0", [Threshold]),
        ("share = 0", [PassRate]),
        ("pass_at = 1", [Tracked]),
        ("min = 0\nshare = 0.5\npass_at = 1", [Threshold, PassRate]),
    ],
)
def test_what_is_asked_of_an_average_becomes_a_bound(desk: Desk, bounds: str, expected: list[type]) -> None:
    made = built(desk, f"[[scorers]]\ncheck = 'includes'\nvalue = 'x'\n{bounds}\n")
    assert [type(each) for each in made.options["scorers"]] == expected  # type: ignore[union-attr]


def test_without_a_bound_a_scorer_is_tracked_as_it_is(desk: Desk) -> None:
    [alone] = built(desk, "[[scorers]]\ncheck = 'includes'\nvalue = 'x'\n").options["scorers"]  # type: ignore[misc]
    assert scorer_key(alone) == 'check-includes("x")'


def test_0_is_a_bound(desk: Desk) -> None:
    [bound] = built(desk, "[[scorers]]\ncheck = 'includes'\nvalue = 'x'\nmin = 0\n").options["scorers"]  # type: ignore[misc]
    assert isinstance(bound, Threshold)
    assert bound.min == 0


def test_a_gate_may_ask_for_a_share_of_the_items(desk: Desk) -> None:
    [gate] = built(desk, "[[gates]]\ncheck = 'includes'\nvalue = 'x'\nshare = 0.9\n").options["gates"]
    assert isinstance(gate, ShareOfItems)
    assert gate.share == 0.9


def test_entries_that_are_alike_but_for_their_bounds_are_one_scorer(desk: Desk) -> None:
    made = built(
        desk,
        "group_by = ['metadata.a']\n"
        "[[scorers]]\ncheck = 'includes'\nvalue = 'x'\nmin = 0\n"
        "[[scorers]]\ncheck = 'includes'\noptions.value = 'x'\nmax = 0.5\nslice = 'metadata.a=moon'\n",
    )
    assert [bound.passed for bound in outcome(made).threshold_results] == [True, True]


def test_groups_of_an_agent_and_of_a_workflow(desk: Desk) -> None:
    agent = built(desk, "[[scorers.agent]]\ncheck = 'includes'\nvalue = 'x'\nmin = 0\n").options["scorers"]
    assert isinstance(agent, AgentScorers)
    assert isinstance(agent.agent[0], Threshold)
    workflow = built(desk, "[[scorers.steps.find]]\ncheck = 'includes'\nvalue = 'x'\n").options["scorers"]
    assert isinstance(workflow, WorkflowScorers)
    assert list(workflow.steps) == ["find"]


def test_not_turns_a_check_round(desk: Desk) -> None:
    made = built(desk, "[[gates]]\nnot = { check = 'includes', value = 'moon' }\n[[gates]]\nnot.check = 'refused'\n")
    found = outcome(made)
    assert [gate.passed for gate in found.gate_results] == [True, True]
    assert found.gate_results[0].key == scorer_key(checks.not_(checks.includes("moon")))


PYTHON = """
from steelyard import Scale, ShareOfItems, create_scorer, scorer

@scorer(type="agent")
def short(run):
    return len(run.output.text) < 10

def shorter_than(limit: int, *, unit: str = "characters"):
    @scorer(id=f"shorter-than-{limit}", type="agent")
    def check(run):
        return len(run.output.text) < limit
    return check

def bare(run):
    return 1.0

def nothing():
    return 5

def fails():
    raise RuntimeError("no luck")

class Strict:
    scorer = short
    def passed(self, n_best, n_scored, n_not_scorable, n_failed):
        return n_best == 1

gate = Strict()
number = 1

def judged(run):
    return 1.0
"""


def test_python_gives_a_scorer_or_makes_one(desk: Desk) -> None:
    desk.write("scorers_of_mine.py", PYTHON)
    made = built(
        desk,
        "[[gates]]\nscorer = 'python:scorers_of_mine:short'\n"
        "[[gates]]\nscorer = 'python:scorers_of_mine.py:shorter_than'\nlimit = 3\n",
    )
    assert [(gate.id, gate.passed) for gate in outcome(made).gate_results] == [
        ("short", True),
        ("shorter-than-3", False),
    ]
    with_rule = built(desk, "[[gates]]\nscorer = 'python:scorers_of_mine:gate'\n")
    assert [(gate.id, gate.passed) for gate in outcome(with_rule).gate_results] == [("short", True)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "[[gates]]\ncheck = 'inclodes'",
            "x.toml:3: gates[0].check: No check named 'inclodes' is installed. Did you mean 'includes'?",
        ),
        (
            "[[gates]]\ncheck = 'brevity'",
            "x.toml:3: gates[0].check: there is no check 'brevity', but a scorer of that name",
        ),
        (
            "[[gates]]\nscorer = 'includes'",
            "there is no scorer 'includes', but a check of that name: write check = \"includes\"",
        ),
        ("[[gates]]\ncheck = 'includes'", "x.toml:2: gates[0]: the check 'includes' needs the option 'value'."),
        (
            "[[gates]]\ncheck = 'includes'\nvalu = 'x'",
            "x.toml:4: gates[0].valu: the check 'includes': there is no such option. Did you mean 'value'?",
        ),
        (
            "[[gates]]\ncheck = 'no_tool_errors'\nvalue = 1",
            "x.toml:4: gates[0].value: the check 'no_tool_errors': it takes no options.",
        ),
        (
            "[[gates]]\ncheck = 'includes'\nvalue = 5",
            'x.toml:4: gates[0].value: expected a text or { from_item = "..." }, found 5.',
        ),
        ("[[gates]]\ncheck = 'includes'\noptions.value = 5", "x.toml:4: gates[0].options.value: expected a text"),
        ("[[gates]]\ncheck = 'includes'\nvalue = ''", "x.toml:2: gates[0]: includes(value=): the text is empty"),
        (
            "[[gates]]\ncheck = 'max_length'\nn = 5\nunit = 'lines'",
            "gates[0].unit: expected one of characters, words or",
        ),
        ("[[gates]]\ncheck = 'tool_order'\norder = 'a'", "expected a list of texts or { from_item"),
        (
            "[[gates]]\ncheck = 'includes'\nvalue = { from_item = 'truth' }",
            "gates[0].value: from_item('truth'): a path is one of",
        ),
        ("[[gates]]\ncheck = 'includes'\nvalue = { from_itme = 'x' }", "gates[0].value: expected a text or"),
        ("[[gates]]\ncheck = 'includes'\nvalue = 'x'\nmin = 1", "gates[0].min: min belongs to what is averaged"),
        (
            "[[scorers]]\ncheck = 'includes'\nvalue = 'x'\nmin = 2",
            "scorers[0]: Threshold(min=2): scorer 'check-includes' scores from 0 to 1.",
        ),
        ("[[scorers]]\ncheck = 'includes'\nvalue = 'x'\nmin = 0.5\nmax = 0.4", "min is above max"),
        (
            "[[scorers]]\ncheck = 'includes'\nvalue = 'x'\npart = 'tone'",
            "scorers[0].part: it says what min and max bound",
        ),
        (
            "[[scorers]]\ncheck = 'includes'\nvalue = 'x'\nslice = 'a=b'",
            "scorers[0].slice: it says what min, max or share",
        ),
        (
            "[[scorers]]\ncheck = 'includes'\nvalue = 'x'\njudge = 'a/b'\n",
            "scorers[0].judge: the check 'includes' asks no judge.",
        ),
        (
            "[[gates]]\nscorer = 'python:scorers_of_mine:bare'",
            "scorers_of_mine:bare needs the option 'run'. A function that scores needs @scorer",
        ),
        (
            "[[gates]]\nscorer = 'python:scorers_of_mine:nothing'",
            "scorers_of_mine:nothing gave no scorer, but an object of type int",
        ),
        (
            "[[gates]]\nscorer = 'python:scorers_of_mine:fails'",
            "scorers_of_mine:fails could not be made: RuntimeError: no luck.",
        ),
        (
            "[[gates]]\nscorer = 'python:scorers_of_mine:number'",
            "scorers_of_mine:number is no scorer, but of type int.",
        ),
        (
            "[[gates]]\nscorer = 'python:scorers_of_mine:short'\nlimit = 3",
            "gates[0].limit: scorers_of_mine:short is made already",
        ),
        (
            "[[gates]]\nscorer = 'python:scorers_of_mine:gate'\nshare = 1",
            "gates[0].share: this gate has a rule of its own.",
        ),
        (
            "[[scorers]]\nscorer = 'python:scorers_of_mine:gate'",
            "scorers[0]: scorers_of_mine:gate is a gate; put it among the gates.",
        ),
        (
            "[[gates]]\nscorer = 'python:scorers_of_mine:shorter_than'\nlimit = '3'",
            "gates[0].limit: expected a whole number, found the text",
        ),
        (
            "[[gates]]\ncheck = 'includes'\nvalue = 'x'\nwhen_given = true",
            "gates[0].when_given: the check 'includes' takes nothing from the items",
        ),
        (
            "[[scorers.agent]]\ncheck = 'includes'\nvalue.from_item = 'ground_truth'\nwhen_given = true",
            "scorers.agent[0].when_given: a scorer in a group is for all items",
        ),
        ("[[gates]]\nscorer = 'broken'", "the scorer 'broken' is no function, but of type int."),
        ("[[gates]]\nnot.check = 'inclodes'", "x.toml:3: gates[0].not.check: No check named 'inclodes'"),
    ],
)
def test_what_cannot_be_made_is_told_with_its_place(desk: Desk, text: str, told: str) -> None:
    desk.write("scorers_of_mine.py", PYTHON)
    installed = {"brevity": checks.refused, "broken": 5}
    assert told in fault(desk, text, **installed)


@frozen
class Answer:
    good: bool


def asks() -> object:
    step: PromptStep[Any, Answer] = PromptStep(
        description="Ask",
        output=Answer,
        prompt=lambda context: "Good?",
        calculate_score=lambda context, answer: answer.good,
    )
    return create_scorer("asks", "Whether a judge likes it", type="agent").generate_score(step)


def test_a_judge_of_its_own_goes_to_the_factory_or_to_the_scorer(desk: Desk) -> None:
    seen: list[object] = []

    def takes(*, judge: object = None) -> object:
        seen.append(judge)
        return checks.refused()

    made = built(desk, "[[gates]]\nscorer = 'takes'\njudge = 'acme/large'\n", takes=takes)
    assert seen == ["acme/large"]
    assert made.options["gates"]
    judge = "judge = { judge = 'acme/x', instructions = 'Be fair.' }"
    [gate] = built(desk, f"[[gates]]\nscorer = 'asks'\n{judge}\n", asks=asks).options["gates"]
    assert (gate.judge.judge, gate.judge.instructions) == ("acme/x", "Be fair.")  # type: ignore[attr-defined]


def test_a_plugin_whose_scorer_asks_nobody_has_no_judge(desk: Desk) -> None:
    class Constant:
        id = "constant"
        type = None
        scale = checks.refused().scale

        async def score(self, run: object, services: object) -> object:
            raise NotImplementedError

    assert "gates[0].judge: the scorer 'constant' asks no judge." in fault(
        desk, "[[gates]]\nscorer = 'constant'\njudge = 'acme/large'\n", constant=Constant
    )


def test_when_given_leaves_the_other_items_alone(desk: Desk) -> None:
    desk.write(
        "x.toml",
        """
data = [ { output = 'sun', metadata.must = 'sun', ground_truth = 'sun' }, { output = 'moon' } ]
[[gates]]
check = 'includes'
value = { from_item = 'metadata.must' }
when_given = true
[[scorers]]
check = 'similarity'
value = { from_item = 'ground_truth' }
when_given = true
min = 0.9
""",
    )
    found = outcome(build(open_evaluation(load("x.toml", desk.folder))))
    assert [(gate.passed, gate.n_scored) for gate in found.gate_results] == [(True, 1)]
    assert [(bound.passed, bound.n_scored) for bound in found.threshold_results] == [(True, 1)]
    assert [item.status for item in found.items] == ["passed", "unmeasured"]


if TYPE_CHECKING:
    OnlyForTypeCheckers = int


class Picky:
    """A factory that nobody can tell the types of."""

    def __init__(
        self, value: OnlyForTypeCheckers, count: int = 1, /, *more: str, flag: bool = False, **rest: object
    ) -> None:
        self.given = (value, count, more, flag, rest)


def test_options_are_told_by_the_signature_as_far_as_it_can_be_read() -> None:
    factory = factory_of(Picky)
    assert {name: option.schema for name, option in factory.options.items()} == {
        "value": {},
        "count": {"type": "integer"},
        "more": {"type": "array", "items": {"type": "string"}},
        "flag": {"type": "boolean"},
    }
    assert (factory.open, factory.missing) == (True, ("value",))
    made = factory({"value": 1, "count": 2, "more": ["a", "b"], "flag": True, "other": 3})
    assert made.given == (1, 2, ("a", "b"), True, {"other": 3})  # type: ignore[attr-defined]


def test_a_value_of_an_option_that_takes_one_may_come_from_python(desk: Desk) -> None:
    desk.write("predicates_of_mine.py", "def cheap(args):\n    return args['price'] < 5\n")
    made = built(
        desk,
        "[[gates]]\ncheck = 'tool_called_with'\nname = 'buy'\n"
        "match = 'predicate'\nargs = { python = 'predicates_of_mine:cheap' }\n",
    )
    bought = {
        "role": "assistant",
        "content": "done",
        "tool_calls": [{"name": "buy", "args": {"price": 4}, "result": "ok"}],
    }
    found = outcome(made, [EvalItem(output=[bought])])
    assert found.verdict == "passed"


def test_a_table_that_only_looks_like_a_reference_is_a_value(desk: Desk) -> None:
    made = built(desk, "[[gates]]\ncheck = 'tool_called_with'\nname = 'run'\nargs = { python = 'print(1)' }\n")
    ran = {
        "role": "assistant",
        "content": "done",
        "tool_calls": [{"name": "run", "args": {"python": "print(1)"}, "result": 1}],
    }
    assert outcome(made, [EvalItem(output=[ran])]).verdict == "passed"


OBJECTS = """
import steelyard_checks as checks
from steelyard import AgentScorers, EvalItem, JudgeSettings, ShareOfItems, Threshold, from_item

class Agent:
    def generate(self, question):
        return "the sun"

async def judge(request):
    raise NotImplementedError

given = {
    "data": (EvalItem(input=text, ground_truth="sun") for text in "ab"),
    "target": Agent(),
    "gates": (ShareOfItems(checks.includes("sun"), 0.9), {"check": "includes", "value": from_item("ground_truth")}),
    "scorers": AgentScorers(agent=[Threshold(checks.includes("sun"), min=1)]),
    "judge": JudgeSettings(judge=judge),
    "reply": None,
}
"""


def test_in_python_whatever_is_named_may_be_the_thing_itself(desk: Desk) -> None:
    desk.write("objects_of_mine.py", OBJECTS)
    with importable([desk.folder]):
        made = build(open_evaluation(load("objects_of_mine:given", desk.folder)))
    found = outcome(made)
    assert found.verdict == "passed"
    assert [gate.passed for gate in found.gate_results] == [True, True]
