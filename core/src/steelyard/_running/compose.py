"""What an evaluation measures: scorers, gates and bounds put in scopes, with everything refused that can be refused
before a call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import iscoroutinefunction, isfunction

from attrs import define, field, frozen

from steelyard._judging.protocol import Judge
from steelyard._judging.settings import JudgeSettings
from steelyard._model.errors import ConfigurationError
from steelyard._running.aggregate import Tally
from steelyard._running.gates import Bound, EachItem, Gate, PassRate, Threshold, Tracked, checked_pass_at, scale_of
from steelyard._running.item import EvalItem
from steelyard._running.keys import KeyIndex, scorer_key
from steelyard._scoring.builder import no_judge
from steelyard._scoring.protocol import SCORER_TYPES, Scorer, ScorerType, ShortWay


@frozen
class AgentScorers:
    """Scorers of an agent in two groups: of what it answered, and of the path it took. Entries are those of a plain
    list."""

    agent: Sequence[object] = ()
    trajectory: Sequence[object] = ()


@frozen
class WorkflowScorers:
    """Scorers of a workflow in groups: of its whole output, of each step's own input and output by step id, and of the
    path it took."""

    workflow: Sequence[object] = ()
    steps: Mapping[str, Sequence[object]] = field(factory=dict)
    trajectory: Sequence[object] = ()


Find = Callable[[str], Judge]


@define(eq=False)
class Entry:
    """One scorer in one scope, with what is asked of it and what it has given so far."""

    scorer: Scorer
    key: str
    scope: str
    tally: Tally
    plain: ShortWay | None
    type: str | None = None
    gate: Gate | None = None
    bounds: list[Bound] = field(factory=list)

    @property
    def bare(self) -> bool:
        """Whether nothing is asked of its average."""
        return self.gate is None and not self.bounds

    @property
    def id(self) -> str:
        """The scorer's id."""
        return self.scorer.id

    @property
    def asks_judge(self) -> bool:
        """Whether its results hold judge calls; a scorer that does not say so may."""
        return self.plain is None


class Scope:
    """Scorers whose keys are told apart.

    ``plains`` are their short ways where all of them have one and want the same form of a run, which ``type`` names
    then; ``judged`` says whether any may have asked a judge.
    """

    __slots__ = ("entries", "index", "judged", "name", "plains", "tallies", "type")

    def __init__(self, name: str, entries: Sequence[Entry]) -> None:
        self.name = name
        self.entries = tuple(entries)
        self.index = KeyIndex([entry.key for entry in entries], [entry.id for entry in entries], self.entries)
        self.tallies = [entry.tally for entry in entries]
        plains = [entry.plain for entry in entries if entry.plain is not None]
        self.judged = len(plains) < len(entries)
        self.type = entries[0].type if entries else None
        self.plains = None if self.judged or any(entry.type != self.type for entry in entries) else plains

    def with_own(self, own: Sequence[Entry]) -> Scope:
        """This scope with the entries that one item adds."""
        return self if not own else Scope(self.name, (*self.entries, *own))


@define(eq=False)
class TurnScopes:
    """What is measured at one turn index over all items."""

    gates: dict[str, Entry] = field(factory=dict)
    scorers: dict[str, Entry] = field(factory=dict)


@define(eq=False)
class Plan:
    """All that an evaluation measures. Items and turns may add entries of their own, which are found again by key."""

    gates: Scope
    scopes: tuple[Scope, ...]
    form: str
    judge: JudgeSettings
    find: Find | None = None
    groups: tuple[str, ...] = ()
    own_gates: dict[str, Entry] = field(factory=dict)
    own_scorers: dict[str, Entry] = field(factory=dict)
    turns: dict[int, TurnScopes] = field(factory=dict)

    @property
    def own_scope(self) -> str:
        """The scope that scorers of single items belong to."""
        return {"agent": "agent", "workflow": "workflow"}.get(self.form, "scorers")

    @property
    def common(self) -> tuple[Entry, ...]:
        """The entries that every item has."""
        return (*self.gates.entries, *(entry for scope in self.scopes for entry in scope.entries))

    def of_item(self, item: EvalItem) -> tuple[list[Entry], list[Entry]]:
        """The item's own gates and scorers, pooled by key with those of other items. Raises ``ConfigurationError``."""
        scopes = {scope.name: scope for scope in (self.gates, *self.scopes)}
        gates = self._made(item.gates, self.own_gates, "gates", True, scopes["gates"])
        scorers = self._made(item.scorers, self.own_scorers, self.own_scope, False, scopes[self.own_scope])
        return _pooled(gates, self.own_gates), _pooled(scorers, self.own_scorers)

    def of_turn(self, at: int, gates: Sequence[object], scorers: Sequence[object]) -> tuple[list[Entry], list[Entry]]:
        """The gates and scorers of one turn, pooled by key with those of the same turn of other items. Raises
        ``ConfigurationError``."""
        known = self.turns.setdefault(at, TurnScopes())
        made_gates = self._made(gates, known.gates, str(at), True, None)
        made_scorers = self._made(scorers, known.scorers, str(at), False, None)
        return _pooled(made_gates, known.gates), _pooled(made_scorers, known.scorers)

    def _made(
        self, given: Sequence[object], known: Mapping[str, Entry], scope: str, gates: bool, common: Scope | None
    ) -> list[Entry]:
        """New entries, none of which is refused any more; nothing is pooled yet, so that an item that is refused leaves
        no trace."""
        if not given:
            return []
        made = _entries(given, scope, gates, self.judge, self.find)
        _check_groups(made, self.groups)
        for entry in made:
            if common is not None and entry.key in common.index.keys:
                raise ConfigurationError(
                    f"The item adds {entry.key!r}, which the evaluation has already in {scope}. Leave one out."
                )
            if entry.key in known:
                _check_alike(known[entry.key], entry)
        return made


def _pooled(made: Sequence[Entry], known: dict[str, Entry]) -> list[Entry]:
    """The entries, each counting together with the earlier one of its key."""
    pooled = []
    for entry in made:
        earlier = known.setdefault(entry.key, entry)
        if earlier is not entry:
            earlier.bounds.extend(bound for bound in entry.bounds if bound not in earlier.bounds)
            entry.tally = earlier.tally
            if entry.scorer is not earlier.scorer:
                pooled.append(entry)
                continue
        pooled.append(earlier)
    return pooled


def _check_alike(earlier: Entry, entry: Entry) -> None:
    """Raises ``ConfigurationError`` where the scores of two entries of one key cannot be counted together."""
    what = None
    if earlier.scorer.scale != entry.scorer.scale:
        what = f"the scale {_scale(entry)} here and {_scale(earlier)}"
    elif earlier.tally.pass_at != entry.tally.pass_at:
        what = f"pass_at={entry.tally.pass_at} here and pass_at={earlier.tally.pass_at}"
    elif _rule(earlier.gate) != _rule(entry.gate):
        what = f"the rule {_rule(entry.gate)} here and {_rule(earlier.gate)}"
    if what is not None:
        raise ConfigurationError(
            f"{entry.key!r} has {what} in another item, so that one number would stand for two things. Give one "
            "of them another id."
        )


def _rule(gate: Gate | None) -> str:
    """What a gate decides by, in words that tell two rules apart."""
    if gate is None:
        return "none"
    told = {name: value for name in ("share",) if (value := getattr(gate, name, None)) is not None}
    return type(gate).__name__ + "".join(f", {name}={value!r}" for name, value in told.items())


def _scale(entry: Entry) -> str:
    scale = entry.scorer.scale
    return f"{scale.low:g} to {scale.high:g} ({scale.direction} is better)"


def compose(
    gates: object, scorers: object, judge: JudgeSettings, find: Find | None = None, groups: Sequence[str] = ()
) -> Plan:
    """The plan for what stands at ``gates=`` and ``scorers=``; ``find`` looks up a judge that is named, ``groups`` are
    the paths of ``group_by``.

    Raises ``ConfigurationError`` for anything that is no scorer, incomplete scorers, judges that are missing or cannot
    be found, and keys that clash.
    """
    scopes: list[tuple[str, object]]
    if isinstance(scorers, AgentScorers):
        form, scopes = "agent", [("agent", scorers.agent), ("trajectory", scorers.trajectory)]
    elif isinstance(scorers, WorkflowScorers):
        if not isinstance(scorers.steps, Mapping):
            raise ConfigurationError(
                f"WorkflowScorers(steps=) must map step ids to scorers, found {type(scorers.steps).__name__}."
            )
        form = "workflow"
        scopes = [
            ("workflow", scorers.workflow),
            *((f"steps/{step}", listed) for step, listed in scorers.steps.items()),
            ("trajectory", scorers.trajectory),
        ]
    else:
        form, scopes = "plain", [("scorers", scorers)]
    plan = Plan(
        _scope("gates", gates, True, judge, find),
        tuple(_scope(name, listed, False, judge, find) for name, listed in scopes),
        form,
        judge,
        find,
        tuple(groups),
    )
    _check_groups(plan.common, groups)
    return plan


def _check_groups(entries: Iterable[Entry], groups: Sequence[str]) -> None:
    """Raises ``ConfigurationError`` for a bound on a slice of what is not grouped by."""
    for entry in entries:
        for bound in entry.bounds:
            path = "" if bound.slice is None else bound.slice.partition("=")[0]
            if path and path not in groups:
                raise ConfigurationError(
                    f"A bound of {entry.key!r} names the slice {bound.slice!r}, and group_by does not hold {path!r}."
                )


def _scope(name: str, given: object, gates: bool, judge: JudgeSettings, find: Find | None) -> Scope:
    if isinstance(given, Mapping | str) or not isinstance(given, Iterable):
        raise ConfigurationError(
            f"{name}: give a list of scorers (or AgentScorers(...) or WorkflowScorers(...) for groups), found "
            f"{type(given).__name__}."
        )
    return Scope(name, _entries(list(given), name, gates, judge, find))


def _entries(given: Sequence[object], scope: str, gates: bool, judge: JudgeSettings, find: Find | None) -> list[Entry]:
    if isinstance(given, str | Mapping) or not isinstance(given, list | tuple):
        raise ConfigurationError(f"{scope}: give a list of scorers, found {type(given).__name__}.")
    found: dict[str, Entry] = {}
    for one in given:
        entry = _entry(one, scope, gates, judge, find)
        earlier = found.get(entry.key)
        if earlier is None:
            found[entry.key] = entry
            continue
        if earlier.scorer is not entry.scorer:
            raise ConfigurationError(
                f"{scope}: two scorers have the key {entry.key!r}, so their results could not be told apart. "
                "Give one of them another id, or args= that differ."
            )
        if earlier.bare or entry.bare or gates:
            raise ConfigurationError(f"{scope}: {entry.key!r} stands there twice. Leave one out, or give each a bound.")
        _merge(earlier, entry)
    return list(found.values())


def _merge(earlier: Entry, entry: Entry) -> None:
    """Adds the bounds of a second entry for the same scorer object."""
    if entry.tally.pass_at is not None:
        if earlier.tally.pass_at is not None and earlier.tally.pass_at != entry.tally.pass_at:
            raise ConfigurationError(
                f"{earlier.key!r} has two different pass_at=, {earlier.tally.pass_at:g} and {entry.tally.pass_at:g}."
            )
        earlier.tally.pass_at = entry.tally.pass_at
    earlier.bounds.extend(bound for bound in entry.bounds if bound not in earlier.bounds)


def _entry(one: object, scope: str, gates: bool, judge: JudgeSettings, find: Find | None) -> Entry:
    gate: Gate | None = None
    bounds: list[Bound] = []
    pass_at: float | None = None
    if isinstance(one, Threshold | PassRate | Tracked):
        if gates:
            raise ConfigurationError(
                f"{scope}: {type(one).__name__} bounds a tracked average and is no gate. Put it among the "
                "scorers, or give the scorer itself or a Gate."
            )
        scorer = one.scorer
        pass_at = checked_pass_at(scorer, one.pass_at)
        if isinstance(one, Threshold):
            bounds = [Bound(min=one.min, max=one.max, part=one.part, slice=one.slice)]
        elif isinstance(one, PassRate):
            pass_at = scale_of(scorer).best if pass_at is None else pass_at
            bounds = [Bound(min=one.share, slice=one.slice, of="pass_rate")]
    elif gates:
        gate = one if isinstance(one, Gate) else EachItem(one)  # type: ignore[arg-type]
        scorer = gate.scorer
    else:
        if isinstance(one, Gate):
            raise ConfigurationError(f"{scope}: {type(one).__name__} is a gate. Put it among the gates.")
        scorer = one  # type: ignore[assignment]
    scale = scale_of(scorer)
    _check_ready(scorer, scope, judge, find)
    plain = getattr(scorer, "plain", None)
    return Entry(
        scorer,
        scorer_key(scorer),
        scope,
        Tally(scale, pass_at),
        plain if callable(plain) else None,
        _type_of(scorer, scope),
        gate,
        bounds,
    )


def _type_of(scorer: Scorer, scope: str) -> ScorerType:
    type = getattr(scorer, "type", None)
    for known in SCORER_TYPES:
        if type == known:
            return known
    raise ConfigurationError(
        f'{scope}: scorer {scorer.id!r} has type={type!r}; a type is "agent", "trajectory" or None.'
    )


def _check_ready(scorer: Scorer, scope: str, judge: JudgeSettings, find: Find | None) -> None:
    if not callable(getattr(scorer, "score", None)):
        raise ConfigurationError(
            f"{scope}: {scorer!r:.80} has no score method. Make scorers with create_scorer(...) or @scorer."
        )
    if isfunction(getattr(type(scorer), "score", None)) and not iscoroutinefunction(scorer.score):
        raise ConfigurationError(
            f"{scope}: the score method of {scorer.id!r} must be async: async def score(self, run, services)."
        )
    check_complete = getattr(scorer, "check_complete", None)
    if check_complete is not None:
        check_complete()
    missing = getattr(scorer, "missing_judges", None)
    if missing is not None and (steps := missing(judge)):
        raise ConfigurationError(no_judge(scorer.id, steps))
    named = getattr(scorer, "named_judges", None)
    if find is not None and named is not None:
        for spec in sorted(named(judge)):
            find(spec)
