"""The whole result as JSON, with the report beside it.

A file is what ``steelyard.result_to_json`` gives, so ``steelyard.result_from_json`` reads it, with one key more:
``"report"``, whose own version is ``"steelyard_report"``. There every line of the table has its ``status``, and the
verdict stands in words.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from math import isfinite
from typing import Any

from attrs import fields, has

from steelyard import EvalResult, result_to_json
from steelyard_cli._report.files import json_text, replaced
from steelyard_cli._report.model import Report
from steelyard_cli._report.rows import Row

VERSION = 1


def report_to_json(report: Report) -> dict[str, Any]:
    """The report as JSON data. What was not measured is null."""
    return {"steelyard_report": VERSION, **_plain(report)}


def write_json(report: Report, result: EvalResult, path: str | os.PathLike[str]) -> None:
    """Writes result and report to a file, which is replaced at once or stays as it was. Raises ``OSError``."""
    data = {**report.hide.data(result_to_json(result)), "report": report_to_json(report)}
    with replaced(path) as stream:
        stream.write(json_text(data, indent=1))
        stream.write("\n")


def _plain(value: Any) -> Any:
    if has(type(value)):
        data = {
            attribute.name: _plain(getattr(value, attribute.name))
            for attribute in fields(type(value))
            if attribute.name != "hide"
        }
        if isinstance(value, Row):
            data = {"name": value.name, **data, "bound": value.bound}
        return data
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return float(value) if isfinite(value) else None
    return value
