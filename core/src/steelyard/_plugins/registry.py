"""Plugins by kind and name, imported when one is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from inspect import iscoroutine
from typing import Final

from attrs import asdict

from steelyard._model.errors import ConfigurationError, SteelyardError
from steelyard._plugins.known import (
    KINDS,
    KNOWN,
    Declarations,
    Kind,
    Plugin,
    PluginRecord,
    State,
    declarations,
    listed,
    shown,
    singular,
    told,
)

_DOTTED: Final = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_REFERENCE: Final = re.compile(rf"(?P<module>{_DOTTED})\s*(?::\s*(?P<attribute>{_DOTTED})\s*)?(?:\[.*\])?")
_NO_REFERENCE: Final = 'its entry point is no object reference of the form "package.module:attribute"'
_LONGEST_COMPARED: Final = 100


class UnknownPlugin(ConfigurationError, LookupError):
    """No plugin of this kind and name is installed.

    ``installed`` holds the names of that kind that are, ``unreadable`` the distributions whose declarations could not
    be read. ``provider`` is the distribution to install for the name itself, ``near`` the closest other name, installed
    or not; each is None if there is none.
    """

    def __init__(self, kind: str, name: str, installed: Sequence[str] = (), unreadable: Sequence[str] = ()) -> None:
        super().__init__(kind, name, tuple(installed), tuple(unreadable))
        self.kind = kind
        self.name = name
        self.installed = tuple(installed)
        self.unreadable = tuple(unreadable)
        known = KNOWN.get(kind, {})
        self.provider = known.get(name)
        self.near = _nearest(name, {*self.installed, *known} - {name})

    def __str__(self) -> str:
        said = [f"No {singular(self.kind)} named {shown(self.name)} is installed."]
        provider = self.provider
        if provider is None and self.near is not None:
            said.append(f"Did you mean {shown(self.near)}?")
            provider = None if self.near in self.installed else KNOWN[self.kind][self.near]
        if provider is not None:
            said.append(f"It comes with {provider}: pip install {provider}.")
        said.append(f"Installed: {listed(self.installed)}." if self.installed else f"There are no {self.kind} at all.")
        if self.unreadable:
            said.append(f"What these distributions declare could not be read: {listed(self.unreadable)}.")
        return " ".join(said)


class PluginClash(ConfigurationError):
    """One name of one kind is declared more than once; which of the plugins was meant cannot be known.

    ``claimants`` are the plugins of that name, in the order in which they were found.
    """

    def __init__(self, kind: str, name: str, claimants: Sequence[Plugin]) -> None:
        super().__init__(kind, name, tuple(claimants))
        self.kind = kind
        self.name = name
        self.claimants = tuple(claimants)

    def __str__(self) -> str:
        claims = " and ".join(f"{claimant.origin} ({shown(claimant.value)})" for claimant in self.claimants)
        return f"The {singular(self.kind)} {shown(self.name)} is declared by {claims}. Uninstall all but one of them."


class BrokenPlugin(ConfigurationError):
    """An installed plugin could not be imported, or did not make what it was asked for.

    ``plugin`` says which, ``doing`` what it could not, ``reason`` why; ``__cause__`` is the exception behind it.
    """

    def __init__(self, plugin: Plugin, reason: str, doing: str = "be loaded") -> None:
        super().__init__(plugin, reason, doing)
        self.plugin = plugin
        self.reason = reason
        self.doing = doing

    def __str__(self) -> str:
        plugin = self.plugin
        what = f"The {singular(plugin.kind)} {shown(plugin.name)} of {plugin.origin} ({shown(plugin.value)})"
        return f"{what} could not {self.doing}: {self.reason}"


class Registry:
    """The plugins of this environment.

    Installed distributions are looked through once, at the first question, without importing any plugin. A registry
    shares nothing with another one; make a new one to see what was installed since. What one distribution declares
    wrongly touches no other.
    """

    def __init__(self) -> None:
        self._declared: Declarations | None = None

    def names(self, kind: Kind) -> tuple[str, ...]:
        """The declared names of a kind, sorted, broken and clashing ones included. Imports no plugin."""
        return tuple(sorted(self._of(kind)))

    def find(self, kind: Kind, name: str) -> Plugin:
        """The plugin of that kind and name, not imported. Raises ``UnknownPlugin`` or ``PluginClash``."""
        plugins = self._of(kind)
        claimants = plugins.get(name, ())
        if not claimants:
            raise UnknownPlugin(kind, name, sorted(plugins), self._declarations().unreadable)
        if len(claimants) > 1:
            raise PluginClash(kind, name, claimants)
        return claimants[0]

    def load(self, kind: Kind, name: str) -> object:
        """Import that one plugin and give it. Raises ``UnknownPlugin``, ``PluginClash`` or ``BrokenPlugin``.

        Whatever its import raises comes as ``BrokenPlugin``, ``SystemExit`` included; ``KeyboardInterrupt`` passes.
        """
        return _load(self.find(kind, name))

    def listing(self, kind: Kind | None = None, *, check: bool = False) -> tuple[PluginRecord, ...]:
        """A line for each declared plugin of one kind or of all, sorted by kind, name and distribution.

        With ``check=True`` each plugin is imported and its line tells whether that worked; a failure is not raised.
        Without a kind, what nobody can ask for comes last: plugins without a name, those of a kind that does not exist,
        distributions whose declarations cannot be read.
        """
        records = [
            _record(plugin, claimants, check=check)
            for each in (sorted(KINDS) if kind is None else (kind,))
            for _, claimants in sorted(self._of(each).items())
            for plugin in sorted(claimants, key=lambda claimant: claimant.distribution)
        ]
        return (*records, *self._declarations().unusable) if kind is None else tuple(records)

    def _of(self, kind: Kind) -> Mapping[str, tuple[Plugin, ...]]:
        if kind not in KINDS:
            known = ", ".join(KINDS)
            raise ConfigurationError(f"There is no kind of plugin named {shown(str(kind))}; there are {known}.")
        return self._declarations().plugins.get(kind, {})

    def _declarations(self) -> Declarations:
        if self._declared is None:
            self._declared = declarations()
        return self._declared


def resolve_judge(spec: str, registry: Registry, **options: object) -> object:
    """The judge that ``"provider/model"`` names; the model is everything after the first slash.

    The provider is a plugin of the kind ``judges``, called as ``factory(model, **options)``. Raises
    ``ConfigurationError`` where provider or model is missing, ``UnknownPlugin``, ``PluginClash``, and ``BrokenPlugin``
    where the plugin gives no judge; an error of the plugin that is a ``SteelyardError`` passes as it is.
    """
    example = 'Write "provider/model", for example "openai/gpt-4.1-mini".'
    if not isinstance(spec, str):
        raise ConfigurationError(
            f"A judge is named by a text, not by an object of type {type(spec).__name__}. {example}"
        )
    provider, slash, model = spec.partition("/")
    if not slash:
        raise ConfigurationError(f"The judge {shown(spec)} has no slash between provider and model. {example}")
    if not provider.strip() or not model.strip():
        missing = "model after" if provider.strip() else "provider before"
        raise ConfigurationError(f"The judge {shown(spec)} has no {missing} the slash. {example}")
    plugin = registry.find("judges", provider)
    factory = registry.load("judges", provider)
    doing = f"make a judge for the model {shown(model)}"
    if not callable(factory):
        raise BrokenPlugin(plugin, f"an object of type {type(factory).__name__} cannot be called", doing)
    try:
        judge: object = factory(model, **options)
    except SteelyardError:
        raise
    except (Exception, SystemExit) as error:
        raise BrokenPlugin(plugin, told(error), doing) from error
    if not callable(getattr(judge, "answer", judge)):
        if iscoroutine(judge):
            judge.close()
        raise BrokenPlugin(plugin, f"it gave an object of type {type(judge).__name__}, without a method answer", doing)
    return judge


def _load(plugin: Plugin) -> object:
    from importlib import import_module

    reference = _REFERENCE.fullmatch(plugin.value)
    if reference is None:
        raise BrokenPlugin(plugin, _NO_REFERENCE)
    try:
        loaded: object = import_module(reference["module"])
        for attribute in filter(None, (reference["attribute"] or "").split(".")):
            loaded = getattr(loaded, attribute)
    except (Exception, SystemExit) as error:
        raise BrokenPlugin(plugin, told(error)) from error
    return loaded


def _record(plugin: Plugin, claimants: Sequence[Plugin], *, check: bool) -> PluginRecord:
    state: State = "unchecked"
    reason = None
    if len(claimants) > 1:
        state, reason = "clash", str(PluginClash(plugin.kind, plugin.name, claimants))
    elif _REFERENCE.fullmatch(plugin.value) is None:
        state, reason = "broken", _NO_REFERENCE
    elif check:
        try:
            _load(plugin)
            state = "ok"
        except BrokenPlugin as error:
            state, reason = "broken", error.reason
    return PluginRecord(**asdict(plugin), state=state, reason=reason)


def _nearest(name: str, candidates: Iterable[str]) -> str | None:
    from difflib import get_close_matches

    folded = {one.casefold(): one for one in sorted(candidates) if len(one) <= _LONGEST_COMPARED}
    near = get_close_matches(name[:_LONGEST_COMPARED].casefold(), folded, n=1)
    return folded[near[0]] if near else None
