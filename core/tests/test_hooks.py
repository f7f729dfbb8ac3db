"""Observers are told of a run, are recorded in it, and cannot disturb it."""

from __future__ import annotations

import functools
import importlib
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from steelyard._model.errors import ConfigurationError
from steelyard._plugins.hooks import ObserverRecord, Observers
from steelyard._plugins.registry import BrokenPlugin, PluginClash, Registry, UnknownPlugin


class Recorder:
    """Keeps what it is told, in order."""

    def __init__(self) -> None:
        self.told: list[tuple[str, object]] = []

    def run_started(self, run_info: object) -> None:
        self.told.append(("started", run_info))

    def item_completed(self, item_result: object) -> None:
        self.told.append(("completed", item_result))

    def run_finished(self, result: object) -> None:
        self.told.append(("finished", result))


class Faulty:
    """Raises whatever it was given, in every hook."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def run_started(self) -> None:
        raise self.error

    def item_completed(self) -> None:
        raise self.error

    def run_finished(self) -> None:
        raise self.error


class ItemsOnly:
    def __init__(self, seen: list[object]) -> None:
        self.seen = seen

    def item_completed(self, item_result: object) -> None:
        self.seen.append(item_result)


PLUGINS = """
told = []

class Watcher:
    def __init__(self): told.append("made")
    def item_completed(self, item_result): told.append(item_result)

ready = Watcher()
told.clear()

def make(): return Watcher()
def fail(): raise OSError("disk full")
def leave(): raise SystemExit(1)
def needs_one(argument): return Watcher()
def wrong(): return 3
def run_started(run_info): told.append(run_info)
"""


@pytest.fixture
def plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installed distribution with hooks; its module is forgotten afterwards."""
    names = {
        "kind": ":Watcher",
        "ready": ":ready",
        "made": ":make",
        "whole": "",
        "failing": ":fail",
        "leaving": ":leave",
        "needy": ":needs_one",
        "wrong": ":wrong",
    }
    lines = "".join(f"{name} = acme_watchers{attribute}\n" for name, attribute in names.items())
    info = tmp_path / "acme_watch-2.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-watch\nVersion: 2.1\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[steelyard.hooks]\n{lines}", encoding="utf-8")
    (tmp_path / "acme_watchers.py").write_text(PLUGINS, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("acme_watchers", None)


def run(observers: Observers) -> None:
    observers.run_started("info")
    observers.item_completed("item")
    observers.run_finished("result")


WHOLE_RUN = [("started", "info"), ("completed", "item"), ("finished", "result")]


def test_an_observer_is_told_of_every_part_of_a_run() -> None:
    recorder = Recorder()
    run(Observers([recorder]))
    assert recorder.told == WHOLE_RUN


def test_an_observer_takes_as_few_arguments_as_it_likes() -> None:
    seen: list[str] = []

    class Short:
        def item_completed(self) -> None:
            seen.append("item")

        @staticmethod
        def run_started() -> None:
            seen.append("started")

        @classmethod
        def run_finished(cls, result: object) -> None:
            seen.append(f"finished with {result}")

    run(Observers([Short()]))
    assert seen == ["started", "item", "finished with result"]


def test_a_wrapped_method_keeps_the_arguments_of_what_it_wraps() -> None:
    def twice(method: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(method)
        def both(*args: object) -> None:
            method(*args)
            method(*args)

        return both

    seen: list[object] = []

    class Wrapped:
        @twice
        def item_completed(self, item_result: object) -> None:
            seen.append(item_result)

    run(Observers([Wrapped()]))
    assert seen == ["item", "item"]


def test_an_argument_beside_the_hooks_own_may_have_a_default() -> None:
    seen: list[object] = []

    def item_completed(item_result: object, prefix: str = ">", *, suffix: str = "<") -> None:
        seen.append(f"{prefix}{item_result}{suffix}")

    run(Observers([SimpleNamespace(item_completed=item_completed)]))
    assert seen == [">item<"]


def test_observers_are_told_in_the_order_in_which_they_were_given() -> None:
    seen: list[object] = []

    class Named(ItemsOnly):
        def __init__(self, name: int) -> None:
            self.name = name

        def item_completed(self, item_result: object) -> None:
            seen.append(self.name)

    run(Observers([Named(number) for number in range(12)]))
    assert seen == list(range(12))


def test_a_hook_that_nobody_wants_is_known_beforehand() -> None:
    items = Observers([ItemsOnly([])])
    assert (items.wants_start, items.wants_items, items.wants_finish) == (False, True, False)
    nobody = Observers()
    assert (nobody.wants_start, nobody.wants_items, nobody.wants_finish) == (False, False, False)
    everything = Observers([Recorder()])
    assert (everything.wants_start, everything.wants_items, everything.wants_finish) == (True, True, True)


def test_a_hook_that_is_set_to_none_is_not_wanted() -> None:
    class Quiet(Recorder):
        item_completed = None  # type: ignore[assignment]

    quiet = Quiet()
    observers = Observers([quiet])
    run(observers)
    assert not observers.wants_items
    assert quiet.told == [("started", "info"), ("finished", "result")]


def test_without_observers_nothing_happens_and_pluggy_is_not_loaded() -> None:
    program = (
        f"import sys; sys.path[:] = {sys.path!r}\n"
        "from steelyard._plugins.hooks import Observers\n"
        "none = Observers()\n"
        "none.run_started(1), none.item_completed(2), none.run_finished(3)\n"
        "print(none.names, none.error_count, 'pluggy' in sys.modules)\n"
        "class Watcher:\n"
        "    def run_started(self): print('told')\n"
        "Observers([Watcher()]).run_started(1)\n"
        "print('pluggy' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["() 0 False", "told", "True"]


def test_what_an_observer_raises_is_counted_and_the_others_are_still_told() -> None:
    first, last = Recorder(), Recorder()
    error = RuntimeError("no disk")
    reported: list[tuple[str, str, Exception]] = []
    observers = Observers(
        [first, Faulty(error), last], on_error=lambda name, hook, raised: reported.append((name, hook, raised))
    )
    run(observers)
    assert first.told == last.told == WHOLE_RUN
    assert observers.error_count == 3
    assert reported == [("Faulty", hook, error) for hook in ("run_started", "item_completed", "run_finished")]


def test_errors_of_observers_are_counted_without_anybody_to_report_to() -> None:
    observers = Observers([Faulty(ValueError()), Faulty(TypeError())])
    run(observers)
    assert observers.error_count == 6


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), GeneratorExit()])
def test_an_observer_does_not_hold_up_what_ends_the_program(error: BaseException) -> None:
    observers = Observers([Faulty(error)])
    with pytest.raises(type(error)):
        observers.item_completed("item")
    assert observers.error_count == 0


def test_an_observer_that_gives_something_to_await_is_an_error_of_that_observer() -> None:
    async def later() -> None: ...

    class Sly:
        def item_completed(self) -> object:
            return later()

    raised: list[Exception] = []
    observers = Observers([Sly()], on_error=lambda name, hook, error: raised.append(error))
    run(observers)
    assert observers.error_count == 1
    assert "nothing awaits" in str(raised[0])


def test_what_an_observer_returns_is_not_looked_at() -> None:
    class Chatty:
        def item_completed(self) -> object:
            return {"score": 1.0}

    recorder = Recorder()
    observers = Observers([Chatty(), recorder])
    run(observers)
    assert recorder.told == WHOLE_RUN
    assert observers.error_count == 0


class AsyncItems:
    async def item_completed(self, item_result: object) -> None: ...


class AsyncGenerator:
    async def item_completed(self) -> AsyncIterator[None]:
        yield


class Generator:
    def item_completed(self) -> Iterator[None]:
        yield


class OtherArgument:
    def item_completed(self, item: object) -> None: ...


class KeywordOnly:
    def item_completed(self, *, item_result: object) -> None: ...


class Defaulted:
    def item_completed(self, item_result: object = None) -> None: ...


class Misspelt:
    def item_complete(self, item_result: object) -> None: ...


class Prefixed:
    def run_started(self) -> None: ...

    def on_run_finished(self, result: object) -> None: ...


class NotCallable:
    item_completed = 3


class Nothing:
    def observe(self) -> None: ...


@pytest.mark.parametrize(
    ("observer", "problem"),
    [
        (AsyncItems(), "item_completed of the observer 'AsyncItems' is async"),
        (AsyncGenerator(), "is async or a generator"),
        (Generator(), "is async or a generator"),
        (OtherArgument(), "asks for an argument that it is not given: it may take item_result and nothing else"),
        (KeywordOnly(), "takes item_result by keyword only"),
        (Defaulted(), "has a default for item_result"),
        (Misspelt(), r"There is no hook item_complete, .* Did you mean item_completed\?"),
        (Prefixed(), r"There is no hook on_run_finished, .* Did you mean run_finished\?"),
        (NotCallable(), "is of type int"),
        (SimpleNamespace(item_completed=[].append), "is of type builtin_function_or_method"),
        (SimpleNamespace(item_completed=functools.partial(print)), "is of type partial"),
        (Nothing(), r"has none of run_started\(run_info\), item_completed\(item_result\), run_finished\(result\)"),
        (None, "an object of type NoneType has none of"),
        (print, "has none of"),
        (Recorder, r"The observer Recorder is a class; give Recorder\(\)"),
    ],
)
def test_what_cannot_observe_is_refused_before_the_run(observer: object, problem: str) -> None:
    with pytest.raises(ConfigurationError, match=problem):
        Observers([Recorder(), observer])


def test_a_method_named_like_a_hook_is_the_observers_own_where_the_hook_is_there_too() -> None:
    class Careful(Recorder):
        def run_finish(self) -> None: ...

    recorder = Careful()
    run(Observers([recorder]))
    assert recorder.told == WHOLE_RUN


def test_properties_of_an_observer_are_not_read() -> None:
    class Touchy:
        def run_started(self) -> None: ...

        @property
        def item_complete(self) -> object:
            raise AssertionError("read")

    assert Observers([Touchy()]).wants_start


@pytest.mark.parametrize("text", ["progress", b"progress"])
def test_a_text_in_place_of_a_list_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="come as a list"):
        Observers(text)


def test_observers_given_by_hand_are_recorded_by_name_alone() -> None:
    module = ModuleType("acme.observing")
    module.run_started = lambda: None  # type: ignore[attr-defined]
    assert Observers([Recorder(), module]).names == (ObserverRecord("Recorder"), ObserverRecord("acme.observing"))


def test_named_observers_are_recorded_with_version_and_distribution(plugins: Path) -> None:
    observers = Observers(["kind", Recorder(), "whole"], Registry())
    assert observers.names == (
        ObserverRecord("kind", "2.1", "acme-watch"),
        ObserverRecord("Recorder"),
        ObserverRecord("whole", "2.1", "acme-watch"),
    )


@pytest.mark.parametrize(
    ("name", "told"),
    [("kind", ["made", "item"]), ("made", ["made", "item"]), ("ready", ["item"]), ("whole", ["info"])],
)
def test_a_named_observer_is_an_object_a_module_or_what_makes_one(plugins: Path, name: str, told: list[str]) -> None:
    run(Observers([name]))
    assert importlib.import_module("acme_watchers").told == told


def test_a_hook_does_not_run_because_it_is_installed(plugins: Path) -> None:
    assert "kind" in Registry().names("hooks")
    run(Observers([Recorder()], Registry()))
    run(Observers([], Registry()))
    assert "acme_watchers" not in sys.modules


def test_what_is_given_twice_is_told_once(plugins: Path) -> None:
    recorder = Recorder()
    observers = Observers([recorder, "ready", recorder, "ready"])
    run(observers)
    assert recorder.told == WHOLE_RUN
    assert importlib.import_module("acme_watchers").told == ["item"]
    assert len(observers.names) == 2


def test_two_observers_that_are_equal_are_both_told() -> None:
    class Equal(Recorder):
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

    one, other = Equal(), Equal()
    run(Observers([one, other]))
    assert one.told is not other.told
    assert len(one.told) == len(other.told) == 3


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("failing", "The hook 'failing' of acme-watch 2.1 .* could not make an observer: OSError: disk full"),
        ("leaving", "could not make an observer: SystemExit: 1"),
        ("needy", "could not make an observer: TypeError"),
    ],
)
def test_a_named_observer_that_cannot_be_made_is_a_broken_plugin(plugins: Path, name: str, problem: str) -> None:
    with pytest.raises(BrokenPlugin, match=problem) as caught:
        Observers([name])
    assert caught.value.__cause__ is not None


def test_a_named_observer_without_hooks_is_refused(plugins: Path) -> None:
    with pytest.raises(ConfigurationError, match="told to the observer 'wrong': an object of type int"):
        Observers(["wrong"])


def test_a_name_that_is_not_installed_is_an_unknown_plugin(plugins: Path) -> None:
    with pytest.raises(UnknownPlugin, match=r"No hook named 'raedy' is installed\. Did you mean 'ready'\?"):
        Observers(["raedy"])


def test_a_name_of_two_distributions_is_a_clash(plugins: Path) -> None:
    info = plugins / "acme_other-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: acme-other\nVersion: 1\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[steelyard.hooks]\nready = elsewhere:hook\n", encoding="utf-8")
    importlib.invalidate_caches()
    with pytest.raises(PluginClash, match="acme-other 1"):
        Observers(["ready"])
