"""Keep what was asked for last."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Recent(Generic[T]):
    """Things by their keys, those asked for last; one of which the stamp is another now is made anew.

    They are made under the lock, which whoever uses one for longer may hold: a lock of their own each, since a page of
    some megabytes takes seconds, and others have to go on.
    """

    def __init__(self, most: int) -> None:
        self.lock = threading.RLock()
        self._most = most
        self._kept: OrderedDict[Hashable, tuple[object, T]] = OrderedDict()

    def get(self, key: Hashable, stamp: object, make: Callable[[], T]) -> T:
        """Return what is kept under a key, made where it is not there or has another stamp."""
        with self.lock:
            kept = self._kept.pop(key, None)
            if kept is None or (kept[0] is not stamp and kept[0] != stamp):
                kept = (stamp, make())
            self._kept[key] = kept
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
            return kept[1]
