from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.watching.board import Board, Stand, open_stand


@pytest.fixture
def stand(tmp_path: Path) -> Iterator[Stand]:
    """A server with a board of ten stories, and a watch of it."""
    board = Board()
    board.add(10)
    with open_stand(tmp_path, board) as stand:
        yield stand
