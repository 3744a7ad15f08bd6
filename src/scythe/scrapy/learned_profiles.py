"""Keep the profiles of a Scrapy project in a folder or archive, and learn sites in a separate process.

Learning takes seconds, which would block Scrapy's single thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from scythe.archive.stored_sites import (
    add_site,
    claim_learning,
    find_site,
    leave_learning,
    save_learned,
    stored_profile,
)
from scythe.crawling.scope import host_of
from scythe.engine.sampling import Kept
from scythe.engine.worker_pool import open_pool
from scythe.engine.worker_protocol import Caps, SiteSetup, WorkerAnswer
from scythe.errors import BadInput, ScytheError
from scythe.limits import LIMITS
from scythe.site.profile_folder import ProfileFolder, site_of
from scythe.site.site import Site
from scythe.url import Url, normalise

CAPS = Caps(cpu_s=120.0, wall_s=300.0)  # of one lesson: 16 MB of pages at most, at some seconds a megabyte


@dataclass(slots=True)
class Study:
    """One attempt at learning a site. `run` belongs into a thread: it only waits."""

    setup: SiteSetup
    pages: Sequence[Kept]
    caps: Caps = CAPS
    why: str = ""  # nothing was learned: the reason
    has_died: bool = False  # of these pages, so that it need not be tried again
    _is_over: bool = field(default=False, init=False)
    _cancel: Callable[[], object] = field(default=lambda: None, init=False)

    def run(self) -> str | None:
        """Return the profile, None where nothing better could be learned."""
        answer = asyncio.run(self._learn())
        self.why, self.has_died = answer.why, answer.died
        if not self.why and answer.profile is None:
            self.why = "nothing better was found"
        return answer.profile

    def stop(self) -> None:
        """Give up at once."""
        self._is_over = True
        with suppress(RuntimeError):  # it has ended by itself
            self._cancel()

    async def _learn(self) -> WorkerAnswer:
        async with open_pool(1, self.caps) as pool:
            learning = asyncio.ensure_future(pool.learn(self.setup, self.pages))
            self._cancel = partial(asyncio.get_running_loop().call_soon_threadsafe, learning.cancel)
            if self._is_over:
                learning.cancel()
            try:
                return await learning
            except asyncio.CancelledError:
                return WorkerAnswer(why="was given up")
            except ScytheError as error:  # no more processes, or no memory: another time
                return WorkerAnswer(why=str(error))


_DATABASES = (".db", ".sqlite", ".sqlite3")


@dataclass(frozen=True, slots=True)
class Right:
    """Whether a site is ours to learn now, and the newest profile that is kept of it."""

    is_ours: bool
    profile: str | None = None


class NoShelf:
    """Profiles by site, as JSON; this one keeps nothing."""

    def key_of(self, url: str) -> str:
        """Return what site an address belongs to; empty where it is no address of the web."""
        return site_of(url)

    def load(self, key: str) -> str | None:
        """Return the profile of a site, None where there is none. Raises ScytheError where it cannot be read."""
        return None

    def claim(self, key: str, url: str, known: str | None) -> Right:
        """Ask to learn a site, of which one profile is known; whoever may do so calls `save` in the end."""
        return Right(True, known)

    def save(self, key: str, profile: str | None) -> str | None:
        """Keep what was learned, if anything was; return the profile that counts. Raises ScytheError."""
        return profile

    def close(self) -> None:
        """Let go of everything."""


class FolderShelf(NoShelf):
    """Keeps a file per site, as `scythe batch --profile-dir` reads and writes them."""

    def __init__(self, path: str | Path) -> None:
        self._folder = ProfileFolder(path)

    def load(self, key: str) -> str | None:
        path = self._folder.file_of(key)
        try:
            with path.open("rb") as file:
                return file.read(LIMITS.profile_bytes + 1).decode()
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"{path}: this profile cannot be read ({type(error).__name__})") from None

    def save(self, key: str, profile: str | None) -> str | None:
        if profile is not None:
            try:
                self._folder.put(key, Site.from_json(profile))
            except OSError as error:
                raise BadInput(f"{self._folder.path}: no profile can be written here ({error.strerror})") from None
        return profile


class ArchiveShelf(NoShelf):
    """Keeps the profiles in an archive, with their versions, where `scythe crawl` has its own.

    Of several processes, of whatever kind, one at a time learns a site; the others take what it found.
    """

    def __init__(self, where: str) -> None:
        from scythe.archive.host_leases import Owner
        from scythe.archive.open import open_archive  # brings SQLAlchemy, which a folder does without

        self._archive = open_archive(where)
        self._owner = Owner.of_this_process()
        self._lessons: dict[str, tuple[int, int]] = {}  # (site, newest version) of those that are being learned

    def key_of(self, url: str) -> str:
        return host_of(normalise(url)) if site_of(url) else ""

    def load(self, key: str) -> str | None:
        number = find_site(self._archive, key)
        return None if number is None else stored_profile(self._archive, number)

    def claim(self, key: str, url: str, known: str | None) -> Right:
        number = add_site(self._archive, key, Url(normalise(url)))
        lesson = claim_learning(self._archive, number, self._owner, now=datetime.now(UTC), lease_s=2 * CAPS.wall_s)
        newest = stored_profile(self._archive, number)
        if lesson.is_held and newest != known:  # somebody learned it since: look first whether that does
            leave_learning(self._archive, number, self._owner)
        elif lesson.is_held:
            self._lessons[key] = (number, lesson.version)
            return Right(True, newest)
        return Right(False, newest)

    def save(self, key: str, profile: str | None) -> str | None:
        number, version = self._lessons.pop(key)
        if profile is not None and save_learned(self._archive, number, profile, self._owner, after=version) is None:
            profile = stored_profile(self._archive, number)
        leave_learning(self._archive, number, self._owner)
        return profile

    def close(self) -> None:
        self._archive.close()


def open_shelf(where: str) -> NoShelf:
    """Open an archive by its address or the name of its file, a folder by any other name; nothing is kept nowhere."""
    if not where:
        return NoShelf()
    if "://" in where or where.lower().endswith(_DATABASES) or Path(where).is_file():
        return ArchiveShelf(where)
    return FolderShelf(where)
