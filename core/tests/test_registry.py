"""Plugins are found without being imported, and what is wrong with one of them touches no other."""

from __future__ import annotations

import importlib
import pickle
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from steelyard._model.errors import ConfigurationError, JudgeError, SteelyardError
from steelyard._plugins.known import KINDS, Kind
from steelyard._plugins.registry import BrokenPlugin, PluginClash, Registry, UnknownPlugin, resolve_judge


class Environment:
    """A folder on the path, into which distributions are installed by hand."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def module(self, name: str, source: str) -> None:
        (self.folder / f"{name}.py").write_text(source, encoding="utf-8")
        importlib.invalidate_caches()

    def distribution(self, name: str, entry_points: str | bytes, *, folder: str = "", metadata: bytes = b"") -> None:
        info = self.folder / (folder or f"{name.replace('-', '_')}-1.0.dist-info")
        info.mkdir(parents=True)
        written = metadata or f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n\nName: not this one\n".encode()
        (info / "METADATA").write_bytes(written)
        content = entry_points if isinstance(entry_points, bytes) else entry_points.encode()
        (info / "entry_points.txt").write_bytes(content)
        importlib.invalidate_caches()


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Environment]:
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    yield Environment(tmp_path)
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def one_of_each(environment: Environment) -> Environment:
    """Working, broken, leaving and clashing gates, each in distributions of their own."""
    environment.module("gates_that_work", "def strict(): return 'strict'\nclass Box:\n    class lid: pass\n")
    environment.module("gates_that_do_not", "import a_module_that_nobody_has\n")
    environment.module("gates_that_leave", "import sys\nsys.exit('no licence')\n")
    environment.distribution("acme-good", "[steelyard.gates]\nstrict = gates_that_work:strict\n")
    environment.distribution("acme-broken", "[steelyard.gates]\nbroken = gates_that_do_not:gate\n")
    environment.distribution("acme-leaving", "[steelyard.gates]\nleaving = gates_that_leave:gate\n")
    environment.distribution("acme-one", "[steelyard.gates]\ntwice = gates_that_work:strict\n")
    environment.distribution("acme-two", "[steelyard.gates]\ntwice = gates_that_do_not:strict\n")
    return environment


def states(kind: Kind | None = None, *, check: bool = False) -> Mapping[tuple[str, str], str]:
    lines = Registry().listing(kind, check=check)
    return {(line.name, line.distribution): line.state for line in lines if line.distribution.startswith("acme")}


def fresh_interpreter(source: str, *paths: Path) -> str:
    """Run a program without site-packages hooks, which may have imported anything; the path is that of this process."""
    path = [*map(str, paths), *sys.path]
    program = f"import sys\nsys.path[:] = {path!r}\n{source}"
    done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_names_and_listing_import_no_plugin(one_of_each: Environment) -> None:
    printed = fresh_interpreter(
        "from steelyard._plugins.registry import Registry\n"
        "registry = Registry()\n"
        "print(*registry.names('gates'), *registry.listing('gates'), registry.find('gates', 'strict'), sep=chr(10))\n"
        "registry.listing()\n"
        "print('imported', [name for name in sys.modules if name.startswith('gates_that')])\n",
        one_of_each.folder,
    )
    *said, imported = printed.splitlines()
    assert {"broken", "leaving", "strict", "twice"} < set(said)
    assert imported == "imported []"


def test_loading_one_plugin_imports_that_one_alone(one_of_each: Environment) -> None:
    printed = fresh_interpreter(
        "from steelyard._plugins.registry import Registry\n"
        "print(Registry().load('gates', 'strict')())\n"
        "print([name for name in sys.modules if name.startswith('gates_that')])\n",
        one_of_each.folder,
    )
    assert printed.splitlines() == ["strict", "['gates_that_work']"]


def test_importing_the_registry_and_the_hooks_loads_neither_the_metadata_reader_nor_pluggy() -> None:
    printed = fresh_interpreter(
        "import steelyard._plugins.registry, steelyard._plugins.hooks\n"
        "steelyard._plugins.registry.Registry(), steelyard._plugins.hooks.Observers()\n"
        "print([name for name in ('importlib.metadata', 'pluggy', 'asyncio', 'cattrs', 'structlog') "
        "if name in sys.modules])\n"
    )
    assert printed.strip() == "[]"


def test_a_plugin_is_found_with_the_distribution_that_declares_it(one_of_each: Environment) -> None:
    plugin = Registry().find("gates", "strict")
    assert (plugin.kind, plugin.name, plugin.distribution, plugin.version) == ("gates", "strict", "acme-good", "1.0")
    assert plugin.value == "gates_that_work:strict"


def test_a_plugin_may_be_a_module_or_deep_inside_one_and_may_name_extras(one_of_each: Environment) -> None:
    one_of_each.distribution(
        "acme-more",
        "# a comment\n[other]\nx = y\n[steelyard.targets]\n# off = gates_that_work\n; off = gates_that_work\n"
        "whole = gates_that_work\ndeep = gates_that_work:Box.lid [big]\n",
    )
    registry = Registry()
    assert cast(Any, registry.load("targets", "whole")).strict() == "strict"
    assert cast(type, registry.load("targets", "deep")).__name__ == "lid"
    assert not [name for name in registry.names("targets") if "off" in name]


def test_a_new_registry_sees_what_was_installed_since(environment: Environment) -> None:
    before = Registry()
    assert "late" not in before.names("stores")
    environment.distribution("acme-late", "[steelyard.stores]\nlate = late:store\n")
    assert "late" not in before.names("stores")
    assert "late" in Registry().names("stores")


def test_a_plugin_whose_import_fails_breaks_only_when_it_is_asked_for(one_of_each: Environment) -> None:
    registry = Registry()
    assert cast(Any, registry.load("gates", "strict"))() == "strict"
    with pytest.raises(BrokenPlugin) as caught:
        registry.load("gates", "broken")
    assert isinstance(caught.value, ConfigurationError)
    assert isinstance(caught.value.__cause__, ModuleNotFoundError)
    for part in ("gate 'broken'", "acme-broken 1.0", "gates_that_do_not:gate", "ModuleNotFoundError", "nobody_has"):
        assert part in str(caught.value)


def test_a_plugin_that_exits_at_import_does_not_end_the_program(one_of_each: Environment) -> None:
    with pytest.raises(BrokenPlugin, match="SystemExit: no licence") as caught:
        Registry().load("gates", "leaving")
    assert isinstance(caught.value.__cause__, SystemExit)


@pytest.mark.parametrize("check", [False, True])
def test_an_interrupt_during_an_import_passes(environment: Environment, check: bool) -> None:
    environment.module("interrupted", "raise KeyboardInterrupt\n")
    environment.distribution("acme-slow", "[steelyard.prices]\nslow = interrupted:prices\n")
    registry = Registry()
    with pytest.raises(KeyboardInterrupt):
        registry.listing("prices", check=True) if check else registry.load("prices", "slow")


def test_a_missing_attribute_is_a_broken_plugin(one_of_each: Environment) -> None:
    one_of_each.distribution("acme-typo", "[steelyard.gates]\ntypo = gates_that_work:strickt\n")
    with pytest.raises(BrokenPlugin, match="AttributeError"):
        Registry().load("gates", "typo")


def test_an_exception_that_cannot_say_its_message_is_contained_too(environment: Environment) -> None:
    environment.module("mute", "class Mute(Exception):\n    def __str__(self): raise ValueError\nraise Mute\n")
    environment.distribution("acme-mute", "[steelyard.gates]\nmute = mute:gate\n")
    with pytest.raises(BrokenPlugin, match="Mute: "):
        Registry().load("gates", "mute")


def test_two_distributions_with_one_name_are_an_error_that_names_both(one_of_each: Environment) -> None:
    registry = Registry()
    for ask in (registry.find, registry.load):
        with pytest.raises(PluginClash) as caught:
            ask("gates", "twice")
        assert isinstance(caught.value, ConfigurationError)
        assert {claimant.distribution for claimant in caught.value.claimants} == {"acme-one", "acme-two"}
        assert "acme-one 1.0" in str(caught.value)
        assert "acme-two 1.0" in str(caught.value)


def test_two_distributions_clash_even_when_they_name_the_same_object(one_of_each: Environment) -> None:
    one_of_each.distribution("acme-copy", "[steelyard.gates]\nstrict = gates_that_work:strict\n")
    with pytest.raises(PluginClash, match=r"acme-copy.*acme-good|acme-good.*acme-copy"):
        Registry().find("gates", "strict")


def test_a_name_may_stand_in_two_kinds(one_of_each: Environment) -> None:
    one_of_each.distribution("acme-kinds", "[steelyard.runners]\nstrict = gates_that_work:Box\n")
    registry = Registry()
    assert registry.find("gates", "strict").distribution == "acme-good"
    assert registry.find("runners", "strict").distribution == "acme-kinds"


def test_one_distribution_seen_twice_on_the_path_is_no_clash(
    one_of_each: Environment, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Environment(tmp_path_factory.mktemp("editable"))
    first.distribution(
        "Acme.Good",
        "[steelyard.gates]\nstrict = gates_that_work:strict\n",
        folder="Acme.Good-2.0.dist-info",
        metadata=b"Name: Acme.Good\nVersion: 2.0\n",
    )
    monkeypatch.syspath_prepend(first.folder)
    plugin = Registry().find("gates", "strict")
    assert (plugin.distribution, plugin.version) == ("Acme.Good", "2.0")


def test_what_an_older_copy_further_down_the_path_declares_does_not_count(
    one_of_each: Environment, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Environment(tmp_path_factory.mktemp("newer"))
    first.distribution("acme-good", "[console_scripts]\nacme = acme:main\n", folder="acme_good-3.0.dist-info")
    monkeypatch.syspath_prepend(first.folder)
    assert "strict" not in Registry().names("gates")


def test_what_an_interrupted_uninstall_left_behind_is_no_plugin(one_of_each: Environment) -> None:
    one_of_each.distribution(
        "",
        "[steelyard.gates]\nstrict = gates_of_old:strict\n",
        folder="~cme_good-0.9.dist-info",
        metadata=b"Name: acme-good\nVersion: 0.9\n",
    )
    assert Registry().find("gates", "strict").origin == "acme-good 1.0"


def test_a_name_given_twice_in_one_distribution_with_two_meanings_is_a_clash(one_of_each: Environment) -> None:
    one_of_each.distribution("acme-torn", "[steelyard.stores]\nx = a:b\nx = a:b\ny = a:b\ny = a:c\n")
    registry = Registry()
    assert registry.find("stores", "x").value == "a:b"
    with pytest.raises(PluginClash, match=r"'a:b'.*'a:c'"):
        registry.find("stores", "y")


def test_the_listing_tells_the_state_of_each_and_imports_only_when_told_to_check(one_of_each: Environment) -> None:
    unchecked = states("gates")
    assert unchecked["strict", "acme-good"] == unchecked["broken", "acme-broken"] == "unchecked"
    assert unchecked["twice", "acme-one"] == unchecked["twice", "acme-two"] == "clash"
    assert "gates_that_work" not in sys.modules
    checked = states("gates", check=True)
    assert checked == {
        ("broken", "acme-broken"): "broken",
        ("leaving", "acme-leaving"): "broken",
        ("strict", "acme-good"): "ok",
        ("twice", "acme-one"): "clash",
        ("twice", "acme-two"): "clash",
    }


def test_the_listing_gives_a_reason_for_what_is_not_in_order_alone(one_of_each: Environment) -> None:
    lines = Registry().listing("gates", check=True)
    assert {line.state for line in lines} == {"ok", "broken", "clash"}
    for line in lines:
        assert (line.reason is None) == (line.state == "ok")


@pytest.mark.parametrize(
    "value", ["", "no reference", "a:b:c", "3:x", ".relative:x", "a..b:c", "os;evil:x", "a:", "x=y"]
)
def test_a_malformed_object_reference_costs_itself_only(one_of_each: Environment, value: str) -> None:
    one_of_each.distribution("acme-bad", f"[steelyard.gates]\nbad = {value}\nfine = gates_that_work:strict\n")
    registry = Registry()
    with pytest.raises(BrokenPlugin, match="no object reference") as caught:
        registry.load("gates", "bad")
    assert caught.value.__cause__ is None
    assert cast(Any, registry.load("gates", "fine"))() == "strict"
    assert states("gates")["bad", "acme-bad"] == "broken"


def test_a_line_that_declares_nothing_costs_itself_only(one_of_each: Environment) -> None:
    one_of_each.distribution(
        "acme-odd", "[steelyard.gates]\nno equals sign\n = a:b\nfine = gates_that_work:strict\n[\n"
    )
    registry = Registry()
    assert {"no equals sign", "fine"} < set(registry.names("gates"))
    assert "" not in registry.names("gates")
    assert registry.find("gates", "fine").distribution == "acme-odd"
    assert ("", "acme-odd") in states()


def test_declarations_that_cannot_be_read_are_listed_and_named_when_a_name_is_missing(one_of_each: Environment) -> None:
    one_of_each.distribution("acme-latin", "[steelyard.gates]\ncafé = a:b\n".encode("latin-1"))
    registry = Registry()
    assert cast(Any, registry.load("gates", "strict"))() == "strict"
    line = next(line for line in registry.listing() if line.distribution == "acme_latin")
    assert (line.kind, line.name, line.state) == ("", "", "broken")
    assert "UnicodeDecodeError" in str(line.reason)
    with pytest.raises(UnknownPlugin, match="could not be read: 'acme_latin'"):
        registry.find("gates", "café")


@pytest.mark.parametrize(
    "metadata",
    [
        b"Metadata-Version: 2.1\n",
        b"\n\n",
        b"Metadata-Version: 2.1\n\nName: of the text\nVersion: none\n",
        b"no header at all",
        b"Name:\nVersion:\n",
        b"\xff\xfe\x00Name",
    ],
)
def test_a_distribution_without_readable_metadata_is_called_by_its_folder(
    one_of_each: Environment, metadata: bytes
) -> None:
    one_of_each.distribution(
        "", "[steelyard.gates]\nbare = gates_that_work:strict\n", folder="acme_bare-7.dist-info", metadata=metadata
    )
    registry = Registry()
    assert registry.find("gates", "bare").origin == "acme_bare 7"
    assert cast(Any, registry.load("gates", "bare"))() == "strict"


def test_a_distribution_without_a_metadata_file_can_be_used(one_of_each: Environment) -> None:
    one_of_each.distribution("x", "[steelyard.gates]\nbare = gates_that_work:strict\n", folder="acme_bare.dist-info")
    (one_of_each.folder / "acme_bare.dist-info" / "METADATA").unlink()
    plugin = Registry().find("gates", "bare")
    assert (plugin.distribution, plugin.version, plugin.origin) == ("acme_bare", None, "acme_bare")


def test_control_characters_in_metadata_do_not_reach_a_message(one_of_each: Environment) -> None:
    one_of_each.distribution(
        "", "[steelyard.gates]\nevil\x1b[2J = a:\x1bb\n", folder="evil-1.dist-info", metadata=b"Name: ev\x1b[31mil\n"
    )
    registry = Registry()
    name = next(name for name in registry.names("gates") if name.startswith("evil"))
    with pytest.raises(BrokenPlugin) as caught:
        registry.load("gates", name)
    assert str(caught.value).isprintable()


def test_a_distribution_of_a_finder_that_knows_no_folders_can_be_used(
    one_of_each: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib.metadata import Distribution

    class InMemory(Distribution):
        def __init__(self, **files: str) -> None:
            self.files_by_stem = files

        def read_text(self, filename: str) -> str | None:
            return self.files_by_stem.get(filename.partition(".")[0])

        def locate_file(self, path: object) -> Any:
            raise NotImplementedError

    class Finder:
        @staticmethod
        def find_spec(*_: object) -> None:
            return None

        @staticmethod
        def find_distributions(_: object) -> Iterator[Distribution]:
            yield InMemory(
                METADATA="Name: in-memory\nVersion: 3\n", entry_points="[steelyard.gates]\nm = gates_that_work"
            )
            yield InMemory(entry_points="[steelyard.gates]\nn = gates_that_work")
            yield InMemory(entry_points="[steelyard.gates]\no = gates_that_work")

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder])
    registry = Registry()
    assert registry.find("gates", "m").origin == "in-memory 3"
    assert registry.find("gates", "n").origin == registry.find("gates", "o").origin == "(unnamed distribution)"
    assert cast(Any, registry.load("gates", "m")).strict() == "strict"


def test_a_group_of_a_kind_that_does_not_exist_is_listed_as_such(one_of_each: Environment) -> None:
    one_of_each.distribution("acme-singular", "[steelyard.gate]\nlost = gates_that_work:strict\n")
    line = next(line for line in Registry().listing() if line.name == "lost")
    assert (line.kind, line.state) == ("gate", "broken")
    assert "no kind of plugin named 'gate'" in str(line.reason)


def test_asking_for_a_kind_that_does_not_exist_says_which_there_are() -> None:
    with pytest.raises(ConfigurationError, match=r"'scorer'; there are scorers, checks, .*hooks"):
        Registry().names(cast(Any, "scorer"))


def test_the_kinds_are_those_that_others_declare_plugins_for() -> None:
    published = "scorers checks judges gates extractors readers targets runners stores reporters commands embedders"
    assert " ".join(KINDS) == f"{published} prices hooks"


def test_an_unknown_name_says_what_is_installed_and_what_is_close(one_of_each: Environment) -> None:
    with pytest.raises(UnknownPlugin) as caught:
        Registry().load("gates", "Strikt")
    assert isinstance(caught.value, ConfigurationError)
    assert isinstance(caught.value, LookupError)
    assert caught.value.near == "strict"
    assert "No gate named 'Strikt' is installed. Did you mean 'strict'?" in str(caught.value)
    assert {"broken", "leaving", "strict", "twice"} <= set(caught.value.installed)
    assert "Installed: " in str(caught.value)
    assert "'leaving', " in str(caught.value)
    assert "pip install" not in str(caught.value)


def test_an_unknown_name_that_one_of_our_packages_has_says_which() -> None:
    error = UnknownPlugin("checks", "includes")
    assert error.provider == "steelyard-checks"
    assert str(error) == (
        "No check named 'includes' is installed. It comes with steelyard-checks: pip install steelyard-checks. "
        "There are no checks at all."
    )


def test_a_misspelt_name_of_a_package_that_is_not_installed_says_both() -> None:
    error = UnknownPlugin("checks", "called-tool", ["mine"])
    assert error.provider is None
    assert error.near == "called_tool"
    assert "Did you mean 'called_tool'? It comes with steelyard-checks" in str(error)


def test_an_unknown_name_like_no_other_is_not_guessed_at() -> None:
    error = UnknownPlugin("checks", "zzzz")
    assert error.near is None
    assert "mean" not in str(error)


def test_the_message_for_an_unknown_name_is_bounded_whatever_was_asked_and_is_installed() -> None:
    error = UnknownPlugin("checks", "n" * 1_000_000, [f"{i}" + "x" * 10_000 for i in range(1_000)], ["d" * 10_000] * 50)
    assert len(str(error)) < 6_000
    assert "and 980 more" in str(error)


@pytest.mark.parametrize("name", ["broken", "twice", "nowhere"])
def test_the_errors_of_plugins_pickle(one_of_each: Environment, name: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Registry().load("gates", name)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is type(caught.value)
    assert str(copy) == str(caught.value)


JUDGES = """
from steelyard._model.errors import JudgeError

class Judge:
    def __init__(self, model, **options):
        self.model, self.options = model, options
    async def answer(self, request): ...

def fails(model): raise OSError("no key")
def leaves(model): raise SystemExit(2)
def refuses(model): raise JudgeError("this model is retired")
def interrupts(model): raise KeyboardInterrupt
def nothing(model): return None
async def late(model): return Judge(model)
def function(model):
    async def judge(request): ...
    return judge
constant = 3
"""


@pytest.fixture
def judges(environment: Environment) -> Registry:
    environment.module("acme_judges", JUDGES)
    names = ["Judge", "fails", "leaves", "refuses", "interrupts", "nothing", "late", "function", "constant"]
    lines = "".join(f"{name.lower()} = acme_judges:{name}\n" for name in names)
    environment.distribution("acme-judges", f"[steelyard.judges]\n{lines}gone = acme_judges_gone:judge\n")
    return Registry()


def test_a_judge_is_made_by_its_provider_for_all_that_follows_the_first_slash(judges: Registry) -> None:
    judge = cast(Any, resolve_judge("judge/org/model:7b", judges, timeout=3))
    assert judge.model == "org/model:7b"
    assert judge.options == {"timeout": 3}


def test_a_judge_may_be_a_function(judges: Registry) -> None:
    assert callable(resolve_judge("function/x", judges))


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("judge", "no slash"),
        ("", "no slash"),
        ("/model", "no provider before the slash"),
        ("  /model", "no provider before the slash"),
        ("judge/", "no model after the slash"),
        ("judge/ ", "no model after the slash"),
        (None, "not by an object of type NoneType"),
    ],
)
def test_a_judge_without_provider_or_model_is_refused_with_an_example(
    judges: Registry, spec: str, problem: str
) -> None:
    with pytest.raises(ConfigurationError, match=f'{problem}.*"openai/'):
        resolve_judge(spec, judges)


def test_a_provider_that_is_not_installed_is_an_unknown_plugin(judges: Registry) -> None:
    with pytest.raises(UnknownPlugin, match=r"No judge named 'jugde' is installed\. Did you mean 'judge'\?"):
        resolve_judge("jugde/x", judges)


@pytest.mark.parametrize(
    ("provider", "problem"),
    [
        ("fails", "could not make a judge for the model 'x': OSError: no key"),
        ("leaves", "could not make a judge for the model 'x': SystemExit: 2"),
        ("nothing", "gave an object of type NoneType, without a method answer"),
        ("late", "gave an object of type coroutine, without a method answer"),
        ("constant", "an object of type int cannot be called"),
        ("gone", "could not be loaded: ModuleNotFoundError"),
    ],
)
def test_a_provider_that_gives_no_judge_is_a_broken_plugin(judges: Registry, provider: str, problem: str) -> None:
    with pytest.raises(BrokenPlugin, match=problem) as caught:
        resolve_judge(f"{provider}/x", judges)
    assert caught.value.plugin.distribution == "acme-judges"


def test_an_option_that_a_provider_does_not_take_is_a_broken_plugin_with_its_cause(judges: Registry) -> None:
    with pytest.raises(BrokenPlugin, match="unexpected keyword argument") as caught:
        resolve_judge("function/x", judges, temperature=1)
    assert isinstance(caught.value.__cause__, TypeError)


def test_an_error_of_ours_that_a_provider_raises_comes_through_as_it_is(judges: Registry) -> None:
    with pytest.raises(JudgeError, match="retired") as caught:
        resolve_judge("refuses/x", judges)
    assert not isinstance(caught.value, ConfigurationError)
    assert isinstance(caught.value, SteelyardError)


def test_an_interrupt_while_a_judge_is_made_passes(judges: Registry) -> None:
    with pytest.raises(KeyboardInterrupt):
        resolve_judge("interrupts/x", judges)
