"""The kinds of values in a profile file: plain JSON comes in, checked values go out, and back."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Any, Protocol

from scythe.limits import LIMITS

_PLAIN_DEPTH = 12  # of the health of a profile, and of a fitted model


class Wrong(Exception):
    """A place in a file and what is wrong there."""

    def __init__(self, at: str, why: str) -> None:
        super().__init__(f"{at}: {why}" if at else why)


class Form(Protocol):
    """One kind of value: `load` checks plain JSON and makes the value, `dump` makes plain JSON of it."""

    def load(self, value: object, at: str) -> Any: ...
    def dump(self, value: Any) -> object: ...


@dataclass(frozen=True, slots=True)
class Count:
    """A whole number within bounds, both included."""

    least: int
    most: int

    def load(self, value: object, at: str) -> int:
        if type(value) is not int or not self.least <= value <= self.most:
            raise Wrong(at, f"a whole number from {self.least} to {self.most} was expected, not {value!r:.60}")
        return value

    def dump(self, value: int) -> object:
        return value


@dataclass(frozen=True, slots=True)
class Share:
    """A number from 0 to 1."""

    def load(self, value: object, at: str) -> float:
        if type(value) not in (int, float) or not 0 <= value <= 1:  # type: ignore[operator]
            raise Wrong(at, f"a number from 0 to 1 was expected, not {value!r:.60}")
        return float(value)  # type: ignore[arg-type]

    def dump(self, value: float) -> object:
        return value


@dataclass(frozen=True, slots=True)
class Maybe:
    """Another kind of value, or null."""

    inner: Form

    def load(self, value: object, at: str) -> Any:
        return None if value is None else self.inner.load(value, at)

    def dump(self, value: Any) -> object:
        return None if value is None else self.inner.dump(value)


@dataclass(frozen=True, slots=True)
class Row:
    """A list of as many values as there are forms, one of each."""

    inner: tuple[Form, ...]

    def load(self, value: object, at: str) -> tuple[Any, ...]:
        if not isinstance(value, list) or len(value) != len(self.inner):
            raise Wrong(at, f"a list of {len(self.inner)} was expected, not {value!r:.60}")
        pairs = zip(self.inner, value, strict=True)
        return tuple(form.load(item, f"{at}[{number}]") for number, (form, item) in enumerate(pairs))

    def dump(self, value: tuple[Any, ...]) -> object:
        return [form.dump(item) for form, item in zip(self.inner, value, strict=True)]


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    def load(self, value: object, at: str) -> bool:
        if not isinstance(value, bool):
            raise Wrong(at, f"true or false was expected, not {value!r:.60}")
        return value

    def dump(self, value: bool) -> object:
        return value


@dataclass(frozen=True, slots=True)
class Text:
    """Text of bounded length that can be written as UTF-8; `says_why` returns what is wrong with it, or nothing."""

    most: int  # characters
    says_why: Callable[[str], str] = lambda _: ""

    def load(self, value: object, at: str) -> str:
        if not isinstance(value, str):
            raise Wrong(at, f"text was expected, not {value!r:.60}")
        if len(value) > self.most:
            raise Wrong(at, f"text of at most {self.most} characters was expected, not {len(value)}")
        if not _is_clean(value):
            raise Wrong(at, "text with half of a surrogate pair")
        why = self.says_why(value)
        if why:
            raise Wrong(at, f"{why}, not {value!r:.60}")
        return value

    def dump(self, value: str) -> object:
        return value


@dataclass(frozen=True, slots=True)
class Literal:
    """Bytes of a page: text where they are UTF-8, which nearly all are, and base64 where they are not."""

    says_why: Callable[[bytes], str] = lambda _: ""

    def load(self, value: object, at: str) -> bytes:
        if isinstance(value, str) and _is_clean(value):
            made = value.encode()
        elif isinstance(value, dict) and value.keys() == {"base64"} and isinstance(value["base64"], str):
            made = _decoded(value["base64"], at)
        else:
            raise Wrong(at, f'text or {{"base64": "..."}} was expected, not {value!r:.60}')
        if len(made) > LIMITS.literal_bytes:
            raise Wrong(at, f"at most {LIMITS.literal_bytes} bytes were expected, not {len(made)}")
        why = self.says_why(made)
        if why:
            raise Wrong(at, f"{why}, not {made!r:.60}")
        return made

    def dump(self, value: bytes) -> object:
        try:
            return value.decode()
        except UnicodeDecodeError:
            return {"base64": b64encode(value).decode("ascii")}


@dataclass(frozen=True, slots=True)
class Plain:
    """Any shallow JSON object, kept in one canonical text; no object is an empty text."""

    def load(self, value: object, at: str) -> str:
        if not isinstance(value, dict):
            raise Wrong(at, f"an object was expected, not {value!r:.60}")
        check_plain(value, at)
        return write_plain(value)

    def dump(self, value: str) -> object:
        return json.loads(value)


@dataclass(frozen=True, slots=True)
class Many:
    """A list of bounded length; `key` is what no two items may share."""

    inner: Form
    most: int
    least: int = 0
    key: Callable[[Any], str] | None = None

    def load(self, value: object, at: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise Wrong(at, f"a list was expected, not {value!r:.60}")
        if not self.least <= len(value) <= self.most:
            raise Wrong(at, f"a list of {self.least} to {self.most} was expected, not of {len(value)}")
        made = tuple(self.inner.load(item, f"{at}[{number}]") for number, item in enumerate(value))
        if self.key is not None and len(set(map(self.key, made))) < len(made):
            raise Wrong(at, "two have the same name")
        return made

    def dump(self, value: tuple[Any, ...]) -> object:
        return [self.inner.dump(item) for item in value]


@dataclass(frozen=True, slots=True)
class Record:
    """A record of `scythe.rules` or `scythe.model`; what equals its default is left out of the file."""

    of: type
    forms: dict[str, Form]
    says_why: Callable[[Any], str] = lambda _: ""

    def load(self, value: object, at: str) -> Any:
        if not isinstance(value, dict):
            raise Wrong(at, f"an object was expected, not {value!r:.60}")
        unknown = sorted(value.keys() - self.forms.keys())
        if unknown:
            raise Wrong(at, f"unknown key {unknown[0]!r:.60}; known are {', '.join(self.forms)}")
        missing = [name for name in self.forms if name not in value and name not in _defaults(self.of)]
        if missing:
            raise Wrong(at, f"{missing[0]!r} is missing")
        lead = f"{at}." if at else ""
        made = self.of(**{name: self.forms[name].load(item, f"{lead}{name}") for name, item in value.items()})
        why = self.says_why(made)
        if why:
            raise Wrong(at, why)
        return made

    def dump(self, value: Any) -> dict[str, object]:
        """Return plain values in the order of the record's fields."""
        if not isinstance(value, self.of):
            raise TypeError(f"{self.of.__name__} was expected, not {type(value).__name__}")
        if len(fields(self.of)) != len(self.forms):
            raise TypeError(f"{self.of.__name__} has fields that the file format lacks")  # they would be lost
        given = {name: getattr(value, name) for name in self.forms}
        default = _defaults(self.of)
        kept = {name: item for name, item in given.items() if name not in default or item != default[name]}
        return {name: self.forms[name].dump(item) for name, item in kept.items()}


@cache
def _defaults(record: type) -> dict[str, object]:
    return {field.name: field.default for field in fields(record) if field.default is not MISSING}


def check_plain(value: object, at: str, depth: int = _PLAIN_DEPTH) -> None:
    """Check that a value of JSON is shallow and holds only numbers that JSON and Python mean alike."""
    if depth == 0:
        raise Wrong(at, f"nested more than {_PLAIN_DEPTH} deep")
    if isinstance(value, dict):
        for key, item in value.items():
            check_plain(key, at, depth - 1)
            check_plain(item, f"{at}.{key}"[:200], depth - 1)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            check_plain(item, f"{at}[{number}]", depth - 1)
    elif isinstance(value, str) and not _is_clean(value):
        raise Wrong(at, "text with half of a surrogate pair")
    elif isinstance(value, int | float) and not abs(value) <= 2**53:
        raise Wrong(at, "a number that is too large")


def write_plain(value: object) -> str:
    """Write a value of JSON in the one form that `Plain` keeps it in."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _is_clean(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)


def _decoded(text: str, at: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except ValueError:
        raise Wrong(at, "not base64") from None
