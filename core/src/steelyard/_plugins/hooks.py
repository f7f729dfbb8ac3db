"""Observers of a run: told when it starts, when an item completes and when it ends, and never able to disturb it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from inspect import (
    Parameter,
    getattr_static,
    isasyncgenfunction,
    iscoroutine,
    iscoroutinefunction,
    isfunction,
    isgeneratorfunction,
    ismethod,
    signature,
)
from typing import TYPE_CHECKING, Final

from attrs import frozen

from steelyard._model.errors import ConfigurationError, SteelyardError
from steelyard._plugins.known import shown, told
from steelyard._plugins.registry import BrokenPlugin, Registry

if TYPE_CHECKING:
    import pluggy

OnError = Callable[[str, str, Exception], object]
"""Called with the name of an observer, the name of the hook and what the observer raised."""


class ObserverHooks:
    """What an observer may have: any of these methods, each taking any of the arguments, by these names.

    Observers are called one after the other in the thread of the run; what they return is not looked at.
    """

    def run_started(self, run_info: object) -> None:
        """An evaluation is about to take its first item."""

    def item_completed(self, item_result: object) -> None:
        """An item is done with all its scorers. Items come as they complete, in no order, each with its index."""

    def run_finished(self, result: object) -> None:
        """The evaluation is over and this is its result."""


_ARGUMENTS: Final[Mapping[str, str]] = {
    "run_started": "run_info",
    "item_completed": "item_result",
    "run_finished": "result",
}
_LOOKS_LIKE_A_HOOK: Final = 0.85

_PLAIN_SPEC: Final[pluggy.HookspecOpts] = {
    "firstresult": False,
    "historic": False,
    "warn_on_impl": None,
    "warn_on_impl_args": None,
}
_PLAIN_IMPLEMENTATION: Final[pluggy.HookimplOpts] = {
    "wrapper": False,
    "hookwrapper": False,
    "optionalhook": False,
    "tryfirst": False,
    "trylast": False,
    "specname": None,
}


@frozen
class ObserverRecord:
    """An observer as a run records it: its name, and version and distribution where it came from an entry point."""

    name: str
    version: str | None = None
    distribution: str | None = None


class Observers:
    """The observers of one run.

    Each is an object with some of the methods of ``ObserverHooks``, or the name of a plugin of the kind ``hooks``; that
    is such an object, or a class or function that gives one when called without arguments. Nothing observes a run
    merely because it is installed, and what is given twice is called once.

    Raises ``ConfigurationError`` for what cannot observe (no such method, a misspelt one, an async one, an unknown
    argument), and what ``Registry.load`` raises. What an observer raises later never gets out: it is counted in
    ``error_count`` and given to ``on_error``, whose own exceptions pass. So do ``KeyboardInterrupt``, ``SystemExit``
    and cancellation.

    ``names`` records the observers; ``wants_start``, ``wants_items`` and ``wants_finish`` tell whether anybody listens,
    so that what nobody reads need not be made.
    """

    def __init__(
        self, observers: Iterable[object] = (), registry: Registry | None = None, *, on_error: OnError | None = None
    ) -> None:
        if isinstance(observers, str | bytes):
            raise ConfigurationError(f"Observers come as a list; write [{shown(str(observers))}].")
        found = _distinct(observers, registry)
        subscriptions = _subscriptions(found) if found else {}
        self.names = tuple(record for record, _ in found)
        self.error_count = 0
        self._on_error = on_error
        self._started = subscriptions.get("run_started", ())
        self._completed = subscriptions.get("item_completed", ())
        self._finished = subscriptions.get("run_finished", ())
        self.wants_start = bool(self._started)
        self.wants_items = bool(self._completed)
        self.wants_finish = bool(self._finished)

    def run_started(self, run_info: object) -> None:
        """Tell the observers that have ``run_started``."""
        for subscription in self._started:
            self._call(subscription, "run_started", run_info)

    def item_completed(self, item_result: object) -> None:
        """Tell the observers that have ``item_completed``."""
        for subscription in self._completed:
            self._call(subscription, "item_completed", item_result)

    def run_finished(self, result: object) -> None:
        """Tell the observers that have ``run_finished``."""
        for subscription in self._finished:
            self._call(subscription, "run_finished", result)

    def _call(self, subscription: _Subscription, hook: str, value: object) -> None:
        try:
            answer = subscription.method(value) if subscription.takes_argument else subscription.method()
            if iscoroutine(answer):
                answer.close()
                raise TypeError(f"{hook} gave a coroutine; nothing awaits what an observer gives")
        except Exception as error:
            self.error_count += 1
            if self._on_error is not None:
                self._on_error(subscription.name, hook, error)


@frozen
class _Subscription:
    name: str
    method: Callable[..., object]
    takes_argument: bool


def _distinct(observers: Iterable[object], registry: Registry | None) -> list[tuple[ObserverRecord, object]]:
    """The observers, each once, with their records; those that are named are loaded."""
    found: list[tuple[ObserverRecord, object]] = []
    names: set[str] = set()
    for observer in observers:
        if not isinstance(observer, str):
            if not any(observer is known for _, known in found):
                found.append((_recorded(observer), observer))
        elif observer not in names:
            names.add(observer)
            registry = Registry() if registry is None else registry
            found.append(_loaded(observer, registry))
    return found


def _recorded(observer: object) -> ObserverRecord:
    if isinstance(observer, type):
        raise ConfigurationError(f"The observer {observer.__qualname__} is a class; give {observer.__qualname__}().")
    return ObserverRecord(str(getattr(observer, "__name__", type(observer).__qualname__)))


def _loaded(name: str, registry: Registry) -> tuple[ObserverRecord, object]:
    plugin = registry.find("hooks", name)
    observer = registry.load("hooks", name)
    if isinstance(observer, type) or (callable(observer) and not _hooks_of(observer)):
        try:
            observer = observer()
        except SteelyardError:
            raise
        except (Exception, SystemExit) as error:
            raise BrokenPlugin(plugin, told(error), "make an observer") from error
    return ObserverRecord(plugin.name, plugin.version, plugin.distribution), observer


def _subscriptions(found: Sequence[tuple[ObserverRecord, object]]) -> dict[str, tuple[_Subscription, ...]]:
    """Who is to be called for each hook, and with what: pluggy matches the arguments of methods with the hooks'."""
    import pluggy

    class Manager(pluggy.PluginManager):
        """Takes methods by their names, so that an observer needs no decorator."""

        def parse_hookspec_opts(self, module_or_class: object, name: str) -> pluggy.HookspecOpts | None:
            return _PLAIN_SPEC if name in _ARGUMENTS else None

        def parse_hookimpl_opts(self, plugin: object, name: str) -> pluggy.HookimplOpts | None:
            return _PLAIN_IMPLEMENTATION if name in _ARGUMENTS else None

    manager = Manager("steelyard")
    manager.add_hookspecs(ObserverHooks)
    for index, (record, observer) in enumerate(found):
        for hook, method in _checked(record.name, observer).items():
            try:
                manager.register(_Holder(hook, method), name=f"{index} {hook}")
            except pluggy.PluginValidationError as error:
                raise ConfigurationError(
                    f"{hook} of the observer {shown(record.name)} asks for an argument that it is not given: "
                    f"it may take {_ARGUMENTS[hook]} and nothing else."
                ) from error
    return {
        hook: tuple(
            _Subscription(
                name=found[int(implementation.plugin_name.split()[0])][0].name,
                method=implementation.function,
                takes_argument=bool(implementation.argnames),
            )
            for implementation in getattr(manager.hook, hook).get_hookimpls()
        )
        for hook in _ARGUMENTS
    }


class _Holder:
    """One method of an observer under the name of its hook, so that pluggy looks at nothing else of the observer."""

    def __init__(self, hook: str, method: object) -> None:
        self.__dict__[hook] = method


def _hooks_of(observer: object) -> dict[str, object]:
    return {hook: method for hook in _ARGUMENTS if (method := getattr(observer, hook, None)) is not None}


def _checked(name: str, observer: object) -> Mapping[str, Callable[..., object]]:
    """The hooks of an observer; raises ``ConfigurationError`` for what would never be called, or never work."""
    who = f"the observer {shown(name)}"
    hooks = _hooks_of(observer)
    for attribute in dir(observer):
        near = get_close_matches(attribute, _ARGUMENTS, n=1, cutoff=_LOOKS_LIKE_A_HOOK)
        if near and near[0] not in hooks and callable(getattr_static(observer, attribute, None)):
            raise ConfigurationError(f"There is no hook {attribute}, which {who} has. Did you mean {near[0]}?")
    if not hooks:
        known = ", ".join(f"{hook}({argument})" for hook, argument in _ARGUMENTS.items())
        raise ConfigurationError(
            f"Nothing can be told to {who}: an object of type {type(observer).__name__} has none of {known}."
        )
    return {hook: _plain(method, f"{hook} of {who}", _ARGUMENTS[hook]) for hook, method in hooks.items()}


def _plain(method: object, what: str, argument: str) -> Callable[..., object]:
    if not (isfunction(method) or ismethod(method)):
        raise ConfigurationError(f"{what} is of type {type(method).__name__}; make it a method or a function.")
    if iscoroutinefunction(method) or isasyncgenfunction(method) or isgeneratorfunction(method):
        raise ConfigurationError(f"{what} is async or a generator, and nothing would await it; make it a plain method.")
    for parameter in signature(method).parameters.values():
        if parameter.kind is Parameter.KEYWORD_ONLY and parameter.default is Parameter.empty:
            raise ConfigurationError(f"{what} takes {parameter.name} by keyword only; leave out the star before it.")
        if parameter.name == argument and parameter.default is not Parameter.empty:
            raise ConfigurationError(f"{what} has a default for {argument} and so is never given one; leave it out.")
    return method
