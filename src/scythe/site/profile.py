"""Save and load profiles as versioned JSON that people can read and edit. Nothing in a file names code."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.model import IMAGE_METHODS, SiteImages
from scythe.site.rules import ATTRIBUTE, ELEMENT, SOURCES, FieldRules, Layout, Profile

VERSION = 5  # rules on the page map; what was written before has to be learned again
_AGAIN = "learn the site again, or take the file from a copy"


class Saved(NamedTuple):
    """What a profile file holds: the rules, and how they have fared since."""

    profile: Profile
    health: dict[str, object]


@dataclass(frozen=True, slots=True)
class _Version:
    scythe_profile: int


@dataclass(frozen=True, slots=True)
class _File:
    """The content of a file."""

    layouts: tuple[Layout, ...]
    fields: tuple[str, ...] = ()
    learned: str = ""
    named: tuple[str, ...] = ()
    images: SiteImages = SiteImages()  # noqa: RUF009  it is frozen
    health: dict[str, Any] = field(default_factory=dict)


def dump_profile(profile: Profile, health: dict[str, object] | None = None) -> str:
    """Write a profile as JSON text; the same profile always gives the same text. Raises BadInput beyond the limits."""
    content = {"scythe_profile": VERSION, **_plain(profile), "layouts": _plain(profile.layouts), "health": health or {}}
    try:
        text = msgspec.json.format(msgspec.json.encode(content), indent=1).decode() + "\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"this profile cannot be written: {error}") from error
    load_profile(text, name="this profile cannot be written")
    return text


def _plain(value: Any) -> Any:
    """Return plain values of a record; what equals its default is left out."""
    if is_dataclass(value):
        return {
            each.name: _plain(given) for each in fields(value) if (given := getattr(value, each.name)) != each.default
        }
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def load_profile(text: str | bytes, *, name: str = "profile") -> Saved:
    """Read what `dump_profile` wrote. Raises BadInput with `name`, the place in the file and the reason."""
    if len(text) > LIMITS.profile_bytes:
        raise BadInput(f"{name}: longer than {LIMITS.profile_bytes} bytes, which no profile is")
    try:
        _check_version(msgspec.json.decode(text, type=_Version).scythe_profile)
        content = msgspec.json.decode(text, type=_File)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise BadInput(f"{name}: not a profile of scythe ({error}); {_AGAIN}") from None
    except BadInput as error:
        raise BadInput(f"{name}: {error}") from None
    profile = Profile(content.layouts, content.fields, content.learned, content.named, content.images)
    _check(profile, name)
    return Saved(profile, content.health)


def _check_version(version: int) -> None:
    if version > VERSION:
        raise BadInput(f"written by a newer scythe (format {version!r:.20}; this one reads {VERSION}); update scythe")
    if version < VERSION:
        raise BadInput(f"format {version} has rules that this version does not follow; learn the site again")


def _check(profile: Profile, name: str) -> None:
    """Check what types do not say."""
    names = [layout.name for layout in profile.layouts]
    if len(names) > LIMITS.profile_layouts or len(set(names)) < len(names):
        raise BadInput(f"{name}: {len(names)} layouts, of which {len(set(names))} have names of their own")
    if profile.images.method not in IMAGE_METHODS:
        raise BadInput(f"{name}: images: method is one of {', '.join(IMAGE_METHODS)}")
    for number, layout in enumerate(profile.layouts):
        if layout.parent and layout.parent not in names[:number]:
            raise BadInput(f"{name}: {layout.name}: its parent {layout.parent!r:.60} does not stand before it")
        counts = (*layout.marks, *layout.outside)
        if layout.marked < (1 if counts else 0) or not all(_is_hash(key) and count >= 0 for key, count in counts):
            raise BadInput(f"{name}: {layout.name}: marks are pairs of a key and a number of pages")
        for rules in layout.fields:
            _check_field(rules, f"{name}: {layout.name}: {rules.name}")


def _is_hash(number: int) -> bool:
    return 0 <= number < 1 << 64


def _check_field(rules: FieldRules, where: str) -> None:
    if (rules.text is not None) + bool(rules.places) + (rules.values is not None) != 1:
        raise BadInput(f"{where}: a field has text, places or values")
    if rules.text is not None and not rules.text.roots:
        raise BadInput(f"{where}: no element holds the text")
    anchors = [rule for way in rules.values.ways for rule in way.rules] if rules.values is not None else []
    if not all(_is_hash(rule.hash) for rule in anchors):
        raise BadInput(f"{where}: a hash has 64 bits")
    for place in rules.places:
        if place.source not in SOURCES:
            raise BadInput(f"{where}: a place is one of {', '.join(SOURCES)}, not {place.source!r:.60}")
        if place.selector is None and place.source in (ELEMENT, ATTRIBUTE):
            raise BadInput(f"{where}: which {place.source} is not said")


def open_profile(path: str | Path) -> Saved:
    """Read a profile file. Raises BadInput where it is no good, OSError where it cannot be read."""
    with Path(path).open("rb") as file:
        return load_profile(file.read(LIMITS.profile_bytes + 1), name=str(path))
