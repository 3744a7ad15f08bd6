"""A folder of profiles, one file per site (host and port)."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, urlsplit

from scythe.atomic_files import write_atomically
from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.site.element_rules import as_told
from scythe.site.profile import dump_profile, load_profile
from scythe.site.rules import Profile

if TYPE_CHECKING:
    from scythe.site.site import Site

SUFFIX = ".json"
_PARSED = 256  # profiles that a worker keeps in mind: some 100 KB each; the files of a crawl name some hundred sites
_NAME_CHARS = 150  # of a file; longer host names are rare, and told apart by a digest
_USUAL_PORTS = (None, 80, 443)


class _Read(NamedTuple):
    """What stands in a file: its digest, and the profile or why there is none."""

    digest: str
    profile: Profile | None = None
    why: str = ""


_NOTHING = _Read("")


class ProfileFolder:
    """The profiles of a folder, as one unit of work sees them: each is read when first asked for."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.used: dict[str, str] = {}  # digest of the profile by site; "": there was none
        self.complaints: dict[str, str] = {}  # profiles that cannot be read: why, by site; pages are then read cold

    def profile_for(self, url: str) -> Profile | None:
        """Return what was learned of the site of an address; None where nothing was."""
        key = site_of(url)
        found = self._read(key) if key else _NOTHING
        self.used[key] = found.digest
        if found.why:
            self.complaints[key] = found.why
        return found.profile

    def digest_of(self, key: str) -> str:
        """Return what tells a profile from others by which rows differ; an empty string where there is none."""
        return self._read(key).digest if key else ""

    def has(self, key: str) -> bool:
        """Say whether there is a profile of a site, readable or not."""
        return self.file_of(key).is_file()

    def put(self, key: str, site: Site) -> None:
        """Write the profile of a site: readers see the whole of it or nothing. Raises BadInput beyond the limits."""
        self.path.mkdir(parents=True, exist_ok=True)
        write_atomically(self.file_of(key), site.to_json().encode())

    def file_of(self, key: str) -> Path:
        """Return where the profile of a site is kept."""
        name = quote(key, safe="")
        if len(name) > _NAME_CHARS or not name[:1].isalnum():  # no hidden file, and no option of a command
            name = f"{name[:_NAME_CHARS].lstrip('.-_~')}%{blake2b(key.encode(), digest_size=8).hexdigest()}"
        return self.path / f"{name}{SUFFIX}"

    def _read(self, key: str) -> _Read:
        path = self.file_of(key)
        try:
            stat = path.stat()
        except FileNotFoundError:
            return _NOTHING
        return _read(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=_PARSED)
def _read(path: Path, _mtime_ns: int, _size: int) -> _Read:
    """Read and check a file once as long as it does not change; a profile itself never does."""
    with path.open("rb") as file:
        text = file.read(LIMITS.profile_bytes + 1)
    try:
        profile = load_profile(text, name=str(path)).profile
    except BadInput as error:
        return _Read(_digest(text), why=str(error))
    rules = dump_profile(replace(profile, learned="", rules=as_told(profile.rules)))  # which is when
    return _Read(_digest(rules.encode()), profile)


def _digest(text: bytes) -> str:
    return blake2b(text, digest_size=16).hexdigest()


@lru_cache(maxsize=1_024)
def _site_at(netloc: str) -> str:
    try:
        parts = urlsplit(f"//{netloc}")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return ""
    return host if port in _USUAL_PORTS else f"{host}:{port}"


def site_of(url: str) -> str:
    """Return which site an address belongs to: its host in lower case; an empty string where it has none."""
    scheme, slashes, rest = url.partition("://")
    if not slashes or scheme.lower() not in ("http", "https"):
        return ""
    for end in "/?#\\":
        rest = rest.partition(end)[0]
    return _site_at(rest)
