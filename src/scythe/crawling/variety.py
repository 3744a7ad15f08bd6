"""Choose the pages to learn a site from: addresses that wait come in, the one that adds most to the sample goes out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from scythe.crawling.traps import kinds_of
from scythe.visits import Task


class Variety:
    """Which kinds of address were asked for so far."""

    def __init__(self) -> None:
        self._taken: Counter[str] = Counter()

    def choose(self, waiting: Sequence[Task]) -> int:
        """Return the place of the next address to ask for: of the kind with the most for each one taken, its middle.

        What a site has many of is what it is read for, and a layout is learned best from several pages. Lists of
        addresses come first, as they stand.
        """
        if not waiting or waiting[0].kind != "page":
            return 0
        places: dict[str, list[int]] = {}
        for place, task in enumerate(waiting):
            if task.kind == "page":
                places.setdefault(kinds_of(task.url)[0], []).append(place)
        kind = max(places, key=lambda kind: len(places[kind]) / (1 + self._taken[kind]) ** 2)
        self._taken[kind] += 1
        return places[kind][len(places[kind]) // 2]
