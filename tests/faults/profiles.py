"""Hostile profiles and label files by name: bytes that must be refused with a reason, or do no harm.

`PROFILES` are files of learned rules, `LABELS` files of what people said of images, whose name ends in `.csv`, `.json`
or `.jsonl` and so says what they claim to be.
"""

from __future__ import annotations

import gzip
import json
import pickle
import random
from collections.abc import Callable
from typing import Any

from scythe.limits import LIMITS
from scythe.site.profile import VERSION, _checksum, dump_profile
from scythe.site.rules import ELEMENT, FLOW, FieldRules, Layout, Profile, Rule, Usual, Way

Make = Callable[[], bytes]
PROFILES: dict[str, Make] = {}
LABELS: dict[str, Make] = {}
SAYS: dict[str, str] = {}  # what is wrong with each, in one sentence
TAG = Rule("tag", b'<h1 class="headline', position=400)
TITLE = Way(ELEMENT, (TAG, Rule("before", b"<article>", step=b"<h1", nth=1)), end=b"</h1>\n<p")
BODY = Way(FLOW, (Rule("tag", b"<article"), TAG), drops=(b'<div class="ad',))
ARTICLE = Layout(
    "article",
    (FieldRules("title", (TITLE,), Usual(10, 9, 12, 80, 40, 410, 900, "latin")), FieldRules("text", (BODY, TITLE))),
    marks=(b'<body class="single',),
    shapes=("/news/#/*",),
    pages=10,
)
WHOLE = dump_profile(Profile((ARTICLE,), fields=("title", "text"), hosts=("example.org",)), {"pages": 12}).encode()


class RunsCode:
    """What a pickle runs when somebody loads it: it makes the file that `SENTINEL` names in the present folder."""

    SENTINEL = "code-was-run"

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (self.SENTINEL, "w")


def signed(content: dict[str, Any]) -> bytes:
    """Write any content as a file whose checksum is right."""
    content = {key: value for key, value in content.items() if key != "checksum"}
    return json.dumps({**content, "checksum": _checksum(content)}).encode()


def changed(**changes: Any) -> bytes:
    """Write the whole profile with other values at its top, under a right checksum."""
    return signed(json.loads(WHOLE) | changes)


def ruled(rule: dict[str, Any], **way: Any) -> bytes:
    """Write a profile of one way with one rule."""
    given = {"take": "element", "rules": [rule], **way}
    return changed(layouts=[{"name": "a", "fields": [{"name": "b", "ways": [given]}]}])


def _profile(name: str, says: str, make: Make) -> None:
    PROFILES[name], SAYS[name] = make, says


def _flipped() -> bytes:
    place = len(WHOLE) // 2
    return WHOLE[:place] + bytes([WHOLE[place] ^ 1]) + WHOLE[place + 1 :]


_profile("cut in half", "The file ends early.", lambda: WHOLE[: len(WHOLE) // 2])
_profile("empty", "The file is empty.", lambda: b"")
_profile("edited", "Somebody changed a rule by hand.", lambda: WHOLE.replace(b"headline", b"headlime", 1))
_profile("with a flipped bit", "One bit is wrong.", _flipped)
_profile("of a newer version", "The file was made by a version to come.", lambda: changed(scythe_profile=VERSION + 1))
_profile("of a version of words", "The version is no number.", lambda: changed(scythe_profile="newest"))
_profile("of a version beyond belief", "The version has a thousand digits.", lambda: changed(scythe_profile=10**1_000))
_profile(
    "without a checksum",
    "The checksum is gone.",
    lambda: json.dumps({k: v for k, v in json.loads(WHOLE).items() if k != "checksum"}).encode(),
)
_profile(
    "deep",
    "Lists stand inside of lists without a bottom.",
    lambda: b'{"scythe_profile": 1, "layouts": ' + b"[" * 100_000,
)
_profile(
    "deep and signed",
    "Lists stand inside of lists below a right checksum.",
    lambda: changed(health={"a": json.loads("[" * 400 + "]" * 400)}),
)
_profile("long", "The file is longer than any profile.", lambda: WHOLE + b" " * LIMITS.profile_bytes)
_profile(
    "of long numbers", "A number has more digits than Python reads.", lambda: WHOLE.replace(b"410", b"9" * 6_000, 1)
)
_profile(
    "of no numbers", "Numbers are not numbers.", lambda: WHOLE.replace(b"410", b"NaN", 1).replace(b"900", b"1e999", 1)
)
_profile(
    "with keys twice",
    "A key stands twice in one object.",
    lambda: WHOLE.replace(b'"layouts"', b'"layouts": [], "layouts"', 1),
)
_profile("with keys unknown", "A key is known to nobody.", lambda: changed(run="os.system"))
_profile(
    "of wrong types",
    "Texts stand where lists should, and the other way round.",
    lambda: changed(layouts={"a": 1}, fields=7, hosts=[[]]),
)
_profile("of null", "Nothing stands where something should.", lambda: changed(layouts=None))
_profile("of another kind", "The file is JSON of another program.", lambda: b'{"name": "left-pad", "version": "1.3.0"}')
_profile("of noise", "The file is noise.", lambda: random.Random(2).randbytes(5_000))
_profile("in UTF-16", "The file is written in another encoding.", lambda: WHOLE.decode().encode("utf-16"))
_profile(
    "with half characters", "Texts hold half characters.", lambda: WHOLE.replace(b"example.org", b"\\ud800.org", 1)
)
_profile("packed", "The file was packed.", lambda: gzip.compress(WHOLE))
_profile("a pickle", "The file is a pickle that runs code when it is loaded.", lambda: pickle.dumps(RunsCode()))
_profile(
    "names code",
    "Keys name a module and a class, as formats have it that build objects.",
    lambda: changed(
        layouts=[
            {
                "__module__": "os",
                "__class__": "system",
                "__loader__": "OperatorFuncNode",
                "content": "touch code-was-run",
            }
        ]
    ),
)
_profile(
    "a rule of another kind",
    "A rule is of a kind that nobody knows.",
    lambda: ruled({"kind": "xpath", "anchor": "unparsed-text('file:///etc/passwd')"}),
)
_profile(
    "a rule without an end",
    "A rule wants more steps than a page has tags.",
    lambda: ruled({"kind": "before", "anchor": "<p", "step": "<b", "nth": 10**9}),
)
_profile(
    "a rule too long", "A rule is longer than any tag.", lambda: ruled({"kind": "tag", "anchor": "<" + "x" * 100_000})
)
_profile(
    "a rule below zero",
    "A rule begins before the page does.",
    lambda: ruled({"kind": "tag", "anchor": "<p", "position": -5}),
)
_profile(
    "rules by the thousand",
    "A field has more rules than anybody learns.",
    lambda: ruled({"kind": "tag", "anchor": "<p"}, needed=10**6),
)
_profile(
    "layouts by the thousand",
    "The site has more layouts than any.",
    lambda: changed(layouts=[{"name": f"l{n}", "fields": []} for n in range(5_000)]),
)
_profile(
    "a host that is a path",
    "The host of the site is a path of this machine.",
    lambda: changed(hosts=["../../etc/passwd"]),
)


def _labels(name: str, says: str, make: Make) -> None:
    LABELS[name], SAYS[name] = make, says


_PAGE = "https://example.org/a"
_labels("labels empty.csv", "The file is empty.", lambda: b"")
_labels("labels without columns.csv", "Nothing says what the columns are.", lambda: b"a,b,c\n1,2,3\n")
_labels("labels with columns twice.csv", "A column stands twice.", lambda: b"page,image,page\nx,y,z\n")
_labels(
    "labels with an open quote.csv",
    "A quote is never closed.",
    lambda: b'page,image\n"https://example.org/a,x.jpg\n' * 50,
)
_labels(
    "labels with a long cell.csv",
    "One cell has megabytes.",
    lambda: f"page,image\n{_PAGE},{'x' * 3_000_000}\n".encode(),
)
_labels(
    "labels with many cells.csv",
    "One row has a hundred thousand cells.",
    lambda: b"page,image\n" + b"x," * 100_000 + b"\n",
)
_labels(
    "labels that disagree.csv",
    "One person says yes and no of one image.",
    lambda: f"page,image,relevant\n{_PAGE},#1,yes\n{_PAGE},#1,no\n".encode(),
)
_labels(
    "labels of odd verdicts.csv",
    "Verdicts are neither yes nor no.",
    lambda: f"page,image,relevant\n{_PAGE},#1,perhaps\n".encode(),
)
_labels("labels of noise.csv", "The file is noise.", lambda: random.Random(4).randbytes(5_000))
_labels("labels with NUL.csv", "NUL stands in the cells.", lambda: f"page,image\n{_PAGE},a\0b.jpg\n".encode())
_labels("labels cut.json", "The file ends early.", lambda: b'{"https://example.org/a": ["x.jp')
_labels("labels deep.json", "Lists stand inside of lists without a bottom.", lambda: b"[" * 100_000)
_labels(
    "labels of wrong types.json",
    "Numbers stand where addresses should.",
    lambda: b'{"https://example.org/a": [1, null, {"x": []}]}',
)
_labels(
    "labels of long numbers.json",
    "A number has more digits than Python reads.",
    lambda: b'{"https://example.org/a": ' + b"9" * 6_000 + b"}",
)
_labels("labels with keys twice.json", "A page stands twice.", lambda: b'{"a.html": ["x.jpg"], "a.html": ["y.jpg"]}')
_labels(
    "labels with half characters.json", "An address holds half a character.", lambda: b'{"a.html": ["\\ud800.jpg"]}'
)
_labels(
    "labels with a bad line.jsonl", "One line is not JSON.", lambda: b'{"page": "a.html", "image": "x.jpg"}\n{"page"\n'
)
_labels("labels of lists.jsonl", "Lines are lists.", lambda: b'["a.html", "x.jpg"]\n' * 10)
