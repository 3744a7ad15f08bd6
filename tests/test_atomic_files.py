import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scythe import atomic_files
from scythe.archive.stores import FolderStore
from scythe.atomic_files import replacing, sync_folder

KEY = "ab12.zst"
LEAVE = """
import os, sys
from pathlib import Path
from scythe.archive.stores import FolderStore
from scythe.atomic_files import replacing

folder = Path(sys.argv[1])
FolderStore(folder / "bodies").put("ab11.zst", b"before")
with replacing(folder / "pages.csv") as file, replacing(folder / "bodies" / "ab" / "ab12.zst") as body:
    file.write(b"half")
    print("ready", flush=True)
    sys.stdin.read()
    os._exit(1)
"""


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that were synced, in order; what is synced still is."""
    paths: list[str] = []
    sync = os.fsync

    def note(number: int) -> None:
        paths.append(os.readlink(f"/proc/self/fd/{number}") if os.path.isdir("/proc/self/fd") else "")
        sync(number)

    monkeypatch.setattr(os, "fsync", note)
    return paths


linux = pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files are named in /proc on Linux only")


def unfinished(folder: Path) -> list[str]:
    return sorted(path.parent.name for path in folder.rglob(".*.unfinished"))


def write_all(folder: Path, key: str = "ab13.zst") -> None:
    FolderStore(folder / "bodies").put(key, b"after")
    with replacing(folder / "other.csv") as file:
        file.write(b"whole")


def age(folder: Path) -> None:
    for path in folder.rglob(".*.unfinished"):
        os.utime(path, (1, 1))


@pytest.fixture
def no_memory() -> Iterator[None]:
    """Each look is as the first of a process."""
    atomic_files._clear.cache_clear()
    yield
    atomic_files._clear.cache_clear()


@pytest.mark.fault
def test_what_a_killed_process_left_is_removed_by_the_next_one_and_what_is_written_is_not(
    tmp_path: Path, no_memory: None
) -> None:
    command = [sys.executable, "-c", LEAVE, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
        age(tmp_path)
        write_all(tmp_path)
        assert unfinished(tmp_path) == ["ab", tmp_path.name]  # held
        writer.kill()
    atomic_files._clear.cache_clear()
    for path in tmp_path.rglob(".*.unfinished"):
        os.utime(path)
    write_all(tmp_path, "ab15.zst")
    assert unfinished(tmp_path) == ["ab", tmp_path.name]  # too young to tell
    age(tmp_path)
    write_all(tmp_path, "ab16.zst")
    assert unfinished(tmp_path) == ["ab", tmp_path.name]  # a process looks once
    atomic_files._clear.cache_clear()
    write_all(tmp_path, "ab14.zst")
    assert unfinished(tmp_path) == []
    names = sorted(path.name for path in tmp_path.rglob("*") if path.is_file())
    assert names == ["ab11.zst", "ab13.zst", "ab14.zst", "ab15.zst", "ab16.zst", "other.csv"]


@linux
def test_what_cannot_be_opened_or_removed_keeps_nobody_from_writing(tmp_path: Path, no_memory: None) -> None:
    os.mkfifo(tmp_path / ".0123456789abcdef.unfinished")
    os.symlink("nowhere", tmp_path / ".0123456789abcdee.unfinished")
    (tmp_path / ".0123456789abcded.unfinished").mkdir()
    write_all(tmp_path)
    assert len(list(tmp_path.glob(".*.unfinished"))) == 3


def test_a_file_of_another_program_with_a_like_name_stays(tmp_path: Path, no_memory: None) -> None:
    for name in (".mine.unfinished", "0123456789abcdef.unfinished", ".0123456789abcdef.unfinished.txt"):
        (tmp_path / name).write_bytes(b"mine")
        os.utime(tmp_path / name, (1, 1))
    write_all(tmp_path)
    assert len(list(tmp_path.glob("*unfinished*"))) == 3


@linux
def test_a_synced_file_has_its_name_on_the_disk_too(tmp_path: Path, synced: list[str]) -> None:
    with replacing(tmp_path / "a.txt", sync=True) as file:
        file.write(b"a")
    assert [Path(path).name.endswith(".unfinished") for path in synced] == [True, False]
    assert synced[1] == str(tmp_path)


def test_an_error_without_a_file_is_told_with_the_name_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"No space left on device: '.*a\.txt'"), replacing(tmp_path / "a.txt"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert list(tmp_path.iterdir()) == []


def test_what_went_wrong_first_is_told_where_cleaning_up_fails_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(Path, "unlink", fail)
    with pytest.raises(KeyError, match="first"), replacing(tmp_path / "a.txt"):
        raise KeyError("first")


@pytest.mark.parametrize(("number", "is_told"), [(errno.EINVAL, False), (errno.ENOTSUP, False), (errno.EIO, True)])
def test_a_folder_that_cannot_be_synced_at_all_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, is_told: bool
) -> None:
    def fail(_: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    if is_told:
        with pytest.raises(OSError, match="Input/output error"):
            sync_folder(tmp_path)
    else:
        sync_folder(tmp_path)


@linux
def test_the_folders_of_a_store_are_on_the_disk_before_the_first_body(tmp_path: Path, synced: list[str]) -> None:
    store = FolderStore(tmp_path / "deep" / "bodies")
    store.put(KEY, b"body")
    folders = [Path(path) for path in synced if not path.endswith(".unfinished")]
    assert folders[:3] == [tmp_path / "deep" / "bodies", tmp_path / "deep", tmp_path]
    assert folders[-1] == tmp_path / "deep" / "bodies" / "ab"


@linux
def test_a_body_that_a_killed_process_left_is_synced_before_it_is_relied_on(tmp_path: Path, synced: list[str]) -> None:
    (tmp_path / "ab").mkdir()
    (tmp_path / "ab" / KEY).write_bytes(b"body")
    FolderStore(tmp_path).put(KEY, b"body")
    assert set(synced) >= {str(tmp_path), str(tmp_path / "ab")}
