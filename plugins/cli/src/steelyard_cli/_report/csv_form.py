"""Scores as a table for spreadsheets: one row for each item and scorer.

UTF-8, comma, quotes where they are needed, lines end as RFC 4180 has it. ``score`` is a number at full precision, empty
where there is none; ``outcome`` says why. An item whose target failed has a row for each scorer that it would have had,
each of them failed. Where lines of the data were left out, a last row whose ``status`` is ``left out`` says how many in
``reason``; its other columns are empty.

A spreadsheet takes a cell that begins with ``=``, ``+``, ``-``, ``@`` or a tab for a formula. In columns of text such a
cell gets an apostrophe in front. So does one that begins with apostrophes before such a character: where one is found
there, taking away the first gives the text back.
"""

from __future__ import annotations

import csv
import os
import re
from typing import TextIO

from steelyard import EvalResult, Failed, NotScorable, Outcome, Scored
from steelyard_cli._report.expected import Expected
from steelyard_cli._report.files import replaced
from steelyard_cli._report.measures import measures_of
from steelyard_cli._report.model import Report
from steelyard_cli._report.spent import left_out
from steelyard_cli._report.text import without_controls

HEAD = ("index", "id", "status", "turn", "scope", "scorer", "outcome", "score", "label", "step", "reason")

_FORMULA = re.compile("'*[=+\\-@\t＝＋－＠]")
"""How a cell begins that is kept from being a formula; spreadsheets also take the wide forms."""


def write_csv(report: Report, result: EvalResult, path: str | os.PathLike[str]) -> None:
    """Writes the scores of all items to a file, which is replaced at once or stays as it was. Raises ``OSError``."""
    with replaced(path, newline="") as stream:
        _write(report, result, stream)


def _write(report: Report, result: EvalResult, stream: TextIO) -> None:
    hide = report.hide

    def text(value: str | None) -> str:
        shown = "" if value is None else without_controls(hide(value))
        return f"'{shown}" if _FORMULA.match(shown) else shown

    to_file = csv.writer(stream)
    to_file.writerow(HEAD)
    expected = Expected(result)
    for item in result.items:
        for measure in measures_of(item, result) if item.error is None else expected.of(item):
            outcome, score, label, step = _told(measure.outcome)
            to_file.writerow(
                (
                    item.index,
                    text(item.id),
                    str(item.status),
                    "" if measure.turn is None else measure.turn,
                    text(measure.scope),
                    text(measure.key),
                    outcome,
                    score,
                    text(label),
                    text(step),
                    text(measure.outcome.reason),
                )
            )
    if report.skipped:
        told = {"status": "left out", "reason": left_out(report.skipped)}
        to_file.writerow([told.get(column, "") for column in HEAD])


def _told(outcome: Outcome) -> tuple[str, str, str | None, str | None]:
    match outcome:
        case Scored(score=score):
            return "scored", repr(score), outcome.label, None
        case NotScorable(step=step):
            return "not scorable", "", None, step
        case Failed(step=step):
            return "failed", "", None, step
