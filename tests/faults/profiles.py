"""Hostile profiles and label files by name: bytes that must be refused with a reason, or do no harm.

`PROFILES` are files of learned rules, `LABELS` files of what people said of images, whose name ends in `.csv`, `.json`
or `.jsonl` and so says what they claim to be.
"""

import gzip
import json
import pickle
import random
from collections.abc import Callable
from typing import Any

from scythe.limits import LIMITS
from scythe.site.profile import VERSION, dump_profile
from scythe.site.rules import FieldRules, Layout, PlaceRule, Profile, TextRule, Usual
from scythe.site.select import Selector

Make = Callable[[], bytes]
TITLE = PlaceRule("element", Selector(key=410, name="h1.headline"))
BODY = TextRule((Selector(key=411, parent=900),), (Selector(key=412, place=None),), 0.98)
ARTICLE = Layout(
    "article",
    (
        FieldRules("title", places=(TITLE,), usual=Usual(10, 9, 12, 80, 40, "latin")),
        FieldRules("text", text=BODY, usual=Usual(10, 10, 400, 9_000, 2_000, "latin")),
    ),
    pages=10,
    marks=((410, 10), (411, 10)),
    marked=10,
    is_settled=True,
)
WHOLE = dump_profile(Profile((ARTICLE,), fields=("title", "text")), {"pages": 12}).encode()


class RunsCode:
    """What a pickle runs when somebody loads it: it makes the file that `SENTINEL` names in the present folder."""

    SENTINEL = "code-was-run"

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (self.SENTINEL, "w")


def changed(**changes: Any) -> bytes:
    """Write the whole profile with other values at its top."""
    return json.dumps(json.loads(WHOLE) | changes).encode()


def ruled(place: dict[str, Any]) -> bytes:
    """Write a profile of one field with one place."""
    return changed(layouts=[{"name": "a", "fields": [{"name": "b", "places": [place]}]}])


PREFIX = {"type": "prefix", "text": "{x}"}  # the dearest to follow
WAY = {"take": "element", "rules": [PREFIX]}
BRIEF = {"name": "b", "places": [{"source": "address"}]}


def many(**rules: Any) -> bytes:
    """Write a profile of one field with more rules than any page is worth."""
    return changed(layouts=[{"name": "a", "fields": [{"name": "b", **rules}]}])


def _flipped() -> bytes:
    place = len(WHOLE) // 2
    return WHOLE[:place] + bytes([WHOLE[place] ^ 1]) + WHOLE[place + 1 :]


PROFILES: dict[str, Make] = {
    "cut in half": lambda: WHOLE[: len(WHOLE) // 2],
    "empty": lambda: b"",
    "with a flipped bit": _flipped,
    "of a newer version": lambda: changed(scythe_profile=VERSION + 1),
    "of an older version": lambda: changed(scythe_profile=VERSION - 1),
    "of a version of words": lambda: changed(scythe_profile="newest"),
    "of a version beyond belief": lambda: changed(scythe_profile=10**1_000),
    "of too many places": lambda: many(places=[{"source": "meta", "name": "a", "attribute": "b"}] * 5_000),
    "of too many drops": lambda: many(text={"roots": [{"key": 1}], "drops": [{"key": n} for n in range(1, 5_001)]}),
    "of too many ways": lambda: many(values={"name": "b", "ways": [WAY] * 2_500}),
    "of too many rules of one way": lambda: many(values={"name": "b", "ways": [{**WAY, "rules": [PREFIX] * 5_000}]}),
    "of too many fields": lambda: changed(layouts=[{"name": "a", "fields": [BRIEF] * 2_500}]),
    "deep": lambda: b'{"scythe_profile": 5, "layouts": ' + b"[" * 100_000,
    "long": lambda: WHOLE + b" " * LIMITS.profile_bytes,
    "of long numbers": lambda: WHOLE.replace(b"410", b"9" * 6_000, 1),
    "of no numbers": lambda: WHOLE.replace(b"410", b"NaN", 1),
    "of wrong types": lambda: changed(layouts={"a": 1}, fields=7),
    "of null": lambda: changed(layouts=None),
    "of another kind": lambda: b'{"name": "left-pad", "version": "1.3.0"}',
    "of noise": lambda: random.Random(2).randbytes(5_000),
    "with a key that is no text": lambda: WHOLE.replace(b"{", b'{"a\xff": 1, ', 1),
    "with a value that is no text": lambda: WHOLE.replace(b"{", b'{"a": "\xc3", ', 1),
    "in UTF-16": lambda: WHOLE.decode().encode("utf-16"),
    "packed": lambda: gzip.compress(WHOLE),
    "a pickle": lambda: pickle.dumps(RunsCode()),
    "names code": lambda: changed(
        layouts=[
            {
                "__module__": "os",
                "__class__": "system",
                "__loader__": "OperatorFuncNode",
                "content": "touch code-was-run",
            }
        ]
    ),
    "a place of another kind": lambda: ruled({"source": "unparsed-text('file:///etc/passwd')"}),
    "a selector of nothing": lambda: ruled({"source": "element", "selector": {"place": 0}}),
    "an element without a selector": lambda: ruled({"source": "element"}),
    "a key below zero": lambda: ruled({"source": "element", "selector": {"key": -5}}),
    "layouts of one name": lambda: changed(layouts=[{"name": "l", "fields": []}] * 2),
    "a parent that is not there": lambda: changed(layouts=[{"name": "l", "parent": "m"}]),
}


_PAGE = "https://example.org/a"
LABELS: dict[str, Make] = {
    "labels empty.csv": lambda: b"",
    "labels without columns.csv": lambda: b"a,b,c\n1,2,3\n",
    "labels with columns twice.csv": lambda: b"page,image,page\nx,y,z\n",
    "labels with an open quote.csv": lambda: b'page,image\n"https://example.org/a,x.jpg\n' * 50,
    "labels with a long cell.csv": lambda: f"page,image\n{_PAGE},{'x' * 3_000_000}\n".encode(),
    "labels with many cells.csv": lambda: b"page,image\n" + b"x," * 100_000 + b"\n",
    "labels that disagree.csv": lambda: f"page,image,relevant\n{_PAGE},#1,yes\n{_PAGE},#1,no\n".encode(),
    "labels of odd verdicts.csv": lambda: f"page,image,relevant\n{_PAGE},#1,perhaps\n".encode(),
    "labels of noise.csv": lambda: random.Random(4).randbytes(5_000),
    "labels with NUL.csv": lambda: f"page,image\n{_PAGE},a\0b.jpg\n".encode(),
    "labels cut.json": lambda: b'{"https://example.org/a": ["x.jp',
    "labels deep.json": lambda: b"[" * 100_000,
    "labels of wrong types.json": lambda: b'{"https://example.org/a": [1, null, {"x": []}]}',
    "labels of long numbers.json": lambda: b'{"https://example.org/a": ' + b"9" * 6_000 + b"}",
    "labels with keys twice.json": lambda: b'{"a.html": ["x.jpg"], "a.html": ["y.jpg"]}',
    "labels with half characters.json": lambda: b'{"a.html": ["\\ud800.jpg"]}',
    "labels with a bad line.jsonl": lambda: b'{"page": "a.html", "image": "x.jpg"}\n{"page"\n',
    "labels of lists.jsonl": lambda: b'["a.html", "x.jpg"]\n' * 10,
}
