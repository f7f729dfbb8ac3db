"""Scorers and gates made of what a file says about them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, cast

from attrs import define, field

from steelyard import (
    ConfigurationError,
    FromItem,
    JudgeSettings,
    PassRate,
    Registry,
    Scale,
    ShareOfItems,
    Threshold,
    Tracked,
    UnknownPlugin,
    from_item,
)
from steelyard_cli._file.entries import OF_SCORERS, Entry, Kind, read_nested
from steelyard_cli._file.judges import JudgeKeys
from steelyard_cli._file.option_values import check_form
from steelyard_cli._file.options import Factory, Option, factory_of
from steelyard_cli._file.places import FileFault, Place, unknown_key
from steelyard_cli._file.references import Reference, is_named, read_reference, told

_BOUNDS = ("min", "max", "part", "slice", "pass_at")


def is_scorer(value: object) -> bool:
    """Whether this is a scorer rather than something that makes one."""
    return isinstance(getattr(value, "scale", None), Scale) and isinstance(getattr(value, "id", None), str)


def is_gate(value: object) -> bool:
    """Whether this is a gate with a rule of its own."""
    return is_scorer(getattr(value, "scorer", None)) and callable(getattr(value, "passed", None))


def judge_of(value: object, place: Place) -> Any:
    """The judge, or the settings of one, for ``judge=`` of an evaluation or a scorer."""
    if isinstance(value, JudgeKeys):
        judge = None if value.judge is None else judge_of(value.judge, place)
        return JudgeSettings(
            judge=judge,
            instructions=value.instructions,
            structured_output=cast("Any", value.structured_output),
            max_processor_retries=value.max_processor_retries,
        )
    if not isinstance(value, Reference):
        return value
    found = value.load()
    return made_of_class(found, place)


def made_of_class(found: object, place: Place) -> object:
    """The object itself or, of a class, what it gives when called without arguments."""
    if not isinstance(found, type):
        return found
    try:
        return found()
    except (Exception, SystemExit) as error:
        raise FileFault(place, f"{found.__qualname__}() failed: {told(error)}.") from error


@define
class Workshop:
    """Makes each scorer once: entries that say the same share it, so that one may have several bounds."""

    registry: Registry = field(factory=Registry)
    _made: dict[str, object] = field(factory=dict)
    _factories: dict[tuple[str, str], Factory] = field(factory=dict)

    def gates(self, entry: Entry) -> list[Any]:
        """What the entry adds to ``gates=``. Raises ``FileFault``."""
        made = self.made(entry)
        if entry.share is None:
            return [made]
        if is_gate(made):
            raise FileFault(entry.place / "share", "this gate has a rule of its own.")
        return [self._refused(entry, lambda: ShareOfItems(cast("Any", made), entry.share))]

    def scorers(self, entry: Entry) -> list[Any]:
        """What the entry adds to ``scorers=``: the scorer with its bounds, or the scorer alone. Raises
        ``FileFault``."""
        made = cast("Any", self.made(entry))
        if not is_scorer(made):
            if entry.kind is None and not isinstance(entry.what, Reference):
                return [made]  # a Threshold, say, in an evaluation that is Python
            raise FileFault(entry.place, f"{entry.said} is a gate; put it among the gates.")
        bounds: list[Any] = []
        if entry.min is not None or entry.max is not None:
            bounds.append(
                self._refused(
                    entry,
                    lambda: Threshold(
                        made, min=entry.min, max=entry.max, part=entry.part, slice=entry.slice, pass_at=entry.pass_at
                    ),
                )
            )
        elif entry.part is not None:
            raise FileFault(entry.place / "part", "it says what min and max bound, and there is neither.")
        elif entry.slice is not None and entry.share is None:
            raise FileFault(entry.place / "slice", "it says what min, max or share bound, and there is none of them.")
        if entry.share is not None:
            share = entry.share
            bounds.append(self._refused(entry, lambda: PassRate(made, share, pass_at=entry.pass_at, slice=entry.slice)))
        if not bounds and entry.pass_at is not None:
            bounds.append(self._refused(entry, lambda: Tracked(made, pass_at=entry.pass_at)))
        return bounds or [made]

    def made(self, entry: Entry) -> object:
        """The scorer that the entry names, made with its options and asking its judge. Raises ``FileFault``."""
        key = _key(entry)
        if key is None or key not in self._made:
            made = self._make(entry)
            if key is None:
                return made
            self._made[key] = made
        return self._made[key]

    def factory(self, kind: Kind, name: str, place: Place) -> Factory:
        """The factory of an installed check or scorer. Raises ``FileFault``."""
        if (kind, name) not in self._factories:
            try:
                loaded = self.registry.load(kind, name)
            except UnknownPlugin as error:
                other: Kind = "scorers" if kind == "checks" else "checks"
                word, instead = kind.removesuffix("s"), other.removesuffix("s")
                if name in self.registry.names(other):
                    raise FileFault(
                        place, f'there is no {word} {name!r}, but a {instead} of that name: write {instead} = "{name}".'
                    ) from error
                raise FileFault(place, str(error)) from error
            except ConfigurationError as error:
                raise FileFault(place, str(error)) from error
            if not callable(loaded):
                raise FileFault(
                    place,
                    f"the {kind.removesuffix('s')} {name!r} is no function, but of type {type(loaded).__name__}.",
                )
            self._factories[kind, name] = factory_of(loaded)
        return self._factories[kind, name]

    def _make(self, entry: Entry) -> object:
        if entry.kind is not None:
            return self._call(
                entry, self.factory(entry.kind, str(entry.what), entry.place / entry.kind.removesuffix("s"))
            )
        what = entry.what.load() if isinstance(entry.what, Reference) else entry.what
        if is_scorer(what) or is_gate(what) or not isinstance(entry.what, Reference):
            for name in entry.options:
                raise FileFault(entry.place_of(name), f"{entry.said} is made already and takes no options.")
            return _judged(entry, what)
        if not callable(what):
            raise FileFault(entry.place, f"{entry.said} is no scorer, but of type {type(what).__name__}.")
        return self._call(entry, factory_of(what))

    def _call(self, entry: Entry, factory: Factory) -> object:
        options = self._options(entry, factory)
        for name in factory.missing:
            if name not in options:
                hint = "" if entry.kind is not None else " A function that scores needs @scorer above it."
                raise FileFault(entry.place, f"{entry.said} needs the option {name!r}.{hint}")
        takes_judge = entry.judge is not None and "judge" in factory.options
        if takes_judge:
            options["judge"] = judge_of(entry.judge, entry.place / "judge")
        made = self._refused(entry, lambda: factory(options))
        if not is_scorer(made) and not is_gate(made):
            raise FileFault(entry.place, f"{entry.said} gave no scorer, but an object of type {type(made).__name__}.")
        return made if takes_judge else _judged(entry, made)

    def _options(self, entry: Entry, factory: Factory) -> dict[str, object]:
        options: dict[str, object] = {}
        for name, value in entry.options.items():
            place = entry.place_of(name)
            option = factory.options.get(name)
            if option is None and not factory.open:
                if name in _BOUNDS and name in OF_SCORERS:
                    raise FileFault(
                        place,
                        f"{name} belongs to what is averaged; put this among the scorers. A gate holds on every item.",
                    )
                known = [each for each in factory.options if each != "judge"]
                fault = unknown_key(entry.place, name, known) if known else FileFault(place, "it takes no options.")
                raise FileFault(place, f"{entry.said}: {fault.fault.replace('key', 'option', 1)}")
            options[name] = self._value(value, option, place)
        return options

    def _value(self, value: object, option: Option | None, place: Place) -> object:
        """The value of an option: as it stands, or looked up in each item, or named in Python, or a
        scorer of its own."""
        if isinstance(value, Entry):
            return self.made(value)
        if isinstance(value, Mapping):
            if set(value) == {"from_item"} and (option is None or option.takes_from_item):
                try:
                    return from_item(value["from_item"])
                except ConfigurationError as error:
                    raise FileFault(place, str(error)) from error
            if set(value) == {"python"} and (option is None or option.takes_python):
                named = value["python"]
                if not (option is not None and option.takes_table) or (isinstance(named, str) and is_named(named)):
                    return read_reference(str(named), place / "python").load()
            if option is not None and option.takes_scorer:
                return self.made(read_nested(value, place))
        if option is not None:
            check_form(value, option, place)
        return value

    def _refused(self, entry: Entry, make: Any) -> Any:
        try:
            return make()
        except FileFault:
            raise
        except ConfigurationError as error:
            raise FileFault(entry.place, str(error)) from error
        except (Exception, SystemExit) as error:
            raise FileFault(entry.place, f"{entry.said} could not be made: {told(error)}.") from error


def needs_of(made: Iterable[object]) -> tuple[str, ...]:
    """What every item must bring for these entries of an evaluation."""
    scorers = [getattr(each, "scorer", each) for each in made]
    return tuple(sorted({need for scorer in scorers for need in getattr(scorer, "needs", ())}))


def _judged(entry: Entry, made: object) -> object:
    if entry.judge is None:
        return made
    with_judge = getattr(made, "with_judge", None)
    if not callable(with_judge) or getattr(made, "plain", None) is not None:
        raise FileFault(entry.place / "judge", f"{entry.said} asks no judge.")
    try:
        return with_judge(judge_of(entry.judge, entry.place / "judge"))
    except FileFault:
        raise
    except ConfigurationError as error:
        raise FileFault(entry.place / "judge", str(error)) from error


def _key(entry: Entry) -> str | None:
    """What two entries have in common that mean the same scorer; None for what is an object already."""
    if isinstance(entry.what, Reference):
        named = entry.what.text
    elif entry.kind is not None:
        named = f"{entry.kind}/{entry.what}"
    else:
        return None
    try:
        return json.dumps([named, entry.options, repr(entry.judge)], sort_keys=True, default=_by_identity)
    except (TypeError, ValueError, RecursionError):
        return None


def _by_identity(value: object) -> object:
    if isinstance(value, Entry):
        return _key(value)
    return (
        [type(value).__qualname__, value.path] if isinstance(value, FromItem) else [type(value).__qualname__, id(value)]
    )
