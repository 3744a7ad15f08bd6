"""See what the interpreter does while data is read: nothing in a file may make code run, files open or modules load."""

import codecs
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.fuzz.registry import Wrong

_FORBIDDEN = frozenset(
    "exec compile import open os.system subprocess.Popen os.exec os.posix_spawn os.remove os.rename pickle.find_class "
    "socket.connect socket.getaddrinfo ctypes.dlopen code.__new__".split()
)
for _name in ("utf-8-sig", "utf-16", "idna"):  # codecs are modules, loaded when first asked for
    codecs.lookup(_name)
_seen: list[str] = []
_is_on = False
_is_hooked = False


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if _is_on and event in _FORBIDDEN:
        _seen.append(f"{event} {arguments!r:.200}")


@contextmanager
def no_code() -> Iterator[None]:
    """Raise Wrong where something was run or opened inside."""
    global _is_on, _is_hooked
    if not _is_hooked:
        sys.addaudithook(_note)
        _is_hooked = True
    _seen.clear()
    _is_on = True
    try:
        yield
    finally:
        _is_on = False
    if _seen:
        raise Wrong(f"reading data did this: {_seen[0]}")
