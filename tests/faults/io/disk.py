"""Disks as a power cut may leave them: calls of a traced process come in, a folder goes out.

What was not synced may be there, or not, or in part, in any order: of a file its bytes, of a folder the names in it.
That is less than most file systems give and all that POSIX promises: a file whose own bytes were synced has no name
until its folder was synced, too. Only what was written through maps of memory is not seen; SQLite has its index of the
journal there, which it makes anew after a cut.
"""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.faults.io.trace import CREATE, MKDIR, RENAME, SYNC, TRUNCATE, UNLINK, WRITE, Call

SECTOR = 512
MODES = ("dropped", "some", "torn", "first")


@dataclass(eq=False)
class _File:
    """What is safe of a file, and what is not yet."""

    safe: bytes = b""
    waiting: list[Call] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Naming:
    """A change to the names in a folder; without a file, a name that goes."""

    folder: str
    gone: str
    name: str
    file: _File | None  # None where `name` is a folder


class Disk:
    """A disk under a process; call `see` with each of its calls, `cut` whenever the power goes."""

    def __init__(self, root: Path, begin: Path) -> None:
        """Begin with what is in the folder `begin`; the process saw the same at `root`."""
        self._root = str(root)
        self._folders = {self._root}  # names of folders that are safe
        self._safe: dict[str, _File] = {}
        for path in begin.rglob("*"):
            name = str(root / path.relative_to(begin))
            if path.is_dir():
                self._folders.add(name)
            else:
                self._safe[name] = _File(path.read_bytes())
        self._now = dict(self._safe)
        self._namings: list[_Naming] = []
        self._made = set(self._folders)  # as the process sees it

    def see(self, call: Call) -> None:
        """Take one call."""
        if call.kind in (WRITE, TRUNCATE):
            self._now[call.path].waiting.append(call)
        elif call.kind == CREATE:
            self._now[call.path] = _File()
            self._name(call.path, "", self._now[call.path])
        elif call.kind == RENAME:
            self._now[call.other] = self._now.pop(call.path)
            self._name(call.other, call.path, self._now[call.other])
        elif call.kind == UNLINK:
            self._now.pop(call.path, None)
            self._name("", call.path, None)
        elif call.kind == MKDIR:
            self._made.add(call.path)
            self._name(call.path, "", None)
        elif call.kind == SYNC and call.is_done:
            self._sync(call.path)

    def _name(self, name: str, gone: str, file: _File | None) -> None:
        self._namings.append(_Naming((name or gone).rpartition("/")[0], gone, name, file))

    def _sync(self, path: str) -> None:
        if path in self._made:
            for naming in [one for one in self._namings if one.folder == path]:
                self._namings.remove(naming)
                _apply(naming, self._safe, self._folders)
        elif path in self._now:
            file = self._now[path]
            file.safe = _written(file.safe, [(call, None) for call in file.waiting])
            file.waiting.clear()

    def cut(self, target: Path, mode: str, chance: Random) -> None:
        """Write to a folder what the disk may hold when the power is back; the disk goes on as if nothing was."""
        names, folders = dict(self._safe), set(self._folders)
        for naming in self._namings:
            if mode != "dropped" and (mode == "first" or chance.random() < 0.5):
                _apply(naming, names, folders)
            elif mode == "first" and chance.random() < 0.1:
                break
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir()
        contents = {id(file): _written(file.safe, _kept(file.waiting, mode, chance)) for file in names.values()}
        for name, file in names.items():
            if name.rpartition("/")[0] in folders:
                path = target / Path(name).relative_to(self._root)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(contents[id(file)])


def _apply(naming: _Naming, names: dict[str, _File], folders: set[str]) -> None:
    names.pop(naming.gone, None)
    if naming.name and naming.file is None:
        folders.add(naming.name)
    elif naming.file is not None:
        names[naming.name] = naming.file


def _kept(waiting: list[Call], mode: str, chance: Random) -> Iterator[tuple[Call, Random | None]]:
    """Yield what is kept of what was not synced; with a chance where only some sectors of it are."""
    if mode == "dropped":
        return
    last = chance.randint(0, len(waiting)) if mode == "first" else len(waiting)
    for number, call in enumerate(waiting[:last]):
        if mode == "first":
            yield call, chance if number == last - 1 else None
        elif chance.random() < 0.6:
            yield call, chance if mode == "torn" else None


def _written(safe: bytes, calls: Iterator[tuple[Call, Random | None]] | list[tuple[Call, None]]) -> bytes:
    content = bytearray(safe)
    for call, chance in calls:
        if call.kind == TRUNCATE:
            del content[call.offset :]
            content.extend(bytes(call.offset - len(content)))
            continue
        end = call.offset + len(call.content)
        content.extend(bytes(max(0, end - len(content))))
        for begin, stop in _sectors(call.offset, end):
            if chance is None or chance.random() < 0.5:
                content[begin:stop] = call.content[begin - call.offset : stop - call.offset]
    return bytes(content)


def _sectors(begin: int, end: int) -> Iterator[tuple[int, int]]:
    while begin < end:
        stop = min(end, begin // SECTOR * SECTOR + SECTOR)
        yield begin, stop
        begin = stop
