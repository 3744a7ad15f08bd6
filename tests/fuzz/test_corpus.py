"""Inputs that once broke something break nothing any more: each file of corpus/TARGET/ is run on its target."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fuzz.groups import api
from tests.fuzz.judge import Defect, run_once
from tests.fuzz.registry import all_targets, find_target

CORPUS = Path(__file__).parent / "corpus"
FILES = sorted(path for path in CORPUS.rglob("*") if path.is_file())


@pytest.fixture(scope="module", autouse=True)
def opened_again() -> Iterator[None]:
    """Leave the process as it was: the targets of the interface let nothing out of it."""
    yield
    api.stop()


@pytest.mark.fault
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_input_breaks_nothing_any_more(path: Path) -> None:
    found = run_once(find_target(path.parent.name), path.read_bytes())
    assert not isinstance(found, Defect), found.why


def test_corpus_is_small_and_every_folder_is_a_target() -> None:
    assert {path.parent.name for path in FILES} <= set(all_targets())
    assert all(path.stat().st_size < 4_096 for path in FILES)
    assert sum(path.stat().st_size for path in FILES) < 100_000
