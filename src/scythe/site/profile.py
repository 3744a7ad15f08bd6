"""Save and load profiles as versioned JSON that people can read and edit. Nothing in a file names code."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

import msgspec

from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.model import IMAGE_METHODS, VALUE_TYPES
from scythe.site.element_rules import MOST_ROWS, take_up, wrong_part
from scythe.site.rules import ATTRIBUTE, ELEMENT, SOURCES, FieldRules, Profile

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
class _File(Profile):
    """The content of a file."""

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
    """Read what `dump_profile` wrote, or what people made of it. Raises BadInput with `name`, line and reason."""
    if len(text) > LIMITS.profile_bytes:
        raise BadInput(f"{name}: longer than {LIMITS.profile_bytes} bytes, which no profile is")
    said = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    try:
        _check_version(msgspec.json.decode(text, type=_Version).scythe_profile)
        content = msgspec.json.decode(text, type=_File)
        plain = msgspec.json.decode(text)  # parts that nobody knows, too, which may be no text
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise BadInput(
            f"{name}{_line_of_error(said, str(error))}: not a profile of scythe ({error}); {_AGAIN}"
        ) from None
    except BadInput as error:
        raise BadInput(f"{name}: {error}") from None
    taken = {each.name: getattr(content, each.name) for each in fields(Profile)}
    profile = Profile(**taken | {"rules": tuple(take_up(row) for row in content.rules)})
    for path, wrong in (*_unknown(plain, _File, "$"), *_wrong(content)):
        raise BadInput(f"{name}{_line_of(said, path)}: {wrong}")
    return Saved(profile, content.health)


def _check_version(version: int) -> None:
    if version > VERSION:
        raise BadInput(f"written by a newer scythe (format {version!r:.20}; this one reads {VERSION}); update scythe")
    if version < VERSION:
        raise BadInput(f"format {version} has rules that this version does not follow; learn the site again")


_PATH = re.compile(r"at `(\$[^`]*)`")
_BYTE = re.compile(r"\(byte (\d{1,9})\)")
_PART = re.compile(r"\.(\w+)|\[(\d{1,9})\]")
_SPACE = re.compile(r"[ \t\r\n]*")


def _line_of_error(text: str, error: str) -> str:
    if (path := _PATH.search(error)) is not None:
        return _line_of(text, path[1])
    at = _BYTE.search(error)
    if at is None:
        return ""
    before = text.encode("utf-8", "replace")[: int(at[1])]
    return f", line {before.count(10) + 1}"


def _line_of(text: str, path: str) -> str:
    """Return the line in which something of a JSON text stands; an empty string where it is not found."""
    decoder, at = json.JSONDecoder(), _after_space(text, 0)
    try:
        for key, index in _PART.findall(path):
            wanted, number = (key, -1) if key else (None, int(index))
            at = _after_space(text, at + 1)
            while number or wanted is not None:
                if wanted is not None:
                    found, at = decoder.raw_decode(text, at)
                    at = _after_space(text, _after_space(text, at) + 1)
                    if found == wanted:
                        break
                _, at = decoder.raw_decode(text, at)
                at = _after_space(text, _after_space(text, at) + 1)
                number -= 1
    except (ValueError, IndexError, RecursionError):
        return ""
    return f", line {text.count(chr(10), 0, at) + 1}"


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found is not None else at


@lru_cache(maxsize=64)
def _records_in(kind: type) -> dict[str, tuple[type | None, bool]]:
    """Return the keys of a record, each with the record that stands there, if one does, and whether they are many."""
    found: dict[str, tuple[type | None, bool]] = {}
    for name, hint in get_type_hints(kind).items():
        inside = [hint, *get_args(hint)]
        record = next((each for each in inside if isinstance(each, type) and is_dataclass(each)), None)
        found[name] = record, get_origin(hint) is tuple
    return found


def _unknown(value: Any, kind: type, path: str) -> Iterator[tuple[str, str]]:
    """Yield keys that no record has: a wrong letter must not be passed over."""
    keys = _records_in(kind)
    for key, given in value.items():
        if key not in keys:
            if not (kind is _File and key == "scythe_profile"):
                from difflib import get_close_matches

                near = get_close_matches(key, keys, 1)
                meant = f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(keys)}"
                yield f"{path}.{key}", f"unknown key {key!r:.60}; {meant}"
            continue
        record, are_several = keys[key]
        if record is not None and given is not None:
            for number, each in enumerate(given if are_several else [given]):
                yield from _unknown(each, record, f"{path}.{key}[{number}]" if are_several else f"{path}.{key}")


def _wrong_method(name: str) -> str:
    from scythe.reading.text import method as text_method  # hardly any profile names one

    try:
        text_method(name)
    except BadInput as error:
        return str(error)
    return ""


def _wrong(profile: _File) -> Iterator[tuple[str, str]]:
    """Yield what types do not say, with the path to where it stands."""
    names = [layout.name for layout in profile.layouts]
    if len(names) > LIMITS.profile_layouts or len(set(names)) < len(names):
        yield "$.layouts", f"{len(names)} layouts, of which {len(set(names))} have names of their own"
    if profile.method and (wrong_method := _wrong_method(profile.method)):
        yield "$.method", wrong_method
    if profile.images.method not in IMAGE_METHODS:
        yield "$.images.method", f"images: method is one of {', '.join(IMAGE_METHODS)}"
    if len(profile.rules) > MOST_ROWS:
        yield "$.rules", f"{len(profile.rules)} rules, more than {MOST_ROWS}"
    for number, row in enumerate(profile.rules):
        if wrong := wrong_part(row, names):
            yield f"$.rules[{number}].{wrong[0]}", f"rule of {row.field}: {wrong[1]}"
    for number, (name, kind) in enumerate(profile.types):
        if kind not in VALUE_TYPES:
            yield f"$.types[{number}]", f"type of {name}: expected one of {', '.join(VALUE_TYPES)}, not {kind!r:.40}"
    for number, layout in enumerate(profile.layouts):
        path = f"$.layouts[{number}]"
        if msgspec.json.encode(replace(layout, marks=(), outside=())).count(b"{") > LIMITS.layout_rules:
            yield path, f"more than {LIMITS.layout_rules} rules together, which no page is worth"
        if layout.parent and layout.parent not in names[:number]:
            yield f"{path}.parent", f"{layout.name}: its parent {layout.parent!r:.60} does not stand before it"
        counts = (*layout.marks, *layout.outside)
        if layout.marked < (1 if counts else 0) or not all(_is_hash(key) and count >= 0 for key, count in counts):
            yield f"{path}.marks", f"{layout.name}: marks are pairs of a key and a number of pages"
        for place, rules in enumerate(layout.fields):
            if wrong_field := _wrong_field(rules):
                yield f"{path}.fields[{place}]", f"{layout.name}: {rules.name}: {wrong_field}"


def _is_hash(number: int) -> bool:
    return 0 <= number < 1 << 64


def _wrong_field(rules: FieldRules) -> str:
    """Say what is wrong with the rules of a field, or return an empty string."""
    if (rules.text is not None) + bool(rules.places) + (rules.values is not None) != 1:
        return "a field has text, places or values"
    if rules.text is not None and not rules.text.roots:
        return "no element holds the text"
    anchors = [rule for way in rules.values.ways for rule in way.rules] if rules.values is not None else []
    if not all(_is_hash(rule.hash) for rule in anchors):
        return "a hash has 64 bits"
    for place in rules.places:
        if place.source not in SOURCES:
            return f"a place is one of {', '.join(SOURCES)}, not {place.source!r:.60}"
        if place.selector is None and place.source in (ELEMENT, ATTRIBUTE):
            return f"which {place.source} is not said"
    return ""


def open_profile(path: str | Path) -> Saved:
    """Read a profile file. Raises BadInput where it is no good, OSError where it cannot be read."""
    with Path(path).open("rb") as file:
        return load_profile(file.read(LIMITS.profile_bytes + 1), name=str(path))
