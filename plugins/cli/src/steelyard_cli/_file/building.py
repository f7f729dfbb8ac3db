"""An evaluation ready to run: what its file names is found, its options are those of ``run_evals``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from attrs import evolve, field, fields, frozen

from steelyard import AgentScorers, ConfigurationError, EvalOptions, Registry, WorkflowScorers
from steelyard_cli._file.entries import Entry, Groups
from steelyard_cli._file.environment import required
from steelyard_cli._file.items import Items, items_of
from steelyard_cli._file.judges import JudgeShape
from steelyard_cli._file.loading import Loaded
from steelyard_cli._file.model import RECORDED, DataKeys, EvaluationFile, OutputKeys
from steelyard_cli._file.own import Own
from steelyard_cli._file.places import FileFault, Place, unknown_key
from steelyard_cli._file.references import Reference
from steelyard_cli._file.shapes import TableOf, keys_of
from steelyard_cli._file.workshop import Workshop, judge_of, made_of_class, needs_of

PYTHON_KEYS = ("clock", "keep_items", "on_error", "on_item_complete", "runner", "sleep")
"""Options of ``run_evals`` that only an evaluation in Python can have beside the keys of a file."""


@frozen(kw_only=True)
class Overrides:
    """What flags of the command say in place of the file."""

    judge: str | None = None
    concurrency: int | None = None
    timeout: float | None = None
    target_options: Mapping[str, object] = field(factory=dict)


NO_OVERRIDES = Overrides()


@frozen(kw_only=True)
class Built:
    """An evaluation that can be run: ``options`` are those of ``run_evals`` but for the data, which ``items`` gives.

    ``fail_fast`` says that the first failure is to end the run. ``outputs`` are the files that results go to, by form.
    """

    name: str
    place: Place
    options: EvalOptions
    items: Items
    fail_fast: bool = False
    outputs: Mapping[str, tuple[Path, Place]] = field(factory=dict)


@frozen(kw_only=True)
class Opened:
    """An evaluation whose keys are checked. ``more`` are those options of ``run_evals`` that only Python can give."""

    file: EvaluationFile
    more: Mapping[str, Any]
    name: str
    place: Place

    def secrets(self, environ: Mapping[str, str]) -> tuple[str, ...]:
        """The values of the variables that the evaluation names, which must be set; nothing may show them. Raises
        ``FileFault``."""
        return required(self.file.env or (), environ, self.place / "env")


def open_evaluation(loaded: Loaded) -> Opened:
    """Checks the keys of an evaluation; nothing that it names is looked for. Raises ``FileFault``."""
    more: dict[str, Any] = {}
    values = loaded.values
    if loaded.source.python:
        more = {name: values[name] for name in PYTHON_KEYS if name in values}
        values = {name: value for name, value in values.items() if name not in more}
        known = [*(each.name for each in keys_of(EvaluationFile)), *PYTHON_KEYS]
        for name in values:
            if name not in known:
                raise unknown_key(loaded.place, name, known)
    file: EvaluationFile = TableOf(EvaluationFile).read(values, loaded.place)
    return Opened(file=file, more=more, name=file.name or loaded.name, place=loaded.place)


def build(opened: Opened, *, overrides: Overrides = NO_OVERRIDES, registry: Registry | None = None) -> Built:
    """The evaluation with all that it names imported and made. Raises ``FileFault`` for whatever cannot be found or
    made."""
    file, place = opened.file, opened.place
    workshop = Workshop(Registry() if registry is None else registry)
    own: list[Own] = []
    gates = _gates(file, workshop, own)
    scorers = _scorers(file, workshop, own)
    options: dict[str, Any] = {"gates": gates, "scorers": scorers}
    if not (gates or own or scorers) and isinstance(file.data, str | DataKeys):
        raise FileFault(place, "there is nothing to measure: no gates and no scorers.")
    _add_target(options, file, place, overrides)
    judge = JudgeShape().read(overrides.judge, place / "--judge") if overrides.judge is not None else file.judge
    if judge is not None:
        options["judge"] = judge_of(judge, place / "judge")
    for name in ("concurrency", "timeout"):
        value = getattr(overrides, name)
        value = getattr(file, name) if value is None else value
        if value is not None:
            options[name] = value
    if file.group_by:
        options["group_by"] = file.group_by
    if file.lifecycle is not None:
        options["lifecycle"] = made_of_class(_loaded(file.lifecycle), place / "lifecycle")
    if file.observers:
        options["observers"] = [
            made_of_class(_loaded(each), place / "observers" / number) for number, each in enumerate(file.observers)
        ]
    options.update({name: value for name, value in opened.more.items() if name not in ("keep_items", "on_error")})
    items = items_of(file.data, place / "data", workshop, tuple(own))
    return Built(
        name=opened.name,
        place=place,
        options=cast("EvalOptions", options),
        items=items,
        fail_fast=opened.more.get("on_error") == "raise",
        outputs=_outputs(file.output, place / "output"),
    )


def _gates(file: EvaluationFile, workshop: Workshop, own: list[Own]) -> list[Any]:
    gates: list[Any] = []
    for entry in file.gates or ():
        made = workshop.gates(entry)
        if entry.when_given:
            own.append(Own(needs=_needed(entry, made), gates=tuple(made)))
        else:
            gates.extend(made)
    return gates


def _scorers(file: EvaluationFile, workshop: Workshop, own: list[Own]) -> Any:
    if isinstance(file.scorers, Groups):
        groups = file.scorers

        def made(entries: Iterable[Entry]) -> list[Any]:
            return [each for entry in entries for each in workshop.scorers(_common(entry))]

        if groups.is_workflow:
            steps = {step: made(entries) for step, entries in groups.steps.items()}
            return WorkflowScorers(workflow=made(groups.workflow), steps=steps, trajectory=made(groups.trajectory))
        return AgentScorers(agent=made(groups.agent), trajectory=made(groups.trajectory))
    if file.scorers is not None and not isinstance(file.scorers, tuple):
        return file.scorers  # the groups themselves, in an evaluation that is Python
    scorers: list[Any] = []
    for entry in file.scorers or ():
        bounds = workshop.scorers(entry)
        if entry.when_given:
            own.append(Own(needs=_needed(entry, bounds), scorers=tuple(bounds)))
        else:
            scorers.extend(bounds)
    return scorers


def _needed(entry: Entry, made: list[Any]) -> tuple[str, ...]:
    needs = needs_of(made)
    if not needs:
        raise FileFault(entry.place / "when_given", f"{entry.said} takes nothing from the items, so it has them all.")
    return needs


def _common(entry: Entry) -> Entry:
    if entry.when_given:
        raise FileFault(entry.place / "when_given", "a scorer in a group is for all items.")
    return entry


def _add_target(options: dict[str, Any], file: EvaluationFile, place: Place, overrides: Overrides) -> None:
    if file.target is not None and file.target_factory is not None:
        raise FileFault(place / "target_factory", "there is a target too; give one of them.")
    if file.target is not None and file.target != RECORDED:
        options["target"] = made_of_class(_loaded(file.target), place / "target")
    if file.target_factory is not None:
        options["target_factory"] = _loaded(file.target_factory)
    if file.target_options or overrides.target_options:
        options["target_options"] = {**(file.target_options or {}), **overrides.target_options}
    if file.reply is not None:
        options["reply"] = {name: _loaded(path) for name, path in file.reply.items()}


def _loaded(value: object) -> object:
    return value.load() if isinstance(value, Reference) else value


def _outputs(output: OutputKeys | None, place: Place) -> dict[str, tuple[Path, Place]]:
    if output is None:
        return {}
    given = {each.name: getattr(output, each.name) for each in fields(OutputKeys)}
    for form, path in given.items():
        if path == "-":
            raise FileFault(place / form, "- is no file; write /dev/stdout for the standard output.")
    return {form: (place.source.path(path), place / form) for form, path in given.items() if path is not None}


def refused(place: Place, error: ConfigurationError) -> ConfigurationError:
    """What ``run_evals`` refused, with the file that it is about."""
    return error if isinstance(error, FileFault) else FileFault(evolve(place, path=()), str(error))
