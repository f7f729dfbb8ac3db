"""How a check becomes a scorer: its arguments are read, those that each item brings are looked up in the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, Literal, TypeAlias

from attrs import field, frozen

from steelyard import Args, ConfigurationError, FromItem, NotScorable, PipelineScorer, Scored, ScorerRun, scorer

Check: TypeAlias = PipelineScorer[Any, Any, None, None]
"""A scorer that asks no model."""

Decision: TypeAlias = Scored | NotScorable
"""What a check says of one run."""

Decide: TypeAlias = Callable[[ScorerRun[Any, Any]], Decision]
"""The work of a check whose arguments are all known."""

Join: TypeAlias = Callable[[Sequence[Decide], ScorerRun[Any, Any]], Decision]
"""Makes one score of several decisions."""

_NO_DEFAULT: Any = object()
_REASONS_SHOWN = 3


def accepted_values(found: object) -> Sequence[object]:
    """What an item brought for an argument, as the values of which any will do: a list's entries, or the one value."""
    return found if isinstance(found, list | tuple) else (found,)


def accepted_lists(found: object) -> Sequence[object]:
    """As ``accepted_values`` for an argument that is a list itself: several where an item brings a list of lists."""
    if isinstance(found, list | tuple) and any(isinstance(entry, list | tuple) for entry in found):
        return found
    return (found,)


@frozen
class Argument:
    """One argument of a check: a value, or the place of one in each item.

    ``read`` checks a value and prepares it, ``alternatives`` splits what an item brought into values of which any
    will do, ``keyword`` says whether keys show the name.
    """

    name: str
    given: object
    read: Callable[[object, str], object]
    default: object = field(default=_NO_DEFAULT, kw_only=True)
    keyword: bool = field(default=False, kw_only=True)
    alternatives: Callable[[object], Sequence[object]] = field(default=accepted_values, kw_only=True)

    @property
    def is_default(self) -> bool:
        """Whether what was given is the default."""
        return bool(self.given == self.default)

    def brought_by(self, run: ScorerRun[Any, Any], place: FromItem, check: str) -> list[object]:
        """The values that the run's item has for this argument.

        Raises ``MissingValue`` where it has none, ``ConfigurationError`` for one that cannot be used.
        """
        where = f"{check}({self.name}=), from the item's {place.path}"
        found = self.alternatives(place.of(run))
        if not found:
            raise ConfigurationError(f"{where}: the list is empty, so nothing would be accepted. Leave the check out.")
        return [self.read(value, where) for value in found]


def any_of(decisions: Sequence[Decide], run: ScorerRun[Any, Any]) -> Decision:
    """The best of the decisions, the first that is certain; not scorable if that might have been the best."""
    tried = []
    open_: NotScorable | None = None
    for decide in decisions:
        scored = decide(run)
        if isinstance(scored, NotScorable):
            open_ = open_ or scored
            continue
        if scored.score == 1.0:
            return scored
        tried.append(scored)
    if open_ is not None:
        return open_
    best = max(tried, key=lambda scored: scored.score)
    if best.score > 0.0:
        return Scored(best.score, f"Best of {len(tried)} accepted values: {best.reason}")
    return Scored(0.0, f"None of {len(tried)} accepted values holds: {_reasons(tried)}")


def all_of(decisions: Sequence[Decide], run: ScorerRun[Any, Any]) -> Decision:
    """The first decision that is not met, or that all are; not scorable if one that is left might not be met."""
    tried = []
    open_: NotScorable | None = None
    for decide in decisions:
        scored = decide(run)
        if isinstance(scored, NotScorable):
            open_ = open_ or scored
            continue
        if scored.score == 0.0:
            return scored
        tried.append(scored)
    if open_ is not None:
        return open_
    return Scored(1.0, f"All of {len(tried)} hold: {_reasons(tried)}")


def _reasons(tried: Sequence[Scored]) -> str:
    shown = " ".join(str(scored.reason) for scored in tried[:_REASONS_SHOWN])
    left = len(tried) - _REASONS_SHOWN
    return f"{shown} And {left} more." if left > 0 else shown


def make_check(
    name: str,
    description: str,
    arguments: Sequence[Argument],
    build: Callable[..., Decide],
    *,
    join: Join = any_of,
    type: Literal["agent"] | None = "agent",
) -> Check:
    """The scorer ``check-<name>`` with the decision that ``build`` makes of the arguments, in their order.

    ``type`` is what it looks at: an agent's messages, or None for the output as it is.

    Where an item brings arguments, the decision is built for each run; several accepted values give several, and
    ``join`` makes one of them. Raises ``ConfigurationError`` for a value that cannot be used; one that an item brings
    fails that run alone.
    """
    check = name.replace("-", "_")
    fixed = {
        argument.name: argument.read(argument.given, f"{check}({argument.name}=)")
        for argument in arguments
        if not isinstance(argument.given, FromItem)
    }
    needs = [argument.given.need for argument in arguments if isinstance(argument.given, FromItem)]
    return scorer(
        id=f"check-{name}",
        description=description,
        type=type,
        args=_args(arguments),
        needs=needs,
    )(_for_each_item(check, arguments, fixed, build, join) if needs else build(*fixed.values()))


def _for_each_item(
    check: str, arguments: Sequence[Argument], fixed: Mapping[str, object], build: Callable[..., Decide], join: Join
) -> Decide:
    def decide(run: ScorerRun[Any, Any]) -> Decision:
        values = [
            argument.brought_by(run, argument.given, check)
            if isinstance(argument.given, FromItem)
            else [fixed[argument.name]]
            for argument in arguments
        ]
        decisions = [build(*chosen) for chosen in product(*values)]
        return decisions[0](run) if len(decisions) == 1 else join(decisions, run)

    return decide


def _args(arguments: Sequence[Argument]) -> Args:
    positional = [argument for argument in arguments if not argument.keyword]
    while positional and positional[-1].is_default:
        positional.pop()
    named = {argument.name: argument.given for argument in arguments if argument.keyword and not argument.is_default}
    return Args(*[argument.given for argument in positional], **named)
