"""The floors of the core hold, and everybody else comes in through the front door."""

from pathlib import Path

import pytest

from tools import import_rules
from tools.import_rules import offences

Tree = dict[str, str]


def workspace(root: Path, tree: Tree) -> Path:
    for name, text in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def found(root: Path, tree: Tree) -> list[str]:
    return [str(offence) for offence in offences(workspace(root, tree))]


def room(name: str) -> str:
    return f"core/src/steelyard/{name}/module.py"


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("_model", "_judging"),
        ("_model", "_plugins"),
        ("_model", "_running"),
        ("_judging", "_plugins"),
        ("_judging", "_scoring"),
        ("_plugins", "_judging"),
        ("_plugins", "_scoring"),
        ("_scoring", "_running"),
        ("_scoring", "_wire"),
        ("_running", "_wire"),
    ],
)
@pytest.mark.parametrize(
    "text",
    [
        "from steelyard.{} import x\n",
        "from steelyard.{}.module import x\n",
        "from ..{} import x\n",
        "from .. import {}\n",
        "from steelyard import {}\n",
        "import steelyard.{}.module\n",
        "def late():\n    from steelyard.{} import x\n",
        "if TYPE_CHECKING:\n    from steelyard.{} import x\n",
        "importlib.import_module('steelyard.{}.module')\n",
        "import_module('..{}.module', __package__)\n",
    ],
)
def test_a_room_that_imports_beside_or_above_itself_is_an_offence(
    tmp_path: Path, here: str, there: str, text: str
) -> None:
    line = text.count("\n")
    assert found(tmp_path, {room(here): text.format(there)}) == [
        f"{room(here)}:{line}: {here} imports {there}, which is not on a floor under it"
    ]


@pytest.mark.parametrize("here", sorted(import_rules.FLOORS))
def test_a_room_may_import_itself_the_floors_under_it_and_other_packages(tmp_path: Path, here: str) -> None:
    lower = "".join(f"from ..{there}.module import x\n" for there in sorted(import_rules.FLOORS[here]))
    own = "from . import neighbour\nfrom .neighbour import x\nimport attrs\nfrom collections import abc\n"
    assert found(tmp_path, {room(here): lower + own}) == []


@pytest.mark.parametrize("here", [*sorted(import_rules.FLOORS), "."])
@pytest.mark.parametrize("text", ["from steelyard import testing", "from steelyard.testing import ScriptedJudge"])
def test_nothing_in_the_core_imports_the_testing_helpers(tmp_path: Path, here: str, text: str) -> None:
    name = "core/src/steelyard/__init__.py" if here == "." else room(here)
    [offence] = found(tmp_path, {name: text})
    assert "steelyard.testing, which nothing may import" in offence


def test_the_testing_helpers_may_import_every_room(tmp_path: Path) -> None:
    text = "".join(f"from .._{there} import x\n" for there in ("model", "scoring", "running", "wire"))
    assert found(tmp_path, {room("testing"): text + "from steelyard import Scored\n"}) == []


def test_the_root_may_name_every_room(tmp_path: Path) -> None:
    text = "".join(f"from .{there} import x\n" for there in import_rules.FLOORS)
    assert found(tmp_path, {"core/src/steelyard/__init__.py": text}) == []


@pytest.mark.parametrize("text", ["import steelyard", "from steelyard import Scored", "from .. import Scored"])
def test_a_room_that_imports_through_the_door_of_the_package_is_an_offence(tmp_path: Path, text: str) -> None:
    [offence] = found(tmp_path, {room("_scoring"): text})
    assert "through the door of the package" in offence


def test_a_room_that_the_table_does_not_hold_is_an_offence(tmp_path: Path) -> None:
    [offence] = found(tmp_path, {room("_attic"): "from .._model import x"})
    assert "_attic is no room" in offence


def test_the_core_imports_nothing_that_is_built_on_it(tmp_path: Path) -> None:
    [offence] = found(tmp_path, {room("_running"): "from steelyard_checks import includes"})
    assert "_running imports steelyard_checks" in offence


@pytest.mark.parametrize(
    "text",
    [
        "from steelyard import _model",
        "from steelyard._model import Scored",
        "import steelyard._model.outcome",
        "from steelyard.testing import ScriptedJudge",
        "from steelyard import testing",
        "def late():\n    from steelyard._wire import x",
        "from steelyard_grounding._claims import x",
    ],
)
@pytest.mark.parametrize("folder", ["checks/src/steelyard_checks", "prebuilt/tools/src/steelyard_tools"])
def test_another_distribution_that_imports_what_is_private_or_for_tests_is_an_offence(
    tmp_path: Path, folder: str, text: str
) -> None:
    [offence] = found(tmp_path, {f"{folder}/module.py": text})
    assert offence.startswith(f"{folder}/module.py:")


def test_another_distribution_may_import_what_is_public_and_its_own_rooms(tmp_path: Path) -> None:
    text = (
        "import steelyard\nfrom steelyard import Scored\nfrom . import _text\nfrom steelyard_checks._text import fold\n"
    )
    assert found(tmp_path, {"checks/src/steelyard_checks/module.py": text}) == []


def test_an_example_imports_what_a_user_would(tmp_path: Path) -> None:
    text = (
        "from steelyard import run_evals\nfrom steelyard.testing import ScriptedJudge\nfrom steelyard._model import x\n"
    )
    assert found(tmp_path, {"examples/shop/agent.py": text}) == [
        "examples/shop/agent.py:3: examples imports steelyard._model.x, which is private"
    ]


def test_the_command_fails_when_there_is_an_offence_and_only_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    workspace(tmp_path, {room("_model"): "import attrs\n"})
    assert import_rules.main() == 0
    workspace(tmp_path, {room("_model"): "from .._wire import x\n"})
    assert import_rules.main() == 1
    assert f"{room('_model')}:1: _model imports _wire" in capsys.readouterr().out
