"""Check the names of methods before a run begins; what reads pages is imported only where some are named."""

from __future__ import annotations

from collections.abc import Sequence

from scythe.method_parameters import split_methods


def check_methods(names: Sequence[str]) -> None:
    """Raise BadInput where a page cannot be read by some methods."""
    if names:
        from scythe.reading.lists.list_methods import record_method  # the run itself leaves reading to its workers
        from scythe.reading.text import method as text_method

        text_method(split_methods(names).text)
        record_method(split_methods(names).records)
