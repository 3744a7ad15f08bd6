"""The record and attribute methods by name, and the lazily computed lists of a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial

from scythe.method_parameters import read_method, unknown_method
from scythe.model import Listed, Paging, RecordList, Span
from scythe.page import Page
from scythe.plugins import make_plug_in

Pairs = tuple[tuple[str, str], ...]
RECORD_METHODS = ("auto", "mdr", "stm")
ATTRIBUTE_METHODS = ("auto", "hmm", "cnbe")


def record_method(name: str) -> Callable[[Page], tuple[RecordList, ...]]:
    """Return the method that finds records: ours, or a published one with its parameters. Raises BadInput."""
    name, arguments = read_method(name)
    if name == "auto":
        from scythe.reading.lists.find_lists import read_records

        return read_records
    if name == "mdr":
        from scythe.reading.papers.mdr import read_by_mdr

        return partial(read_by_mdr, **arguments)  # type: ignore[arg-type]
    if name == "stm":
        from scythe.reading.papers.stm import read_by_stm

        return partial(read_by_stm, **arguments)  # type: ignore[arg-type]
    raise unknown_method("record method", name, RECORD_METHODS)


def attribute_method(name: str) -> Callable[[Page], Pairs]:
    """Return the method that finds attributes: ours, or a published one. Raises BadInput for a name nobody has.

    "hmm+weights" is the published one with the characteristic that another package calls weights.
    """
    if name == "auto":
        from scythe.reading.attributes.subject_attributes import read_attributes

        return read_attributes
    if name == "hmm":
        from scythe.reading.papers.hmm import read_by_hmm

        return read_by_hmm
    if name.startswith("hmm+"):
        from scythe.reading.papers.hmm import read_by_hmm

        brought = [make_plug_in("record characteristic", one, "mark") for one in name.split("+")[1:]]
        return partial(read_by_hmm, added=tuple(brought))
    if name == "cnbe":
        from scythe.reading.papers.cnbe import read_by_cnbe

        return read_by_cnbe
    raise unknown_method("attribute method", name, ATTRIBUTE_METHODS)


class LazyPageLists:
    """The lists of one page. Holds the page's tree; pickled or copied, it becomes what it found."""

    def __init__(self, page: Page, method: str = "auto") -> None:
        self.page = page
        self.method = method

    @cached_property
    def _lists(self) -> tuple[RecordList, ...]:
        return record_method(self.method)(self.page)

    def lists(self) -> tuple[RecordList, ...]:
        """Return the lists of records, best first."""
        return self._lists

    @cached_property
    def _attributes(self) -> Pairs:
        return attribute_method("auto")(self.page)

    def attributes(self) -> Pairs:
        """Return what the page says of its subject."""
        return self._attributes

    def paging(self) -> Paging:
        """Return the other pages of the list that the page is part of."""
        from scythe.reading.lists.paging import read_paging

        return read_paging(self.page)

    def where(self) -> Mapping[str, tuple[Span | None, ...]]:
        """Return where the value of each attribute stands, as far as that is known."""
        return {"attributes": self.page.places.of_pairs(self.attributes())}

    def __reduce__(self) -> tuple[type[Listed], tuple[tuple[RecordList, ...], tuple[tuple[str, str], ...], Paging]]:
        return Listed, (self.lists(), self.attributes(), self.paging())
