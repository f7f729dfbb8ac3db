"""From an evaluation file to its results: checked, run, reported, with the exit code that it comes to."""

from __future__ import annotations

import os
from collections.abc import AsyncIterable, Iterable, Iterator, Mapping
from contextlib import suppress
from inspect import isawaitable
from pathlib import Path
from typing import Any, TextIO, cast

from attrs import define, field, frozen

from steelyard import ConfigurationError, EvalItem, EvalOptions, EvalResult, ItemResult, run_evals
from steelyard_cli._data.places import DataFault, Located, Skipped
from steelyard_cli._data.selection import Selected, Selection
from steelyard_cli._file.building import Built, refused
from steelyard_cli._file.checking import check_items, doubled_ids
from steelyard_cli._file.places import FileFault, without_folder
from steelyard_cli._report import Feed, Hide, ItemAccount, JsonlWriter, LiveView, Report, needs_items, print_report
from steelyard_cli.broken_pipe import mute_stdout, why_not_written
from steelyard_cli.exit_codes import ExitCode, of_result

FORMS = ("json", "jsonl", "junit", "markdown", "csv")
MOST_FAULTS = 10


@frozen(kw_only=True)
class How:
    """What the flags of ``steelyard run`` say about a run."""

    selection: Selection = field(factory=Selection)
    fail_fast: bool = False
    skip_bad: bool = False
    quiet: bool = False
    allow_scored: bool = False
    outputs: Mapping[str, Path] = field(factory=dict)


class EmptySelection(Exception):
    """No item was chosen out of those that there are."""


@define
class _Data:
    """The items on their way into a run, and what became of them there."""

    items: Iterable[EvalItem] | AsyncIterable[Any]
    planned: int | None = None
    skipped: Skipped = field(factory=Skipped)
    selected: Selected | None = None
    broken: Exception | None = None
    stopped: str | None = None

    def flow(self, chosen: Iterable[Located]) -> Iterator[EvalItem]:
        """The items until they end, break off, or an item is to be the last."""
        try:
            for located in chosen:
                if self.stopped is not None:
                    return
                yield located.item
        except Exception as error:
            self.broken = error
            raise

    def item_completed(self, item: ItemResult) -> None:
        """Ends the flow at an item that failed."""
        if item.status in ("failed", "errored") and self.stopped is None:
            self.stopped = f"--fail-fast: item {item.id} {item.status}"


def run(built: Built, how: How, *, hide: Hide, out: TextIO, err: TextIO) -> ExitCode:
    """Runs the evaluation, writes its results and shows them. Raises ``ConfigurationError`` for whatever can be refused
    before a call."""
    outputs = _checked_outputs(built, how)
    try:
        data = _data(built, how)
    except EmptySelection as error:
        return _nothing(error, err)
    _clear(outputs)
    account = ItemAccount(hide=hide)
    live = LiveView.on(err, planned=data.planned, quiet=how.quiet)
    jsonl = JsonlWriter(outputs["jsonl"], hide=hide) if "jsonl" in outputs else None
    sinks: list[Any] = [account, live, *([] if jsonl is None else [jsonl])]
    if how.fail_fast or built.fail_fast:
        sinks.append(data)
    feed = Feed(*sinks)
    wanted = {form: outputs.get(form) for form in ("json", "junit", "csv")}
    try:
        with live:
            result = _result(built, how.selection, data, feed, keep_items=needs_items(**wanted))
    except EmptySelection as error:
        return _nothing(error, err)
    report = Report.of(
        result,
        name=built.name,
        account=account,
        stopped=data.stopped,
        planned=data.planned,
        skipped=data.skipped.count,
        hide=hide,
    )
    lost = _write(report, result, outputs, jsonl, feed)
    for fault in data.skipped:
        err.write(hide(f"left out: {without_folder(str(fault))}\n"))
    unseen = _show(report, out)
    for form, reason in lost:
        err.write(hide(f"Error: the {form} file {outputs[form]} could not be written: {reason}\n"))
    if unseen is not None:
        err.write(hide(f"Error: {unseen}\n"))
    if lost or unseen is not None:
        return ExitCode.INTERNAL
    return of_result(
        result, allow_scored=how.allow_scored, stopped=data.stopped is not None, broken_off=data.broken is not None
    )


def _clear(outputs: Mapping[str, Path]) -> None:
    """Takes away the reports of an earlier run, so that none of them stands for this one if its process is killed."""
    for path in outputs.values():
        if path.is_file() and not path.is_symlink():
            with suppress(OSError):
                path.unlink()


def _nothing(error: EmptySelection, err: TextIO) -> ExitCode:
    err.write(f"Error: {without_folder(str(error))}\n")
    return ExitCode.NOT_EVALUATED


def _data(built: Built, how: How) -> _Data:
    """The items, looked at before the run wherever they can be read twice. Raises ``ConfigurationError`` and
    ``EmptySelection``."""
    items, selection = built.items, how.selection
    if items.stream is not None:
        if not selection.takes_all or how.fail_fast or how.skip_bad:
            raise FileFault(
                built.place / "data",
                "items that come asynchronously are taken as they come: none can be selected or skipped.",
            )
        return _Data(items.stream)
    data = _Data(())
    if not items.again:
        data.selected = selection.of(items.read(data.skipped if how.skip_bad else None))
        data.items = data.flow(data.selected)
        return data
    chosen = selection.of(items.read(data.skipped))
    checked = check_items(built, chosen)
    bad = Skipped() if how.skip_bad else data.skipped
    doubled = list(doubled_ids(selection.of(items.read(Skipped())), checked)) if checked.doubled else []
    faults = [*bad, *checked.faults, *doubled]
    if faults:
        raise _faults(faults, bad.count + checked.n_faults + len(doubled), only_bad=len(faults) == len(bad.first))
    if not checked.n_items:
        _refuse_nothing(built, selection, chosen, data.skipped)
    if chosen.missing_ids:
        raise ConfigurationError(f"--id: no item has the id {', '.join(map(repr, chosen.missing_ids))}.")
    if selection.takes_all:
        checked.groups.check(built)  # what a selection leaves out may be what a bound is about
    data.planned = checked.n_items
    data.items = data.flow(selection.of(items.read(Skipped())))
    return data


def _refuse_nothing(built: Built, selection: Selection, chosen: Selected, skipped: Skipped) -> None:
    if chosen.read or selection.limit == 0 or selection.sample == 0:
        raise EmptySelection(f"the selection holds none of the items of {built.items.name}.")
    bad = f": each of its {skipped.count} lines is bad, the first one is {skipped.first[0]}" if skipped.count else ""
    raise ConfigurationError(f"{built.items.name} holds no items{bad}.")


def _faults(faults: list[DataFault], count: int, *, only_bad: bool) -> ConfigurationError:
    hint = "\nWith --skip-bad such lines are left out and counted." if only_bad else ""
    if count == 1:
        return ConfigurationError(f"{faults[0]}.{hint}")
    lines = [f"{count} items cannot be evaluated:", *(f"  {fault}" for fault in faults[:MOST_FAULTS])]
    if count > MOST_FAULTS:
        lines.append(f"  and {count - MOST_FAULTS} more")
    return ConfigurationError("\n".join(lines) + hint)


def _result(built: Built, selection: Selection, data: _Data, feed: Feed, *, keep_items: bool) -> EvalResult:
    own = cast("Any", built.options.get("on_item_complete"))

    async def both(item: Any, target_result: Any, result: ItemResult) -> None:
        feed(item, target_result, result)
        told = own(item, target_result, result)
        if isawaitable(told):
            await told

    options = {
        **built.options,
        "data": data.items,
        "keep_items": keep_items,
        "on_item_complete": feed if own is None else both,
    }
    try:
        return run_evals(**cast("EvalOptions", options))
    except ConfigurationError as error:
        if data.selected is not None and not data.selected.taken and data.broken is None:
            _refuse_nothing(built, selection, data.selected, data.skipped)
        raise refused(built.place, error) from error


def _checked_outputs(built: Built, how: How) -> dict[str, Path]:
    """The files to write, flags over the file's. Raises ``ConfigurationError`` for what could only fail after
    everything was paid for."""
    directory = Path.cwd()
    outputs = {form: path for form, (path, _) in built.outputs.items()}
    outputs.update({form: directory / path for form, path in how.outputs.items()})
    read = {
        Path(built.items.name).resolve(): "the data",
        Path(built.place.source.name).resolve(): "the evaluation file",
    }
    taken: dict[Path, str] = {}
    for form, path in outputs.items():
        whole = path.resolve()
        if path.is_dir():
            raise ConfigurationError(f"{form}: {path} is a folder; name a file.")
        if whole in read:
            raise ConfigurationError(f"{form}: {path} is {read[whole]}, which would be lost.")
        if path.exists() and not path.is_file():
            continue  # a device or a pipe: it may take several, and has no folder to be made
        if whole in taken:
            raise ConfigurationError(f"{form}: {path} is written as {taken[whole]} already.")
        taken[whole] = form
        above = next((each for each in whole.parents if each.exists()), whole.parent)
        if not above.is_dir() or not os.access(above, os.W_OK):
            raise ConfigurationError(f"{form}: nothing can be written into {above}.")
    return outputs


def _write(
    report: Report, result: EvalResult, outputs: Mapping[str, Path], jsonl: JsonlWriter | None, feed: Feed
) -> list[tuple[str, str]]:
    """Writes all files; gives those that could not be written, with the reason."""
    from steelyard_cli._report import write_csv, write_json, write_junit, write_markdown

    ways: dict[str, Any] = {
        "jsonl": lambda path: None if jsonl is None else jsonl.finish(report),
        "json": lambda path: write_json(report, result, path),
        "junit": lambda path: write_junit(report, result, path),
        "markdown": lambda path: write_markdown(report, path),
        "csv": lambda path: write_csv(report, result, path),
    }
    lost = [("jsonl", _told(error)) for sink, error in feed.errors if sink is jsonl]
    for form, path in outputs.items():
        try:
            ways[form](path)
        except OSError as error:
            lost.append((form, _told(error)))
    return lost


def _told(error: Exception) -> str:
    return getattr(error, "strerror", None) or type(error).__name__


def _show(report: Report, out: TextIO | None) -> str | None:
    """Prints the report; gives the reason where that could not be done."""
    try:
        if out is None:  # it was closed when the command started
            raise ValueError("closed")
        print_report(report, out)
        out.flush()
    except BrokenPipeError:
        mute_stdout()  # the exit code is for somebody else
    except (OSError, ValueError) as error:
        mute_stdout()
        return why_not_written(error)
    return None
