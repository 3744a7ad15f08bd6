"""Parameters of published methods, written behind their name: `sentences:minimum=4`, `mdr:threshold=.3,k=10`.

One table says which there are, with the paper's defaults and the section that has them; whoever writes another is told.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scythe.errors import BadInput

Number = int | float


@dataclass(frozen=True, slots=True)
class MethodParameter:
    """One number of a method."""

    name: str  # as people write it
    argument: str  # of the function or record that it goes to
    default: Number
    least: Number
    most: Number
    section: str  # of the paper


_P = MethodParameter
_MDR = (
    _P("threshold", "threshold", 0.3, 0.0, 1.0, "004, section 2.2"),
    _P("k", "most_nodes", 10, 1, 20, "004, section 2.2"),
)
PARAMETERS: dict[str, tuple[MethodParameter, ...]] = {
    "sentences": (_P("minimum", "minimum", 5, 1, 1_000, "001, section 5.2"),),
    "characters": (_P("minimum", "minimum", 500, 1, 1_000_000, "001, section 5.1"),),
    "vsse": (
        _P("t1", "min_share", 0.8, 0.0, 1.0, "002, section 4.3"),
        _P("t2", "max_distance", 3, 0, 64, "002, section 4.4"),
        _P("l", "idf_floor", 0.01, 0.0, 100.0, "002, section 4.4"),
    ),
    "cetr": (
        _P("clusters", "clusters", 3, 2, 20, "002, section 5.3"),
        _P("sigma", "sigma", 1.0, 0.1, 100.0, "002, section 5.3"),
        _P("ahead", "ahead", 3, 1, 100, "002, section 5.3"),
    ),
    "mdr": _MDR,
    "stm": (*_MDR, _P("score", "alike", 0.65, 0.0, 1.0, "004, section 2.3")),
    "ses": (_P("alpha", "alpha", 0.5, 0.0, 1.0, "004, section 2.5"),),
}


RECORD_NAMES = ("mdr", "stm")  # published methods for lists; all others are for text


class Methods(NamedTuple):
    """The methods by which pages are read, each with its parameters."""

    text: str = "auto"
    records: str = "auto"


def split_methods(names: Sequence[str]) -> Methods:
    """Tell which of some methods is for text and which for lists. Raises BadInput where there are two for one."""
    records = [name for name in names if read_method(name).name in RECORD_NAMES]
    texts = [name for name in names if name not in records]
    if max(len(records), len(texts)) > 1:
        raise BadInput(f"one method for the text and one for the lists can be named, not {', '.join(names)}")
    return Methods(*(texts or ["auto"]), *(records or ["auto"]))


class MethodCalled(NamedTuple):
    """A method's name, and the arguments that differ from its defaults."""

    name: str
    arguments: dict[str, Number]


def read_method(text: str) -> MethodCalled:
    """Split `name:parameter=number,...`. Raises BadInput that lists the parameters there are."""
    name, colon, rest = text.partition(":")
    if not colon:
        return MethodCalled(text, {})
    known = {each.name: each for each in PARAMETERS.get(name.partition("+")[0], ())}
    arguments: dict[str, Number] = {}
    for part in rest.split(","):
        key, equals, value = (each.strip() for each in part.partition("="))
        parameter = known.get(key)
        if parameter is None or not equals:
            raise BadInput(f"{text[:80]}: {part.strip()[:40]!r} is no parameter; {describe_parameters(name)}")
        arguments[parameter.argument] = _number(value, parameter, text)
    return MethodCalled(name, arguments)


def unknown_method(kind: str, name: str, known: Iterable[str]) -> BadInput:
    """Return the error for a name nobody has: it lists those there are, with their parameters."""
    listed = "; ".join(f"{each}:{_listed(each)}" if each in PARAMETERS else each for each in known)
    return BadInput(f"unknown {kind} {name!r:.80}; expected one of {listed}")


def _listed(name: str) -> str:
    return ",".join(f"{each.name}={each.default:g} ({each.section})" for each in PARAMETERS[name])


def describe_parameters(name: str) -> str:
    """Say which parameters a method has, with their defaults and the sections of the paper."""
    if name not in PARAMETERS:
        return f"{name[:40]} has none"
    return f"{name} has {_listed(name)}"


def _number(value: str, parameter: MethodParameter, text: str) -> Number:
    whole = isinstance(parameter.default, int)
    try:
        number: Number = int(value) if whole else float(value)
    except ValueError:
        number = math.nan
    if not parameter.least <= number <= parameter.most:
        kind = "whole number" if whole else "number"
        raise BadInput(
            f"{text[:80]}: {parameter.name} is a {kind} from {parameter.least:g} to {parameter.most:g}, "
            f"{parameter.default:g} in {parameter.section}"
        )
    return number
