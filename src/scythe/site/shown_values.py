"""Remember what pages said in the fields that were shown by example, to find these fields again after a redesign."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Annotated

import msgspec
from msgspec import Meta

from scythe.errors import BadInput

Values = Mapping[str, tuple[str, ...]]

PAGES = 300  # remembered
_CHARS = 300  # of a value; longer ones are content
_VALUES = 20  # of a field that repeats
_KEY_CHARS = 8_192
_Saved = Annotated[
    list[tuple[Annotated[str, Meta(max_length=_KEY_CHARS)], dict[str, tuple[str, ...]]]], Meta(max_length=PAGES)
]


class Memory:
    """The last pages extracted, by address, with the values of the fields that were learned by example."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names = set(names)
        self._pages: OrderedDict[str, Values] = OrderedDict()

    def remember(self, url: str | None, values: Values) -> None:
        """Keep the values of one page beside those of fields that it lacks now; the page met longest ago goes."""
        kept = {name: given for name, given in values.items() if name in self.names and _is_small(given)}
        if not kept or not url:
            return
        self._pages[url] = {**self._pages.get(url, {}), **kept}
        self._pages.move_to_end(url)
        if len(self._pages) > PAGES:
            self._pages.popitem(last=False)

    def recall(self, url: str | None) -> Values:
        """Return the values that a page had when it was met before; none where it is new."""
        return self._pages.get(url or "", {})

    def dump(self) -> dict[str, object]:
        """Return what is remembered as JSON can hold it."""
        pages = [[url, {name: list(given) for name, given in page.items()}] for url, page in self._pages.items()]
        return {"shown": pages} if pages else {}

    @classmethod
    def load(cls, state: Mapping[str, object], names: Iterable[str]) -> Memory:
        """Take up a dumped memory. Raises BadInput for anything else."""
        try:
            pages = msgspec.convert(state.get("shown", []), _Saved)
        except msgspec.ValidationError as error:
            raise BadInput(f"shown: {error}") from None
        memory = cls(names)
        for url, values in pages:
            memory.remember(url, values)
        return memory


def _is_small(values: tuple[str, ...]) -> bool:
    return 0 < len(values) <= _VALUES and all(len(value) <= _CHARS for value in values)
