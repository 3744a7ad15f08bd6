"""A batch worker process: extracts units, looks through them and learns sites, one task at a time.

It notes the current page in a file that its parent reads, so that the page is known if the system kills it. It exits
when its input ends or its parent dies.
"""

from __future__ import annotations

import gc
import os
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib.abc import MetaPathFinder
from importlib.util import find_spec
from types import ModuleType
from typing import Any, BinaryIO

from selectolax.lexbor import SelectolaxError

from scythe.batch.batch_options import BatchOptions
from scythe.batch.extract_unit import extract_unit
from scythe.batch.units import Unit
from scythe.engine.worker_protocol import Message, WorkerLoop, allow_cpu
from scythe.errors import ScytheError

EXTRACT, SCAN, LEARN = "extract", "scan", "learn"  # what a task may ask for
NOTE = struct.Struct("<qq")  # the capture at hand, -1: none; pages done since the process began
_LEARN_S = 900.0  # of CPU time to look through a unit, or to learn a site; mostly it takes some seconds


@dataclass(frozen=True, slots=True)
class ExtractTask:
    """A unit to extract."""

    unit: Unit
    out: str  # folder
    options: BatchOptions
    note: str  # file
    blamed: dict[int, str]  # captures that ended a process, with how


@dataclass(frozen=True, slots=True)
class TaskAnswer:
    """What came of a task: what was done, or else why it was not."""

    done: Any = None
    why: str = ""
    died: str = ""  # of what the process did


class BatchWorker(WorkerLoop):
    """Does one task after the other until there are no more."""

    def __init__(self, pipe_in: BinaryIO, pipe_out: BinaryIO, cpu_s: float) -> None:
        super().__init__(pipe_in, pipe_out, cpu_s)
        self._parent = os.getppid()
        self._pages = 0

    @classmethod
    def prepare(cls) -> None:
        spare_pandas()  # with the limits: pyarrow reserves as much memory as there seems to be
        gc.freeze()  # what was imported stays

    def _obey(self, message: Message) -> None:
        try:
            answer = TaskAnswer(self._do(message))
        except (OSError, ScytheError) as error:
            answer = TaskAnswer(why=str(error))
        except (MemoryError, SelectolaxError):  # the tree builder has no other reason to fail
            self._is_ill = True
            answer = TaskAnswer(died="took too much memory")
        self._answer(answer)

    def _do(self, message: Message) -> object:
        """Do a task, which is of one of three kinds."""
        if message.kind == EXTRACT:
            task = message.read(ExtractTask)
            with open(task.note, "r+b", buffering=0) as file:
                note = partial(self._note, file.fileno())
                return extract_unit(task.unit, task.out, task.options, blamed=task.blamed, note=note)
        from scythe.batch.learn_sites import LearnTask, ScanTask, learn_site, scan  # half of what there is to import

        allow_cpu(_LEARN_S)
        return scan(message.read(ScanTask)) if message.kind == SCAN else learn_site(message.read(LearnTask))

    def _note(self, file: int, at: int) -> None:
        """Note the page at hand, and let it have its share of CPU time."""
        if os.getppid() != self._parent:
            sys.exit(0)  # nobody waits for the answer
        os.pwrite(file, NOTE.pack(at, self._pages), 0)
        self._pages += at >= 0
        allow_cpu(self._cpu_s)


def spare_pandas() -> None:
    """Let pyarrow look for pandas now and not find it: it would import all of it with the first column, in 0.3 s."""
    if find_spec("pyarrow") is None or "pandas" in sys.modules:
        return
    import pyarrow as pa

    sys.meta_path.insert(0, _NoPandas())
    try:
        pa.array([""])  # it remembers what it found
    finally:
        del sys.meta_path[0]


class _NoPandas(MetaPathFinder):
    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname)


if __name__ == "__main__":
    BatchWorker.main(sys.argv[1:])
