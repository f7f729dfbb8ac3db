"""Where the reference material lies: golden numbers and recorded conversations, kept beside the checkout and not in it.

Looked for in `../shared` beside the checkout, or in the folder that the environment variable STEELYARD_REFERENCE names.
Where there is none, the tests that need it are skipped, all for the one reason that is told here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

VARIABLE = "STEELYARD_REFERENCE"
ABSENT = (
    f"the reference material is not here: put it beside the checkout as ../shared, or name its folder in {VARIABLE}"
)

Case = Mapping[str, Any]


def folder() -> Path | None:
    """The folder of the material, or None. A folder that was named and is not there is an error, not an absence."""
    named = os.environ.get(VARIABLE)
    if not named:
        beside = Path(__file__).parents[2] / "shared"
        return beside if (beside / "golden").is_dir() else None
    if not (Path(named) / "golden").is_dir():
        raise FileNotFoundError(f"{VARIABLE}={named}: there is no folder golden in it")
    return Path(named)


def golden(name: str) -> Sequence[Case]:
    """The golden cases of a scorer or helper, each with what is expected; none where the material is absent."""
    return _cases(f"{name}.json")


def deviations(name: str) -> Sequence[Case]:
    """The cases in which the original is wrong or arbitrary; none where the material is absent."""
    return _cases(f"{name}.deviations.json")


def sample(path: str) -> Any:
    """A recorded conversation, parsed (a file of lines as their list). Skips the test where the material is absent."""
    here = folder()
    if here is None:
        pytest.skip(ABSENT)
    text = (here / "samples" / path).read_text(encoding="utf-8")
    if not path.endswith(".jsonl"):
        return json.loads(text)
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def each(cases: Sequence[Case]) -> pytest.MarkDecorator:
    """One test per case, named by its id; one skipped test, which says why, where the material is absent."""
    params = [pytest.param(case, id=str(case["id"])) for case in cases]
    return pytest.mark.parametrize("case", params or [pytest.param({}, id="absent", marks=needs_reference)])


@cache
def _cases(file: str) -> Sequence[Case]:
    here = folder()
    if here is None:
        return ()
    cases: list[Case] = json.loads((here / "golden" / file).read_text(encoding="utf-8"))["cases"]
    if not cases:
        raise ValueError(f"{file} holds no case")
    return tuple(cases)


needs_reference = pytest.mark.skipif(folder() is None, reason=ABSENT)
