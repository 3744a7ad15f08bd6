"""Name the methods for records and attributes: a name comes in, a callable on a page goes out, imported on demand."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from scythe.errors import BadInput
from scythe.model import Region
from scythe.page import Page
from scythe.plug_ins import make_plug_in

Pairs = tuple[tuple[str, str], ...]
RECORD_METHODS = ("auto", "mdr", "stm")
ATTRIBUTE_METHODS = ("auto", "hmm", "cnbe")


def record_method(name: str) -> Callable[[Page], tuple[Region, ...]]:
    """Return the method that finds records: ours, or a published one. Raises BadInput for a name nobody has."""
    if name == "auto":
        from scythe.read.records.regions import read_records

        return read_records
    if name == "mdr":
        from scythe.read.records.mdr import read_by_mdr

        return read_by_mdr
    if name == "stm":
        from scythe.read.records.regroup import read_by_stm

        return read_by_stm
    raise BadInput(f"no record method is called {name!r}; known are {', '.join(RECORD_METHODS)}")


def attribute_method(name: str) -> Callable[[Page], Pairs]:
    """Return the method that finds attributes: ours, or a published one. Raises BadInput for a name nobody has.

    "hmm+weights" is the published one with the characteristic that another package calls weights.
    """
    if name == "auto":
        from scythe.read.records.attributes import read_attributes

        return read_attributes
    if name == "hmm":
        from scythe.read.records.hmm import read_by_hmm

        return read_by_hmm
    if name.startswith("hmm+"):
        from scythe.read.records.hmm import read_by_hmm

        brought = [make_plug_in("record characteristic", one, "mark") for one in name.split("+")[1:]]
        return partial(read_by_hmm, added=tuple(brought))
    if name == "cnbe":
        from scythe.read.records.cnbe import read_by_cnbe

        return read_by_cnbe
    raise BadInput(f"no attribute method is called {name!r}; known are {', '.join(ATTRIBUTE_METHODS)}")
