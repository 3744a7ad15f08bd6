"""Learn a site in a process of its own: pages and what is known of the site come in, a profile goes out.

Learning takes seconds, and Scrapy does everything in one thread: whoever learns there keeps all answers waiting. The
process reads frames from standard input and writes one to standard output; the system ends it when it takes too much.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from scythe.crawling.frames import BrokenFrame, Frame, read_frame, write_frame
from scythe.crawling.jobs import Caps, Job, SiteSetup, pack_setup, unpack_setup
from scythe.crawling.sample import Kept
from scythe.crawling.slot import SINGLE_THREADED

CAPS = Caps(cpu_s=120.0, wall_s=300.0)  # of one lesson: 16 MB of pages at most, at some seconds a megabyte


@dataclass(slots=True)
class Study:
    """One attempt at learning a site. `run` belongs into a thread: it only waits."""

    setup: SiteSetup
    pages: Sequence[Kept]
    caps: Caps = CAPS
    why: str = ""  # nothing was learned: the reason
    has_died: bool = False  # of these pages, so that it need not be tried again
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    _is_over: bool = field(default=False, init=False)

    def run(self) -> str | None:
        """Return the profile, None where nothing better could be learned."""
        # -P: a file of the folder we are in must not pass for a module
        command = (sys.executable, "-P", "-m", __name__, str(self.caps.cpu_s), str(self.caps.memory_bytes))
        frames = [write_frame(*pack_setup(self.setup))]
        frames += [write_frame({"do": "page", "url": url}, [body]) for url, body in self.pages]
        environment = {**os.environ, **SINGLE_THREADED}
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        try:
            self._process = subprocess.Popen(command, env=environment, **pipes)  # noqa: S603 (our own module)
        except OSError as error:  # no more processes, or no memory: another time
            self.why = f"no process that learns starts: {error.strerror}"
            return None
        with self._process as process:
            if self._is_over:
                process.kill()
            try:
                said, errors = process.communicate(
                    b"".join(piece for frame in frames for piece in frame), self.caps.wall_s
                )
            except subprocess.TimeoutExpired:
                self.why, self.has_died = f"took more than {self.caps.wall_s:g} s", True
                process.kill()
                return None
        return self._take(said, errors, process.returncode)

    def stop(self) -> None:
        """Give up at once."""
        self._is_over = True
        if self._process is not None:
            self._process.kill()

    def _take(self, said: bytes, errors: bytes, code: int) -> str | None:
        if self._is_over:
            self.why = "was given up"
        elif code:
            last = errors.decode("utf-8", "replace").strip().rpartition("\n")[2][:200]
            self.why, self.has_died = f"the process that learns ended with code {code} {last}".strip(), True
        elif not said.strip():
            self.why = "nothing better was found"
        return said.decode() if not self.why else None


def learn(frames: Sequence[Frame]) -> str | None:
    """Learn from what a parent sent: first what is known of the site, then pages."""
    from scythe.crawling.learner import SiteLearner  # not in the process of Scrapy, which does without
    from scythe.crawling.told import Told

    setup = unpack_setup(frames[0])
    learner = SiteLearner(setup, Told())
    for frame in frames[1:]:
        learner.extract(Job(setup, frame.head["url"], frame.parts[0]))
    return learner.study() or learner.take_profile(now=True)


def main(arguments: Sequence[str]) -> int:
    """Run as a process: the arguments are the caps, in seconds and bytes."""
    from scythe.crawling.bounds import allow_cpu, limit_memory

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for Scrapy, which ends us
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    allow_cpu(float(arguments[0]))
    limit_memory(int(arguments[1]))
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints is no part of the answer
    try:
        frames = list(iter(lambda: read_frame(sys.stdin.buffer), None))
    except BrokenFrame:  # the parent died
        return 1
    with answer:
        answer.write((learn(frames) or "\n").encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
