"""The field bug log of the reference material: which entries a section has, and what a module of tests makes of them.

A test names its entries (B099) in its docstring; a sentence stands for an entry that has nothing to test.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from tests.reference import folder

Sentences = Sequence[tuple[str, str]]

_ID = re.compile(r"\bB\d{3}\b")


def entries(section: str) -> Sequence[str]:
    """The ids of a section, in order. The reference material must be there; a section that is not is an error."""
    here = folder()
    assert here is not None
    log = (here / "field" / "bug-log.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(section)}$(.*?)(?=^## |\Z)", log, re.DOTALL | re.MULTILINE)
    if found is None:
        raise LookupError(f"the bug log has no section {section!r}")
    return re.findall(r"^### (B\d{3})$", found[1], re.MULTILINE)


def unaccounted(sections: Sequence[str], tests: Mapping[str, object], sentences: Sentences) -> Sequence[str]:
    """What is wrong with the account that tests and sentences give of sections; empty when each entry has one."""
    known = [id for section in sections for id in entries(section)]
    tested = {id for name, test in tests.items() if name.startswith("test_") for id in _ID.findall(test.__doc__ or "")}
    told = Counter(id for id, _ in sentences)
    return [
        *(f"{id} has neither a test nor a sentence" for id in known if id not in tested and id not in told),
        *(f"{id} has a test and also a sentence" for id in sorted(tested & set(told))),
        *(f"{id} has {count} sentences" for id, count in told.items() if count > 1),
        *(f"{id} is no entry of {', '.join(sections)}" for id in sorted((tested | set(told)) - set(known))),
        *(f"{id} has no sentence: {text!r}" for id, text in sentences if not text.strip().endswith(".")),
    ]
