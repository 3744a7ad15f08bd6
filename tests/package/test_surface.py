"""What programs rely on does not change by accident: public names, signatures, fields, and the types of all of them."""

import ast
import re
from importlib import import_module
from pathlib import Path

import scythe

from .surface import SUBMODULES, surface

SURFACE = Path(__file__).with_name("surface.txt")
CHANGED = """The public surface is not that of tests/package/surface.txt. Where this is meant:
  pytest tests/package/test_surface.py --accept
then look at the difference, tell of it in CHANGELOG.md, and follow docs/reference/versioning.md:
what is taken away or changed goes on for one minor version, with a warning."""


def test_the_public_surface_is_the_one_that_was_agreed_on(accept: bool) -> None:
    present = surface()
    if accept:
        SURFACE.write_text(present, encoding="utf-8")
    assert SURFACE.read_text(encoding="utf-8").splitlines() == present.splitlines(), CHANGED


def test_public_names_of_submodules_are_those_of_the_reference(root: Path) -> None:
    text = (root / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    for module, names in SUBMODULES.items():
        assert module in text
        assert [name for name in names if name not in text] == []
        assert all(hasattr(import_module(module), name) for name in names)
    paths = {path.rpartition(".")[0] for path in re.findall(r"`(scythe(?:\.[a-z_]+)+\.\w+)`", text)}
    assert paths - {"scythe.errors"} <= {*SUBMODULES, "scythe", "scythe.demo", "scythe.output"}


def test_the_typed_program_of_a_user_uses_every_public_name(root: Path) -> None:
    """`tests/typing/test_typing.py` checks these programs with mypy --strict."""
    used = set()
    for path in sorted((root / "tests" / "typing").glob("good*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "scythe":
                used.add(node.attr)
            if isinstance(node, ast.Attribute):
                used.add(ast.unparse(node))
            if isinstance(node, ast.ImportFrom):
                used |= {f"{node.module}.{alias.name}" for alias in node.names}
    others = {f"{module}.{name}" for module, names in SUBMODULES.items() for name in names}
    assert {*scythe.__all__, *others} - used == set()


def test_listing_the_package_names_everything_public() -> None:
    assert set(scythe.__all__) <= set(dir(scythe))
