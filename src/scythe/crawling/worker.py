"""A process that extracts: frames with jobs come in by standard input, frames with answers go out by standard output.

It ends when its input does, so it never outlives the crawl. What it may use of memory is set once, of CPU before every
page; the system ends it where a page takes more. After an answer it may go on to learn a site, and says so, that no
page is blamed if it dies of that.
"""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import sys
import time
from collections.abc import Sequence
from typing import Any, BinaryIO

from selectolax.lexbor import SelectolaxError

from scythe.crawling.bounds import allow_cpu, describe, limit_memory
from scythe.crawling.frames import Frame, read_frame, write_frame
from scythe.crawling.jobs import Answer, Job, SiteSetup, pack_answer, unpack_job, unpack_setup
from scythe.crawling.learner import SiteLearner
from scythe.crawling.told import Told
from scythe.errors import ScytheError
from scythe.tidy import TIDY_S, tidy

PIPE_BYTES = 1_048_576  # what an ordinary user may ask for


class Worker:
    """Answers frames until there are no more."""

    def __init__(self, pipe_in: BinaryIO, pipe_out: BinaryIO, cpu_s: float) -> None:
        self._in, self._out = pipe_in, pipe_out
        self._cpu_s = cpu_s
        self._sites: dict[str, SiteLearner] = {}
        self._told = Told()
        self._is_ill = False
        self._tidy_at = time.monotonic() + TIDY_S

    def run(self) -> None:
        """Work until the input ends, or memory ran out once."""
        self._send({"ready": os.getpid()})
        while not self._is_ill and (frame := read_frame(self._in)) is not None:
            allow_cpu(self._cpu_s)
            self._obey(frame)
            if time.monotonic() >= self._tidy_at:
                self._tidy()

    def _obey(self, frame: Frame) -> None:
        do = frame.head["do"]
        if do == "enter":
            self._enter(unpack_setup(frame))
        elif do == "extract":
            site = self._sites[frame.head["site"]]
            self._extract(site, unpack_job(frame, site.setup))
        elif do == "finish":
            self._finish(frame.head["site"], learn=frame.head["learn"], leave=frame.head["leave"])

    def _enter(self, setup: SiteSetup) -> None:
        """Take up a site, or go on with one that is known in the way it is to be done now."""
        site = self._sites.get(setup.key)
        if site is None:
            self._sites[setup.key] = SiteLearner(setup, self._told)
        else:
            site.renew(setup, self._told)

    def _extract(self, site: SiteLearner, job: Job) -> None:
        began = time.process_time()
        answer = self._answer(site, job)
        head, parts = pack_answer(answer)
        head["cpu"] = round(time.process_time() - began, 6)
        head |= {"learns": site.is_due and not self._is_ill, "ill": self._is_ill}
        self._send(head, parts)
        if head["learns"]:
            self._learn(site)

    def _answer(self, site: SiteLearner, job: Job) -> Answer:
        try:
            return site.extract(job)
        except (MemoryError, SelectolaxError):  # the tree builder has no other reason to fail
            self._is_ill = True  # what half-built things still hold is not known: a fresh worker goes on
            return Answer(why="took too much memory", died=True)
        except ScytheError as error:
            return Answer(why=f"could not be extracted: {error}")
        except Exception as error:  # noqa: BLE001 (one page with a bug of ours in it must not stop a run)
            return Answer(why=f"could not be extracted: {describe(error)}")

    def _learn(self, site: SiteLearner) -> None:
        """Learn between two pages, so that it is nobody's fault if that fails."""
        allow_cpu(self._cpu_s)
        profile = site.study()
        self._tidy()
        self._send({"learned": site.setup.key}, [profile.encode()] if profile is not None else [])

    def _finish(self, key: str, *, learn: bool, leave: bool) -> None:
        site = self._sites.pop(key, None) if leave else self._sites.get(key)
        profile = None
        if site is not None:
            profile = site.study() if learn and not site.is_learned else None
            profile = profile or site.take_profile(now=True)
        self._send(*pack_answer(Answer(profile=profile)))

    def _tidy(self) -> None:
        tidy()
        self._tidy_at = time.monotonic() + TIDY_S

    def _send(self, head: dict[str, Any], parts: Sequence[bytes] = ()) -> None:
        self._out.write(b"".join(write_frame(head, parts)))
        self._out.flush()


def widen_pipe(descriptor: int) -> None:
    """Let a pipe hold some pages, so that both sides wait less for each other; not every system can."""
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    except (AttributeError, OSError):
        return


def main(arguments: Sequence[str]) -> None:
    """Run as a process: the arguments are the caps, in seconds and bytes."""
    cpu_s, memory_bytes = float(arguments[0]), int(arguments[1])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the crawl, which lets us finish
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limit_memory(memory_bytes)
    widen_pipe(0)
    pipe_out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints must not get between the frames
    Worker(sys.stdin.buffer, pipe_out, cpu_s).run()


if __name__ == "__main__":
    main(sys.argv[1:])
