"""Where a Scrapy project keeps what it learned: an address comes in, the profile of its site goes out, and back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from scythe.batch.profiles import ProfileFolder, site_of
from scythe.crawling.scope import host_of
from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.page.normalise import normalise
from scythe.plugins.scrapy.study import CAPS
from scythe.site import Site
from scythe.url import Url

_DATABASES = (".db", ".sqlite", ".sqlite3")


@dataclass(frozen=True, slots=True)
class Right:
    """Whether a site is ours to learn now, and the newest profile that is kept of it."""

    is_ours: bool
    profile: str | None = None


class ProfileShelf(Protocol):
    """Profiles by site, as JSON."""

    def key_of(self, url: str) -> str: ...
    def load(self, key: str) -> str | None: ...
    def claim(self, key: str, url: str, known: str | None) -> Right: ...
    def save(self, key: str, profile: str | None) -> str | None: ...
    def close(self) -> None: ...


class NoShelf:
    """Keeps nothing."""

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
        from scythe.archive.open import open_archive  # brings SQLAlchemy, which a folder does without
        from scythe.archive.owner import Owner

        self._archive = open_archive(where)
        self._owner = Owner.of_this_process()
        self._lessons: dict[str, tuple[int, int]] = {}  # (site, newest version) of those that are being learned

    def key_of(self, url: str) -> str:
        return host_of(normalise(url)) if site_of(url) else ""

    def load(self, key: str) -> str | None:
        number = self._archive.find_site(key)
        return None if number is None else self._archive.profile(number)

    def claim(self, key: str, url: str, known: str | None) -> Right:
        number = self._archive.add_site(key, Url(normalise(url)))
        lesson = self._archive.claim_learning(number, self._owner, now=datetime.now(UTC), lease_s=2 * CAPS.wall_s)
        newest = self._archive.profile(number)
        if lesson.is_held and newest != known:  # somebody learned it since: look first whether that does
            self._archive.leave_learning(number, self._owner)
        elif lesson.is_held:
            self._lessons[key] = (number, lesson.version)
            return Right(True, newest)
        return Right(False, newest)

    def save(self, key: str, profile: str | None) -> str | None:
        number, version = self._lessons.pop(key)
        if profile is not None and self._archive.save_learned(number, profile, self._owner, after=version) is None:
            profile = self._archive.profile(number)
        self._archive.leave_learning(number, self._owner)
        return profile

    def close(self) -> None:
        self._archive.close()


def open_shelf(where: str) -> ProfileShelf:
    """Open an archive by its address or the name of its file, a folder by any other name; nothing is kept nowhere."""
    if not where:
        return NoShelf()
    if "://" in where or where.lower().endswith(_DATABASES) or Path(where).is_file():
        return ArchiveShelf(where)
    return FolderShelf(where)
