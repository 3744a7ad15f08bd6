"""Save and load profiles as versioned JSON with a checksum.

Nothing in a file names code. The checksum detects accidents, the checks of `profile_format` everything else.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, NoReturn

from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.model import SiteImages
from scythe.site import profile_format
from scythe.site.profile_format import Wrong, check_plain
from scythe.site.rules import ImageRules, Profile

VERSION = 4  # the newest format read; 3 has rules for images, 4 for lists, which 2 and 3 called regions
_LISTS = 4  # the first format with that word
_MARK = "scythe_profile"  # the first key; its value is the version of the format
_LINE_CHARS = 100  # lists that fit are written on one line
_REPAIR = "learn the site again, or take the file from a copy"


class Saved(NamedTuple):
    """What a profile file holds: the rules, and how they have fared since."""

    profile: Profile
    health: dict[str, object]


def dump_profile(profile: Profile, health: dict[str, object] | None = None) -> str:
    """Write a profile as JSON text; the same profile always gives the same text. Raises BadInput beyond the limits."""
    if not isinstance(profile, Profile):
        raise BadInput(f"dump_profile expects a Profile, not {type(profile).__name__}")
    try:
        plain = json.loads(json.dumps(health or {}, allow_nan=False))
        version = _oldest(profile)
        content = {_MARK: version, **profile_format.dump(profile), "health": plain}
        text = "".join(_write({_MARK: version, "checksum": _checksum(content), **content}, "")) + "\n"
    except (AttributeError, TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"this profile cannot be written: {error}") from error
    load_profile(text, name="this profile cannot be written")
    return text


def _oldest(profile: Profile) -> int:
    """Return the oldest format that can say it all, so that older versions can read what they can use."""
    if any(layout.lists for layout in profile.layouts):
        return _LISTS
    if profile.images != SiteImages() or any(layout.images != ImageRules() for layout in profile.layouts):
        return 3
    return 1


def load_profile(text: str | bytes, *, name: str = "profile") -> Saved:
    """Read what `dump_profile` wrote. Raises BadInput with `name`, the place in the file and the reason."""
    try:
        return _load(text)
    except Wrong as wrong:
        raise BadInput(f"{name}: {wrong}") from None


def open_profile(path: str | Path) -> Saved:
    """Read a profile file. Raises BadInput where it is no good, OSError where it cannot be read."""
    with Path(path).open("rb") as file:
        return load_profile(file.read(LIMITS.profile_bytes + 1), name=str(path))


def _load(text: str | bytes) -> Saved:
    content = _parse(text)
    if not isinstance(content, dict) or _MARK not in content:
        raise Wrong("", f"not a profile of scythe: a JSON object with {_MARK!r} was expected")
    _check_version(content[_MARK])
    claimed = content.pop("checksum", None)
    if claimed != _checksum(content):
        raise Wrong("checksum", f"does not fit the content: the file was edited or cut; {_REPAIR}")
    if content.pop(_MARK) < _LISTS:
        _rename_regions(content)
    health = content.pop("health", None)
    if not isinstance(health, dict):
        raise Wrong("health", "an object was expected")
    check_plain(health, "health")
    return Saved(profile_format.load(content), health)


def _rename_regions(content: dict[str, object]) -> None:
    """Call the lists of layouts what this version calls them."""
    layouts = content.get("layouts")
    for layout in layouts if isinstance(layouts, list) else ():
        if isinstance(layout, dict) and "regions" in layout:
            layout["lists"] = layout.pop("regions")


def _parse(text: str | bytes) -> object:
    if len(text) > LIMITS.profile_bytes:
        raise Wrong("", f"longer than {LIMITS.profile_bytes} bytes, which no profile is")
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig")
        return json.loads(text, object_pairs_hook=_pairs, parse_constant=_refuse, parse_float=_finite)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise Wrong(place, f"not JSON ({error.msg}): the file was edited or cut; {_REPAIR}") from None
    except UnicodeDecodeError as error:
        raise Wrong(f"byte {error.start}", "not UTF-8") from None
    except RecursionError:
        raise Wrong("", "nested too deeply for a profile") from None
    except ValueError as error:
        raise Wrong("", str(error)[:200]) from None  # a number of thousands of digits


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        raise Wrong("", f"the key {next(key for key in made if keys.count(key) > 1)!r:.60} is there twice")
    return made


def _refuse(constant: str) -> NoReturn:
    raise Wrong("", f"{constant} is no number of a profile")


def _finite(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else _refuse(digits[:60])


def _check_version(version: object) -> None:
    if type(version) is not int or version < 1:
        raise Wrong(_MARK, f"a version number was expected, not {version!r:.60}")
    if version > VERSION:
        raise Wrong(
            _MARK,
            f"written by a newer scythe (format {version!r:.20}; this one reads up to {VERSION}); update scythe, "
            "or learn the site again",
        )


def _checksum(content: dict[str, object]) -> str:
    """Return the digest of what a file says, whatever the order of its keys and its white space."""
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return f"sha256:{hashlib.sha256(canonical.encode('ascii')).hexdigest()}"


def _write(value: object, indent: str) -> Iterator[str]:
    """Yield JSON with one rule, mark or text per line, so that two profiles can be compared line by line."""
    inner = f"{indent} "
    if isinstance(value, dict) and any(map(_is_nested, value.values())):
        parts: list[tuple[str, object]] = [(f"{_quote(key)}: ", item) for key, item in value.items()]
        edges = "{}"
    elif isinstance(value, list) and (any(map(_is_nested, value)) or len(_flat(value)) > _LINE_CHARS):
        parts, edges = [("", item) for item in value], "[]"
    else:
        yield _flat(value)
        return
    for number, (lead, item) in enumerate(parts):
        yield f"{',' if number else edges[0]}\n{inner}{lead}"
        yield from _write(item, inner)
    yield f"\n{indent}{edges[1]}"


def _is_nested(value: object) -> bool:
    return isinstance(value, list) or (isinstance(value, dict) and value.keys() != {"base64"})


def _flat(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_quote(key)}: {_flat(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flat, value)) + "]"
    return _quote(value) if isinstance(value, str) else json.dumps(value)


def _quote(text: str) -> str:
    """Write a JSON string in which letters of all scripts stay readable and what cannot be seen is escaped."""
    quoted = json.dumps(text, ensure_ascii=False)
    if quoted.isprintable():
        return quoted
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in quoted)
