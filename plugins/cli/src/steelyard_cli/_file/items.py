"""The items of an evaluation, wherever its file says that they are, each with its place."""

from __future__ import annotations

import os
from collections.abc import AsyncIterable, Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from attrs import evolve, fields, frozen

from steelyard import ConfigurationError, EvalItem, Registry, TargetResult, Turn
from steelyard_cli._data.columns import Columns
from steelyard_cli._data.conversations import Extractor, extractor_for, read_conversations
from steelyard_cli._data.places import BadRow, DataFault, Located, Skipped
from steelyard_cli._data.readers import Reader, read_items, reader_for
from steelyard_cli._data.row_items import item_of
from steelyard_cli._file.entries import read_entry
from steelyard_cli._file.model import DataKeys
from steelyard_cli._file.own import Own, with_own
from steelyard_cli._file.places import FileFault, Place, nearest, unknown_key
from steelyard_cli._file.references import Reference, told
from steelyard_cli._file.workshop import Workshop


@frozen(kw_only=True)
class Items:
    """Where the items come from. ``again`` says whether they can be read more than once; ``stream`` is there for those
    that only come one by one, asynchronously."""

    name: str
    again: bool = True
    stream: AsyncIterable[Any] | None = None
    _read: Callable[[Skipped | None], Iterable[Located]] = lambda skipped: ()
    _own: tuple[Own, ...] = ()

    def read(self, skipped: Skipped | None = None) -> Iterator[Located]:
        """The items with their places, one at a time. Raises ``DataFault``, also for bad rows unless they may be
        ``skipped``."""
        for located in self._read(skipped):
            item = with_own(located.item, self._own) if self._own else located.item
            record = located.record
            if record is not None:
                item = evolve(item, output=TargetResult(item.output, trajectory=record.trajectory, usage=record.usage))
            yield located if item is located.item else evolve(located, item=item)


def items_of(data: object, place: Place, workshop: Workshop, own: tuple[Own, ...]) -> Items:
    """The items that stand at ``data``, or where it says. Raises ``FileFault`` for what can be refused before they are
    read."""
    if isinstance(data, str | DataKeys):
        return _of_file(
            DataKeys(path=data) if isinstance(data, str) else data, isinstance(data, str), place, workshop.registry, own
        )
    given = _called(data.load(), place) if isinstance(data, Reference) else data
    if isinstance(given, AsyncIterable):
        if own:
            raise FileFault(
                place, "when_given needs items that can be looked at before they run; these are asynchronous."
            )
        return Items(name=place.source.name, again=False, stream=given)
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise FileFault(place, f"expected items, found {type(given).__name__}.")
    if isinstance(data, Reference):
        place = Place(evolve(place.source, name=data.text, lines={}, python=True, line=None), place.path)
    again = iter(given) is not given
    return Items(
        name=place.source.name, again=again, read=lambda skipped: _inline(given, place, workshop, skipped), own=own
    )


def _called(found: object, place: Place) -> object:
    if isinstance(found, Iterable | AsyncIterable) or not callable(found):
        return found
    try:
        return found()
    except (Exception, SystemExit) as error:
        raise FileFault(place, f"calling it failed: {told(error)}.") from error


def _of_file(keys: DataKeys, bare: bool, place: Place, registry: Registry, own: tuple[Own, ...]) -> Items:
    path = place.source.path(keys.path)
    at = place if bare else place / "path"
    if not path.exists():
        near = nearest(path.name, _beside(path))
        hint = "" if near is None else f" Did you mean {near!r}?"
        raise FileFault(at, f"there is no file {os.fspath(path)!r}.{hint}")
    if path.is_dir():
        raise FileFault(at, f"{os.fspath(path)!r} is a folder.")
    try:
        read = _reading(keys, path, place, registry)
    except FileFault:
        raise
    except ConfigurationError as error:
        raise FileFault(place, str(error)) from error
    if path.is_file():
        return Items(name=os.fspath(path), read=read, own=own)
    return Items(name=os.fspath(path), again=False, read=read, own=own)  # a pipe gives what it has once


def _reading(
    keys: DataKeys, path: Path, place: Place, registry: Registry
) -> Callable[[Skipped | None], Iterable[Located]]:
    if keys.extractor is None:
        columns = keys.columns
        reader: Reader = reader_for(path, keys.format, registry)
        Columns.of(columns)
        return lambda skipped: read_items(path, reader, columns=columns, skipped=skipped)
    if keys.columns is not None:
        raise FileFault(place / "columns", "there is an extractor too, which knows its records; give one of them.")
    extractor = _extractor(keys.extractor, place / "extractor", registry)
    read_conversations(path, extractor, format=keys.format)
    return lambda skipped: read_conversations(path, extractor, format=keys.format, skipped=skipped)


def _extractor(named: object, place: Place, registry: Registry) -> Extractor:
    if isinstance(named, str):
        try:
            return extractor_for(named, registry)
        except ConfigurationError as error:
            raise FileFault(place, str(error)) from error
    found = named.load() if isinstance(named, Reference) else named
    if not callable(found):
        raise FileFault(place, f"an extractor is a function of a record, found {type(found).__name__}.")
    return cast("Extractor", found)


def _beside(path: Path) -> list[str]:
    try:
        return [each.name for each in path.parent.iterdir()]
    except OSError:
        return []


def _inline(
    data: Iterable[object], place: Place, workshop: Workshop, skipped: Skipped | None = None
) -> Iterator[Located]:
    """Items that stand in the evaluation itself, which may have gates and scorers of their own.

    Those that Python gives may be ``skipped`` if they are bad; in a file they are as much a part of it as its keys.
    """
    source = place.source
    for number, raw in enumerate(_unbroken(data, place)):
        at = place / number
        path = f"{source.name}: {at.keys}" if at.line is None else source.name
        try:
            item = _item(raw, at, workshop)
        except FileFault as fault:
            if skipped is None or not source.python:
                raise
            keys = fault.place.keys.removeprefix(at.keys).removeprefix(".")
            reason = fault.fault.rstrip(".")
            skipped.add(DataFault(path, at.line, f"{keys}: {reason}" if keys else reason))
            continue
        yield Located(item=item, path=path, line=at.line)


def _unbroken(data: Iterable[object], place: Place) -> Iterator[object]:
    """What other people's code gives; what it raises is a fault that names it."""
    try:
        yield from data
    except Exception as error:
        raise FileFault(place, f"the items broke off: {told(error)}.") from error


_FIELDS = tuple(each.name for each in fields(EvalItem))


def _item(raw: object, place: Place, workshop: Workshop) -> EvalItem:
    if isinstance(raw, EvalItem):
        return raw
    if not isinstance(raw, Mapping):
        raise FileFault(
            place,
            f'expected an item such as {{ input = "..." }}, found {"nothing" if raw is None else type(raw).__name__}.',
        )
    for name in raw:
        if name not in _FIELDS:
            raise unknown_key(place, name, _FIELDS)
    values = {name: value for name, value in raw.items() if name not in ("gates", "scorers")}
    own: dict[str, Any] = _entries(raw, place, workshop)
    turns = [_entries(turn, place / "turns" / at, workshop) for at, turn in enumerate(_turns(raw))]
    try:
        item = EvalItem(**values) if place.source.python else item_of(_plain(values), Columns.of(None), cells=False)
    except BadRow as error:
        raise FileFault(place, f"{error}.") from error
    if any(turns):
        item = evolve(item, turns=[_turn(turn, each) for turn, each in zip(item.turns or (), turns, strict=True)])
    return evolve(item, **own) if own else item


def _turns(raw: Mapping[Any, object]) -> list[Any]:
    turns = raw.get("turns")
    return [each if isinstance(each, Mapping) else {} for each in turns] if isinstance(turns, list | tuple) else []


def _plain(values: Mapping[Any, object]) -> dict[str, object]:
    """The item without what its turns have of their own."""
    turns = values.get("turns")
    if not isinstance(turns, list | tuple):
        return dict(values)
    bare = [
        {name: value for name, value in turn.items() if name not in ("gates", "scorers")}
        if isinstance(turn, Mapping)
        else turn
        for turn in turns
    ]
    return {**values, "turns": bare}


def _turn(turn: Turn | Mapping[str, Any], own: dict[str, Any]) -> Turn:
    return Turn(**{**turn, **own}) if isinstance(turn, Mapping) else evolve(turn, **own)


def _entries(raw: Mapping[Any, object], place: Place, workshop: Workshop) -> dict[str, list[Any]]:
    made: dict[str, list[Any]] = {}
    for name, make in (("gates", workshop.gates), ("scorers", workshop.scorers)):
        listed = raw.get(name)
        if listed is None:
            continue
        if not isinstance(listed, list | tuple):
            raise FileFault(place / name, f"expected a list of {name}.")
        entries = [read_entry(each, place / name / number, gates=name == "gates") for number, each in enumerate(listed)]
        for entry in entries:
            if entry.when_given:
                raise FileFault(entry.place / "when_given", "this stands with one item already.")
        made[name] = [each for entry in entries for each in make(entry)]
    return made
