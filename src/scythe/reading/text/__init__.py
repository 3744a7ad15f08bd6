"""The text methods by name, built-in and from plug-ins.

Entry points: `scythe.text_methods` for methods, `scythe.text_characteristics` for characteristics of VSSE
("vsse+quotes" adds the one called quotes). `scythe.testing` has the checks for both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module

from scythe.errors import BadInput
from scythe.method_parameters import read_method, unknown_method
from scythe.model import Reading, TextOptions
from scythe.page import Page
from scythe.plugins import load_function, make_plug_in, plug_in_names

TextMethod = Callable[[Page, TextOptions], Reading]

KIND = "text method"
BUILT_IN = ("auto", "sentences", "characters", "vsse", "cetr", "cetd")

__all__ = ["BUILT_IN", "TextMethod", "method", "method_names"]


def method_names() -> tuple[str, ...]:
    """Return the known method names: ours first, then those of other installed packages, sorted."""
    return BUILT_IN + plug_in_names(KIND, BUILT_IN)


def method(name: str) -> TextMethod:
    """Return the method called `name`, parameters behind it. Raises BadInput for what nobody provides or won't load."""
    name, arguments = read_method(name)
    if name in BUILT_IN:
        home = f"{__name__}.choose_text" if name == "auto" else f"scythe.reading.papers.{name}"
        read: TextMethod = import_module(home).read
        return replace(read, **arguments) if arguments else read  # type: ignore[type-var]
    base, *added = name.split("+")
    if added and base in BUILT_IN:
        wide = _widen(base, added)
        return replace(wide, **arguments) if arguments else wide  # type: ignore[type-var]
    if name not in method_names():
        raise unknown_method(KIND, name, method_names())
    found: TextMethod = load_function(KIND, name, BUILT_IN)
    return found


def _widen(base: str, added: Sequence[str]) -> TextMethod:
    """Return VSSE with further characteristics."""
    if base != "vsse":
        raise BadInput(f"only vsse takes characteristics of other packages, not {base}")
    from scythe.reading.papers import vsse

    brought = (make_plug_in("text characteristic", name, "weigh") for name in added)
    return replace(vsse.read, name="+".join((base, *added)), characteristics=(*vsse.read.characteristics, *brought))
