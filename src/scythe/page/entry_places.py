"""Number the places of texts in records: elements and the rows of a record come in, a number for each leaf goes out.

The place of a text is the path of labels from the record down to the element it stands in. The same place in two
records, or on two pages, has the same name; that is what learned columns are made of.
"""

from __future__ import annotations

from scythe.page.elements import Elements
from scythe.page.entry_labels import label_of

_MOST = 50_000  # places kept; a hostile page may have a new one for every text
_NAME_CHARS = 400  # of a place's name; what is nested deeper than that shares its name with its neighbours


class Places:
    """The places met so far. Numbering only adds to them; the numbers stay good until `is_full`."""

    def __init__(self) -> None:
        self.names: list[str] = [""]  # of each number
        self._next: dict[tuple[int, str, int], int] = {}

    @property
    def is_full(self) -> bool:
        return len(self.names) > _MOST

    def number(self, elements: Elements, rows: tuple[int, int], leaves: tuple[int, int]) -> list[int]:
        """Return the place of each leaf of a record; what is directly in the record's only element has place 0."""
        first, last = rows
        tags, classes, parents = elements.tag, elements.classes, elements.parent
        step, place = self._step, {parents[first] if first < last else -1: 0}
        seen: dict[tuple[int, str], int] = {}
        row = first
        if first < last == elements.end[first]:
            place[first] = 0
            row += 1
        while row < last:
            above = parents[row]
            label = label_of(tags[row], classes[row])
            nth = seen[above, label] = seen.get((above, label), 0) + 1
            place[row] = step(place[above], label, nth)
            row += 1
        return self._texts(elements, leaves, place)

    def _texts(self, elements: Elements, leaves: tuple[int, int], place: dict[int, int]) -> list[int]:
        """Return the places of texts, those directly in the same element counted."""
        found: list[int] = []
        leaf_row = elements.leaf_row
        counts: dict[int, int] = {}
        for leaf in range(*leaves):
            row = leaf_row[leaf]
            nth = counts[row] = counts.get(row, 0) + 1
            at = place.get(row, 0)
            found.append(at if nth == 1 else self._step(at, "#", nth))
        return found

    def _step(self, above: int, label: str, nth: int) -> int:
        key = (above, label, nth)
        found = self._next.get(key)
        if found is None:
            found = self._next[key] = len(self.names)
            self.names.append(_join(self.names[above], label, nth))
        return found


def _join(above: str, label: str, nth: int) -> str:
    name = f"{above}>{label}:{nth}" if nth > 1 else f"{above}>{label}"
    return name if len(name) <= _NAME_CHARS else above


def uncounted(name: str) -> str:
    """Return the name of a place without the numbers that tell siblings apart."""
    return ">".join([part.partition(":")[0] for part in name.split(">") if part[:1] != "#"])


def unclassed(name: str) -> str:
    """Return the tags that a place is in."""
    return ">".join([part.partition(":")[0].partition(".")[0] for part in name.split(">") if part[:1] != "#"])
