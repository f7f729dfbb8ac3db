"""What is known of plugins without importing one: their kinds, our own names, what distributions declare."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal, get_args

from attrs import asdict, frozen

if TYPE_CHECKING:
    from importlib.metadata import Distribution

Kind = Literal[
    "scorers",
    "checks",
    "judges",
    "gates",
    "extractors",
    "readers",
    "targets",
    "runners",
    "stores",
    "reporters",
    "commands",
    "embedders",
    "prices",
    "hooks",
]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
"""Every kind of plugin. The plugins of a kind are the entry points of the group ``steelyard.<kind>``."""

_CHECKS: Final = "steelyard-checks"
_CLI: Final = "steelyard-cli"
_EXTRACT_PROVIDERS: Final = "steelyard-extract-providers"

KNOWN: Final[Mapping[str, Mapping[str, str]]] = {
    "checks": {
        "called_tool": _CHECKS,
        "contains_all": _CHECKS,
        "contains_any": _CHECKS,
        "cost_under": _CHECKS,
        "did_not_call": _CHECKS,
        "ends_with": _CHECKS,
        "equals": _CHECKS,
        "excludes": _CHECKS,
        "includes": _CHECKS,
        "is_json": _CHECKS,
        "json_path_equals": _CHECKS,
        "latency_under": _CHECKS,
        "matches": _CHECKS,
        "max_length": _CHECKS,
        "max_tool_calls": _CHECKS,
        "max_turns": _CHECKS,
        "min_length": _CHECKS,
        "no_tool_errors": _CHECKS,
        "not_": _CHECKS,
        "refused": _CHECKS,
        "similarity": _CHECKS,
        "starts_with": _CHECKS,
        "tool_called_with": _CHECKS,
        "tool_order": _CHECKS,
        "used_no_tools": _CHECKS,
    },
    "extractors": {
        "openai-chat": _EXTRACT_PROVIDERS,
        "tau-bench": _EXTRACT_PROVIDERS,
    },
    "readers": {
        "csv": _CLI,
        "json": _CLI,
        "jsonl": _CLI,
        "yaml": _CLI,
    },
}
"""Kind, then name, to the distribution of this project that provides it. A test holds it against what they declare."""

State = Literal["unchecked", "ok", "broken", "clash"]

_PREFIX: Final = "steelyard."
_UNNAMED: Final = "(unnamed distribution)"
_MOST_LISTED: Final = 20
_LONGEST_NAME: Final = 100
_LONGEST_REASON: Final = 1000


@frozen(kw_only=True)
class Plugin:
    """One declared plugin; that it is declared does not say that it can be imported.

    ``value`` is the object reference of its entry point (``"package.module:attribute"``); ``version`` is None where the
    distribution does not tell it.
    """

    kind: str
    name: str
    distribution: str
    version: str | None
    value: str

    @property
    def origin(self) -> str:
        """The distribution with its version, for messages."""
        return f"{self.distribution} {self.version}" if self.version else self.distribution


@frozen(kw_only=True)
class PluginRecord(Plugin):
    """A plugin as a line of a list.

    ``state`` is ``"unchecked"`` (declared, not imported), ``"ok"`` (imported), ``"broken"`` or ``"clash"`` (its name is
    declared more than once); ``reason`` says why for the last two and is None for the others. ``kind`` and ``name`` are
    empty where the declarations of a whole distribution could not be read.
    """

    state: State
    reason: str | None = None


@frozen
class Declarations:
    """What the installed distributions declare, as it was when they were looked through.

    ``plugins`` maps kind and name to the plugins that claim it (several of them clash). ``unusable`` are lines for what
    nobody can ask for, ``unreadable`` the names of distributions whose declarations could not be read.
    """

    plugins: Mapping[str, Mapping[str, tuple[Plugin, ...]]]
    unusable: tuple[PluginRecord, ...]
    unreadable: tuple[str, ...]


def declarations() -> Declarations:
    """Look through the installed distributions. What one of them has wrong costs itself only, and nothing is imported.

    Where several distributions of one name are on the path, the first one counts, as it is the one that gets imported.
    """
    claims: dict[str, dict[str, dict[Plugin, None]]] = {}
    unusable: list[PluginRecord] = []
    unreadable: list[str] = []
    for distribution, folder_name, folder_version in _distributions():
        try:
            text = distribution.read_text("entry_points.txt") or ""
        except Exception as error:
            lost = Plugin(kind="", name="", distribution=folder_name, version=folder_version, value="")
            unusable.append(_broken(lost, f"what it declares cannot be read: {told(error)}"))
            unreadable.append(folder_name)
            continue
        if _PREFIX not in text:
            continue
        title, version = _headers(distribution, folder_name, folder_version)
        for kind, name, value in _entries(text):
            plugin = Plugin(kind=kind, name=name, distribution=title, version=version, value=value)
            if kind not in KINDS:
                unusable.append(_broken(plugin, f"there is no kind of plugin named {shown(kind)}"))
            elif not name:
                unusable.append(_broken(plugin, "it has no name"))
            else:
                claims.setdefault(kind, {}).setdefault(name, {})[plugin] = None
    plugins = {kind: {name: tuple(claim) for name, claim in names.items()} for kind, names in claims.items()}
    return Declarations(plugins, tuple(unusable), tuple(unreadable))


def singular(kind: str) -> str:
    """One plugin of a kind, in words: ``"scorer"`` for ``"scorers"``."""
    return kind.removesuffix("s")


def shown(text: str) -> str:
    """A text from outside, quoted for a message: control characters escaped, and cut where it is overlong."""
    return repr(text if len(text) <= _LONGEST_NAME else f"{text[:_LONGEST_NAME]}...")


def listed(names: Sequence[str]) -> str:
    """Texts quoted one after the other: the first twenty, and the number of the others."""
    more = len(names) - _MOST_LISTED
    return ", ".join(map(shown, names[:_MOST_LISTED])) + (f" and {more} more" if more > 0 else "")


def told(error: BaseException) -> str:
    """Type and message of an exception from outside, cut where it is overlong; without a message, the type."""
    try:
        message = str(error)
    except Exception:
        message = "(its message cannot be read)"
    return f"{type(error).__name__}: {message}"[:_LONGEST_REASON] if message else type(error).__name__


def _distributions() -> Iterator[tuple[Distribution, str, str | None]]:
    """Every distribution once, with the name and version that its metadata folder tells without being read."""
    from importlib.metadata import distributions

    seen: set[str] = set()
    for distribution in distributions():
        name, version = _folder(distribution) or _headers(distribution, _UNNAMED, None)
        key = re.sub(r"[-_.]+", "-", name).lower()
        # An interrupted uninstall leaves folders that begin with a tilde.
        if key in seen or key.startswith("~"):
            continue
        if name != _UNNAMED:
            seen.add(key)
        yield distribution, name, version


def _entries(text: str) -> Iterator[tuple[str, str, str]]:
    """Kind, name and object reference of each plugin in an ``entry_points.txt``; a bad line costs itself."""
    group = ""
    for line in map(str.strip, text.split("\n")):
        if line.startswith("["):
            group = line.strip("[]").strip()
        elif line and not line.startswith(("#", ";")) and group.startswith(_PREFIX):
            name, _, value = line.partition("=")
            yield group.removeprefix(_PREFIX), name.strip(), value.strip()


def _folder(distribution: Distribution) -> tuple[str, str | None] | None:
    """What the name of the metadata folder says; None for a distribution that has no such folder."""
    folder = str(getattr(getattr(distribution, "_path", None), "name", ""))
    stem, _, suffix = folder.rpartition(".")
    name, _, version = stem.partition("-")
    return (_printable(name), _printable(version) or None) if name and suffix in ("dist-info", "egg-info") else None


def _headers(distribution: Distribution, name: str, version: str | None) -> tuple[str, str | None]:
    """Name and version as the metadata give them; the ones given where they do not, or where they cannot be read."""
    try:
        text = distribution.read_text("METADATA") or distribution.read_text("PKG-INFO") or ""
    except Exception:  # the plugin can be used all the same
        return name, version
    fields: dict[str, str] = {}
    for line in text.split("\n"):
        if not line.strip():
            break
        header, _, value = line.partition(":")
        fields.setdefault(header.lower(), _printable(value.strip()))
    return fields.get("name") or name, fields.get("version") or version


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text[:_LONGEST_NAME])


def _broken(plugin: Plugin, reason: str) -> PluginRecord:
    return PluginRecord(**asdict(plugin), state="broken", reason=reason)
