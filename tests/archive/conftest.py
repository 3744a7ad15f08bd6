from collections.abc import Iterator

import pytest

from scythe.archive.archive import Archive
from scythe.archive.open import open_archive


@pytest.fixture
def archive(where: str) -> Iterator[Archive]:
    """An empty archive in each kind of database."""
    with open_archive(where) as opened:
        yield opened
