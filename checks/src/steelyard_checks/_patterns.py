"""The check ``matches``: a regular expression searched for in the answer, within a limit of time.

The ``regex`` package searches, since the standard library's ``re`` cannot be stopped. A text is read as ``re`` reads
it, and what ``re`` refuses but ``regex`` knows (``\\p{L}``, ``[[:alpha:]]``) works too; a pattern or flags made by
``regex`` itself are read in its own way.
"""

from __future__ import annotations

import re
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias

from steelyard import AgentOutput, ConfigurationError, FromItem, Scored, ScorerRun, TimedOut
from steelyard_checks._arguments import any_text, refuse, seconds, true_or_false
from steelyard_checks._making import Argument, Check, Decide, make_check
from steelyard_checks._text import joined
from steelyard_checks._wording import LONGEST, named, place, said, shown

if TYPE_CHECKING:
    import regex

    PatternLike: TypeAlias = str | re.Pattern[str] | regex.Pattern[str]

_LETTERS = {
    "a": re.ASCII,
    "i": re.IGNORECASE,
    "m": re.MULTILINE,
    "s": re.DOTALL,
    "u": re.UNICODE,
    "x": re.VERBOSE,
}
_KNOWN_TO_RE = re.ASCII | re.IGNORECASE | re.MULTILINE | re.DOTALL | re.UNICODE | re.VERBOSE
_FLAGS_HINT = (
    "Known are IGNORECASE, MULTILINE, DOTALL, VERBOSE and ASCII, or their letters i, m, s, x and a. "
    "Every run searches from the start, so there is no global or sticky flag."
)
# Braces that count something or belong to a name are left; in a class they are literal anyway.
_LONE_BRACE = re.compile(r"\\[NpP]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|[^\\\]])*\]|\{\d*,?\d*\}|(\{)", re.DOTALL)


def matches(
    pattern: PatternLike | FromItem,
    *,
    exact: bool | FromItem = False,
    flags: int | str | FromItem = 0,
    timeout: float | FromItem = 1.0,
) -> Check:
    """Whether a regular expression is found in the answer: 1.0 or 0.0.

    ``pattern`` is a text, or compiled by ``re`` or ``regex`` with flags of its own; ``flags`` are those of ``re`` or
    their letters (``"im"``), and case counts unless they say otherwise. Each assistant message is searched by itself;
    an answer without text is searched as one empty text. ``exact`` asks that the whole answer matches: the
    assistant's texts that are not empty, joined by a blank line. The texts are in composed form (NFC), the pattern is
    used as it stands, and ``.`` is one code point. Groups play no part, whether they captured something or not.

    A search that takes longer than ``timeout`` seconds over one run raises ``TimedOut``, so that the check has failed
    and there is no score. Of several patterns that an item brings, one is enough; each has that time. Raises
    ``ConfigurationError`` for a pattern that cannot be read and for unknown flags.
    """
    if not isinstance(pattern, str | FromItem) and _is_compiled(pattern):
        if isinstance(flags, FromItem) or flags:
            raise ConfigurationError("matches(flags=): a compiled pattern has its own flags; leave flags= out.")
        flags = _own_flags(pattern)
        pattern = pattern.pattern if isinstance(pattern, re.Pattern) else pattern
    if not isinstance(pattern, FromItem) and not isinstance(flags, FromItem):
        compiled(pattern_of(pattern, "matches(pattern=)"), flags_of(flags, "matches(flags=)"))
    return make_check(
        "matches",
        f"The {'whole ' if exact is True else ''}answer matches {_quoted(pattern)}.",
        [
            Argument("pattern", pattern, pattern_of),
            Argument("exact", exact, true_or_false, default=False, keyword=True),
            Argument("flags", flags, flags_of, default=0, keyword=True),
            Argument("timeout", timeout, seconds, default=1.0, keyword=True),
        ],
        _matches,
    )


def _matches(pattern: PatternLike, exact: bool, flags: int, timeout: float) -> Decide:
    searched = compiled(pattern, flags)
    quoted = _quoted(pattern)
    search = searched.fullmatch if exact else searched.search
    nothing = "The whole answer does not match" if exact else "Nothing matches"

    def decide(run: ScorerRun[Any, AgentOutput]) -> Scored:
        output = run.output
        texts = (joined(output.search_texts),) if exact else (output.search_texts or ("",))
        begun = monotonic()
        try:
            for number, text in enumerate(texts):
                left = timeout - (monotonic() - begun)
                if left <= 0:
                    raise TimeoutError
                found = search(text, timeout=left)
                if found is not None:
                    return Scored(1.0, _hit(quoted, found, exact, place(number, texts)))
        except TimeoutError as error:
            raise TimedOut(f"The search for {quoted}", timeout) from error
        return Scored(0.0, f"{nothing} {quoted}: {said(output)}.")

    return decide


def _hit(quoted: str, found: regex.Match[str], exact: bool, where: str) -> str:
    if exact:
        return f"The whole answer matches {quoted}."
    return f"{quoted} matches {shown(found[0])} at character {found.start() + 1} of {where}."


def compiled(pattern: PatternLike, flags: int) -> regex.Pattern[str]:
    """The pattern as ``regex`` searches for it.

    Raises ``ConfigurationError`` with the words of ``regex`` for one that cannot be read.
    """
    import regex

    if not isinstance(pattern, str):
        own = flags_of(_own_flags(pattern), "matches(pattern=)")
        if flags not in (0, own):
            raise ConfigurationError("matches(flags=): a compiled pattern has its own flags; leave flags= out.")
        if isinstance(pattern, regex.Pattern):
            return pattern
        pattern, flags = pattern.pattern, own
    text = pattern
    if not flags & (regex.VERSION0 | regex.VERSION1):
        text, flags = as_re_reads(text), flags | regex.VERSION0
    try:
        made = regex.compile(text, flags)
    except (regex.error, ValueError, OverflowError, RecursionError) as error:
        raise ConfigurationError(f"matches(pattern=): {_quoted(pattern)} cannot be read: {error}.") from error
    if made.flags & regex.LOCALE:
        raise ConfigurationError(f"matches(pattern=): {_quoted(pattern)} asks for LOCALE, which texts do not have.")
    return made


def as_re_reads(pattern: str) -> str:
    """The pattern with those braces escaped that ``re`` takes as they are and ``regex`` for a fuzzy match: ``f{i}``."""
    return _LONE_BRACE.sub(lambda found: r"\{" if found[1] else found[0], pattern)


def pattern_of(value: object, where: str) -> PatternLike:
    """A pattern of texts: a text, or compiled. What it says is not looked at here."""
    if _is_compiled(value):
        any_text(value.pattern, where)  # type: ignore[attr-defined]
        return value  # type: ignore[return-value]
    if not isinstance(value, str):
        refuse(where, "a regular expression", value)
    return value


def flags_of(value: object, where: str) -> int:
    """The flags as ``regex`` numbers them; a version among them says that its own way of reading was asked for."""
    import regex

    if isinstance(value, bool) or not isinstance(value, int | str):
        refuse(where, "flags of re or their letters", value)
    if isinstance(value, str):
        unknown = sorted(set(value) - set(_LETTERS))
        if unknown:
            raise ConfigurationError(f"{where}: unknown flag {unknown[0]!r} in {value!r:.80}. {_FLAGS_HINT}")
        asked = re.RegexFlag(0)
        for letter in value:
            asked |= _LETTERS[letter]
        value = asked
    if isinstance(value, regex.RegexFlag):
        if value & (regex.LOCALE | regex.DEBUG):
            raise ConfigurationError(f"{where}: LOCALE and DEBUG have no use here, found {value!r}.")
        return int(value if value & (regex.VERSION0 | regex.VERSION1) else value | regex.VERSION0)
    if value < 0 or value & ~int(_KNOWN_TO_RE):
        raise ConfigurationError(f"{where}: unknown flags in {value!r}. {_FLAGS_HINT}")
    # The two packages number all of these alike but ASCII.
    return value & ~int(re.ASCII) | (int(regex.ASCII) if value & re.ASCII else 0)


def _is_compiled(value: object) -> bool:
    import regex

    return isinstance(value, re.Pattern | regex.Pattern)


def _own_flags(pattern: re.Pattern[str] | regex.Pattern[str]) -> int:
    """A compiled pattern's flags but for those that say nothing, in the numbers of the package that made it."""
    import regex

    if isinstance(pattern, re.Pattern):
        return pattern.flags & ~int(re.UNICODE | re.DEBUG)
    return regex.RegexFlag(pattern.flags & ~int(regex.UNICODE | regex.DEBUG))


def _quoted(pattern: object) -> str:
    """The pattern between slashes, as it was written."""
    if isinstance(pattern, FromItem):
        return named(pattern)
    text = str(getattr(pattern, "pattern", pattern)).replace("\n", "\\n")
    text = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return f"/{text}/".encode("utf-8", "backslashreplace").decode()
