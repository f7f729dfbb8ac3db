"""The result as JUnit XML, in the structure that Jenkins publishes as junit-10.

The suite ``<name>: averages`` has a case for each line of the report; its ``system-out`` holds the numbers at full
precision. A gate or bound that was missed is a failure, one that could not be computed an error, one that had no say is
skipped with the reason. A run that ended early has one case more, ``the run``, an error that says why and after how
many items; what held until then is skipped. Lines of the data that were left out are one skipped case, ``the data``.
The suite ``<name>: items`` has a case for each item and gate, and one for each target that failed. There a miss is a
failure and what could not be computed an error only where the gate as a whole did not pass; a target that failed is
always an error. So a file has failures or errors exactly when a gate or threshold did not pass, the target failed on an
item, or the run ended early.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Literal
from xml.etree import ElementTree

from attrs import frozen

from steelyard import EvalResult, Failed, ItemResult, NotScorable, Scored
from steelyard_cli._report.account import error_in_words, named
from steelyard_cli._report.files import replaced
from steelyard_cli._report.measures import Measure, measures_of
from steelyard_cli._report.model import Report
from steelyard_cli._report.rows import Row, RowStatus
from steelyard_cli._report.spent import left_out
from steelyard_cli._report.text import Hide, visible
from steelyard_cli._report.verdict import why_no_say, why_not_passed

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even escaped."""

Ending = Literal["failure", "error", "skipped"]


def legal(text: str) -> str:
    """The text with an escape such as ``\\x1b`` for each character that XML cannot hold."""
    return _ILLEGAL.sub(
        lambda found: f"\\x{ord(found[0]):02x}" if ord(found[0]) < 256 else f"\\u{ord(found[0]):04x}", text
    )


@frozen(kw_only=True)
class Case:
    """One test case; ``ending`` is None for one that passed."""

    group: str
    name: str
    ending: Ending | None = None
    kind: str = ""
    message: str = ""
    out: str = ""
    seconds: float | None = None


def write_junit(report: Report, result: EvalResult, path: str | os.PathLike[str]) -> None:
    """Writes the file, which is replaced at once or stays as it was. Raises ``OSError``.

    Without kept items there is no suite of items.
    """
    suites = [
        (f"{report.name}: averages", [*_of_run(report), *map(_of_row, report.rows)]),
        (f"{report.name}: items", list(_of_items(report, result))),
    ]
    root = ElementTree.Element("testsuites", {"name": legal(report.name)})
    all_cases = [case for _, cases in suites for case in cases]
    root.attrib.update(
        tests=str(len(all_cases)), failures=_number_of(all_cases, "failure"), errors=_number_of(all_cases, "error")
    )
    for name, cases in suites:
        if cases:
            root.append(_suite(name, cases, report if name.endswith(": averages") else None))
    ElementTree.indent(root)
    with replaced(path) as stream:
        stream.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        stream.write(ElementTree.tostring(root, encoding="unicode"))
        stream.write("\n")


def _number_of(cases: list[Case], ending: Ending) -> str:
    return str(sum(case.ending == ending for case in cases))


def _suite(name: str, cases: list[Case], report: Report | None) -> ElementTree.Element:
    suite = ElementTree.Element("testsuite", {"name": legal(name), "tests": str(len(cases))})
    suite.attrib.update(
        failures=_number_of(cases, "failure"), errors=_number_of(cases, "error"), skipped=_number_of(cases, "skipped")
    )
    seconds = [case.seconds for case in cases if case.seconds is not None]
    if seconds:
        suite.set("time", f"{sum(seconds):.3f}")
    if report is not None:
        properties = ElementTree.SubElement(suite, "properties")
        for key, value in _properties(report).items():
            ElementTree.SubElement(properties, "property", {"name": key, "value": legal(value)})
    suite.extend(_element(name, case) for case in cases)
    return suite


def _properties(report: Report) -> dict[str, str]:
    found = {
        "verdict": str(report.verdict or "none"),
        "verdict in words": report.words.headline,
        "items": str(report.n_items),
    }
    if report.partial is not None:
        found["partial"] = report.partial
    if report.skipped:
        found["skipped lines"] = str(report.skipped)
    return found


def _element(suite: str, case: Case) -> ElementTree.Element:
    element = ElementTree.Element("testcase", {"name": legal(case.name), "classname": legal(f"{suite}.{case.group}")})
    if case.seconds is not None:
        element.set("time", f"{case.seconds:.3f}")
    if case.ending is not None:
        ending = ElementTree.SubElement(
            element, case.ending, {"type": case.kind, "message": legal(visible(case.message))}
        )
        ending.text = legal(case.message)
    if case.out:
        ElementTree.SubElement(element, "system-out").text = legal(case.out)
    return element


# -- lines of the report -----------------------------------------------------------------------------------------------


def _of_run(report: Report) -> Iterator[Case]:
    if report.partial is not None:
        why = "" if report.stopped is None else f": {report.stopped}"
        message = f"The run ended early ({report.partial}){why}"
        yield Case(group="run", name="the run", ending="error", kind="ended early", message=message)
    if report.skipped:
        yield Case(group="data", name="the data", ending="skipped", kind="left out", message=left_out(report.skipped))


def _of_row(row: Row) -> Case:
    ending, message = _ending_of(row)
    return Case(
        group=row.kind,
        name=row.name + (f" {row.bound}" if row.kind == "threshold" else ""),
        ending=ending,
        kind=str(row.status),
        message=message,
        out=_numbers(row),
    )


def _ending_of(row: Row) -> tuple[Ending | None, str]:
    match row.status:
        case RowStatus.MISSED:
            return "failure", why_not_passed(row).text
        case RowStatus.NOT_COMPUTED:
            return "error", why_not_passed(row).text
        case RowStatus.NO_SAY:
            return "skipped", why_no_say(row).text
        case RowStatus.NOT_MEASURED:
            return "skipped", f"{row.name} was not measured: {row.n_not_scorable} not scorable, {row.n_failed} failed."
        case RowStatus.HELD:
            return "skipped", f"{row.name} held so far, but the run ended early."
        case RowStatus.PASSED | RowStatus.TRACKED:
            return None, ""


def _numbers(row: Row) -> str:
    found = {
        "status": str(row.status),
        "average": None if row.average is None else repr(row.average),
        "pass rate": None if row.pass_rate is None else repr(row.pass_rate),
        "scored": row.n_scored,
        "not scorable": row.n_not_scorable,
        "failed": row.n_failed,
        "bound": row.bound or None,
    }
    always = ("average",)
    return "\n".join(
        f"{key}: {'not measured' if value is None else value}"
        for key, value in found.items()
        if value is not None or key in always
    )


# -- items -------------------------------------------------------------------------------------------------------------


def _of_items(report: Report, result: EvalResult) -> Iterator[Case]:
    passed: dict[tuple[int | None, str], bool | None] = {}
    passed.update({(None, gate.key): gate.passed for gate in result.gate_results})
    for turn in result.turn_results:
        passed.update({(turn.index, gate.key): gate.passed for gate in turn.gate_results})
    hide = report.hide
    for item in result.items:
        if item.error is not None:
            yield _of_target(item, hide)
            continue
        for measure in measures_of(item, result):
            if measure.is_gate:
                yield _of_gate(item, measure, hide, passed.get((measure.turn, measure.key)))


def _of_target(item: ItemResult, hide: Hide) -> Case:
    why = "" if item.error is None else hide(error_in_words(item.error))
    return Case(
        group="target",
        name=f"{hide(item.id)} / target",
        ending="error",
        kind="target failed",
        message=why,
        seconds=None if item.duration_ms is None else item.duration_ms / 1000,
    )


def _of_gate(item: ItemResult, measure: Measure, hide: Hide, passed: bool | None) -> Case:
    ending: Ending | None = None
    kind, reason = "", hide(measure.outcome.reason or "")
    match measure.outcome:
        case Scored(score=score):
            if measure.missed:
                ending, kind = (None if passed else "failure"), "missed"
            reason = reason or f"scored {score:g}"
            if measure.missed and passed:
                reason = f"missed here, which the gate allows: {reason}"
        case NotScorable():
            ending, kind, reason = "skipped", "not scorable", reason or "not scorable"
        case Failed():
            ending, kind = ("skipped" if passed else "error"), "could not be computed"
    return Case(
        group="gates" if measure.turn is None else f"turn {measure.turn}",
        name=f"{hide(item.id)} / {hide(named(measure).replace('gate ', '', 1))}",
        ending=ending,
        kind=kind,
        message=reason if ending is not None else "",
        out="" if ending is not None else reason,
        seconds=None if item.duration_ms is None else item.duration_ms / 1000,
    )
