"""The disk that loses what was not synced: it has to lose, or the tests that use it prove nothing."""

from pathlib import Path
from random import Random

import pytest
from tests.faults.io.disk import MODES, Disk
from tests.faults.io.trace import CREATE, MKDIR, RENAME, SYNC, UNLINK, WRITE, Call

ROOT = Path("/watched")


def call(kind: str, path: str, content: bytes = b"", *, offset: int = 0, other: str = "") -> Call:
    return Call(kind, True, f"{ROOT}/{path}".rstrip("/"), f"{ROOT}/{other}" if other else "", 1, offset, content)


def after(tmp_path: Path, mode: str, *calls: Call, seed: int = 1) -> dict[str, bytes]:
    """Return the files of a disk with one old file, after these calls and a power cut."""
    begin, target = tmp_path / "begin", tmp_path / "after"
    begin.mkdir(exist_ok=True)
    (begin / "old").write_bytes(b"old")
    disk = Disk(ROOT, begin)
    for one in calls:
        disk.see(one)
    disk.cut(target, mode, Random(seed))
    return {str(path.relative_to(target)): path.read_bytes() for path in target.rglob("*") if path.is_file()}


MADE = (call(CREATE, "a"), call(WRITE, "a", b"body"))


@pytest.mark.parametrize("mode", MODES)
def test_what_was_synced_with_its_folder_is_there(tmp_path: Path, mode: str) -> None:
    calls = (*MADE, call(SYNC, "a"), call(SYNC, ""))
    assert all(after(tmp_path, mode, *calls, seed=seed) == {"old": b"old", "a": b"body"} for seed in range(20))


def test_a_file_whose_name_was_not_synced_is_not_there(tmp_path: Path) -> None:
    assert after(tmp_path, "dropped", *MADE, call(SYNC, "a")) == {"old": b"old"}


def test_a_name_whose_file_was_not_synced_is_empty(tmp_path: Path) -> None:
    assert after(tmp_path, "dropped", *MADE, call(SYNC, "")) == {"old": b"old", "a": b""}


def test_a_file_is_renamed_or_not(tmp_path: Path) -> None:
    calls = (*MADE, call(SYNC, "a"), call(RENAME, "a", other="old"))
    seen = {tuple(sorted(after(tmp_path, "some", *calls, seed=seed).items())) for seed in range(40)}
    assert seen == {(("old", b"old"),), (("a", b"body"), ("old", b"old")), (("old", b"body"),)}


def test_a_file_that_was_taken_away_may_be_back(tmp_path: Path) -> None:
    assert after(tmp_path, "dropped", call(UNLINK, "old")) == {"old": b"old"}
    assert after(tmp_path, "dropped", call(UNLINK, "old"), call(SYNC, "")) == {}


def test_what_is_in_a_folder_goes_with_it(tmp_path: Path) -> None:
    inside = (call(CREATE, "f/a"), call(WRITE, "f/a", b"body"), call(SYNC, "f/a"), call(SYNC, "f"))
    assert after(tmp_path, "dropped", call(MKDIR, "f"), *inside) == {"old": b"old"}
    assert after(tmp_path, "dropped", call(MKDIR, "f"), *inside, call(SYNC, "")) == {"old": b"old", "f/a": b"body"}


def test_writes_are_torn_at_sectors_and_come_in_any_order(tmp_path: Path) -> None:
    made = (call(CREATE, "a"), call(SYNC, ""))
    writes = (call(WRITE, "a", b"1" * 1_024), call(WRITE, "a", b"2" * 512, offset=1_024))
    torn = {after(tmp_path, "torn", *made, *writes, seed=seed)["a"] for seed in range(60)}
    assert bytes(512) + b"1" * 512 in torn
    assert any(content.endswith(b"2" * 512) and content[:512] == bytes(512) for content in torn)
    first = {after(tmp_path, "first", *made, *writes, seed=seed)["a"] for seed in range(60)}
    assert not any(content.endswith(b"2" * 512) and b"1" * 1_024 not in content for content in first)
