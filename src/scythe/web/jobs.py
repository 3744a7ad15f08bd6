"""Work that takes longer than a request: it runs in a thread of its own, and whoever asks is told how far it is."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic

from scythe.errors import ScytheError
from scythe.web.refusals import NotNow

_KEPT = 200  # jobs that are remembered
_AT_ONCE = 16  # jobs of one kind that run, each in a thread


@dataclass(slots=True)
class Job:
    """One piece of work. The one who works sets `done`, `total`, `note` and `result`; others read."""

    number: int
    kind: str
    title: str
    state: str = "running"  # running, done, failed, stopped
    done: int = 0
    total: int | None = None  # None: nobody knows
    note: str = ""  # what is done at the moment
    error: str = ""
    result: object = None  # becomes JSON
    began_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    ended_at: datetime | None = None
    is_stopping: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)  # whoever asks may wait a little for short work
    on_stop: Callable[[], None] | None = None  # called when it is asked to stop, by the asking thread

    def step(self, done: int, total: int | None = None, note: str = "") -> None:
        """Say how far it has come."""
        self.done, self.total, self.note = done, total, note

    def stop(self) -> None:
        """Ask it to end soon."""
        self.is_stopping.set()
        if self.on_stop is not None and self.state == "running":
            self.on_stop()


@dataclass(frozen=True, slots=True)
class JobSeen:
    """A job as it stands."""

    number: int
    kind: str
    title: str
    state: str
    done: int
    total: int | None
    note: str
    error: str
    result: object
    began_at: datetime
    ended_at: datetime | None


class Jobs:
    """All work of one room."""

    def __init__(self) -> None:
        self._jobs: dict[int, Job] = {}
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._last = 0

    def start(self, kind: str, title: str, work: Callable[[Job], object], *, most: int = _AT_ONCE) -> Job:
        """Begin work; what it returns is the result. Errors raised on purpose end it as failed, with their words.

        Raises NotNow where `most` jobs of this kind are running.
        """
        with self._lock:
            running = [job.number for job in self._jobs.values() if job.kind == kind and job.state == "running"]
            if len(running) >= most:
                raise NotNow(f"such work is under way already (job {running[0]}): wait for it, or stop it")
            self._last += 1
            job = self._jobs[self._last] = Job(self._last, kind, title)
            for number in [n for n, old in self._jobs.items() if old.state != "running"][:-_KEPT]:
                del self._jobs[number]
            thread = threading.Thread(target=self._run, args=(job, work), name=f"scythe-{kind}", daemon=True)
            self._threads = [each for each in self._threads if each.is_alive()] + [thread]
        thread.start()
        return job

    def _run(self, job: Job, work: Callable[[Job], object]) -> None:
        state, why = "failed", "an error in scythe itself; the terminal shows where"
        try:
            job.result = work(job)
            state, why = "stopped" if job.is_stopping.is_set() else "done", ""
        except (ScytheError, OSError) as error:
            why = str(error)
        finally:
            job.error = why
            job.ended_at = datetime.now(UTC)
            job.state = state
            job.ended.set()

    def find(self, number: int) -> Job | None:
        """Return a job by its number."""
        return self._jobs.get(number)

    def seen(self, kind: str | None = None) -> list[JobSeen]:
        """Return all jobs, the newest first."""
        with self._lock:
            jobs = list(self._jobs.values())
        return [see(job) for job in reversed(jobs) if kind is None or job.kind == kind]

    def close(self, patience_s: float = 20.0) -> None:
        """Ask all to stop, and wait for them, so long in all."""
        until = monotonic() + patience_s
        for job in list(self._jobs.values()):
            if job.state == "running":
                job.stop()
        for thread in self._threads:
            thread.join(max(until - monotonic(), 0.0))


def see(job: Job) -> JobSeen:
    """Return a job as it stands."""
    return JobSeen(
        job.number,
        job.kind,
        job.title,
        job.state,
        job.done,
        job.total,
        job.note,
        job.error,
        job.result,
        job.began_at,
        job.ended_at,
    )
