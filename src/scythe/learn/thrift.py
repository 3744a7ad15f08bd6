"""Save trees that are built in vain: how asking a tree for a field went comes in, whether to ask again goes out.

A field that some pages of a layout do not have is often in doubt on those, always for the same reason, and building
the tree takes twenty times as long as cutting the page. Who extracts many pages in a row may stop asking.
"""

from __future__ import annotations

_VAIN = 16  # times that a tree did not have a field, and never had, before it is asked less often
_AGAIN = 32  # then every so many pages, since a site may change
_MOST = 1_000  # fields and reasons

Doubt = tuple[str, str, str]  # layout, field and reason


class Thrift:
    """Counts, in bounded memory, how often the tree was asked for a field for one reason and did not have it."""

    def __init__(self, vain: int = _VAIN) -> None:
        self._patience = vain
        self._vain: dict[Doubt, int] = {}  # -1: the tree once had it

    def is_worth(self, doubt: Doubt) -> bool:
        """Say whether the tree should be asked; where it should not, that counts too."""
        vain = self._vain.get(doubt, 0)
        if vain < self._patience:
            return True
        self._vain[doubt] = vain + 1
        return (vain - self._patience) % _AGAIN == 0

    def note(self, doubt: Doubt, *, found: bool) -> None:
        """Take in whether the tree had the field; where it once had, it is asked ever after."""
        vain = self._vain.get(doubt, 0)
        if found:
            self._vain[doubt] = -1
        elif 0 <= vain < self._patience and (vain or len(self._vain) < _MOST):
            self._vain[doubt] = vain + 1
