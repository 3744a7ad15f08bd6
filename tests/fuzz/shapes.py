"""Damage by meaning: an input of a known structure comes in, one whose structure is odd goes out."""

import json
import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from random import Random
from typing import Any

from tests.property.soup import ATTRIBUTES, BLOCKS, INLINES, ODD, RARE, VOIDS, WORDS, opening

Shape = Callable[[Random, bytes, Sequence[bytes]], bytes]

CHARSETS = (
    *"utf-8 utf-8 iso-8859-1 windows-1252 iso-8859-9 windows-1251 koi8-r gb18030 big5 shift_jis euc-jp euc-kr".split(),
    *"utf-16 utf-16le utf-16be iso-2022-jp utf-7 us-ascii x-user-defined replacement nonsense windows-874".split(),
)
_TAG = re.compile(rb"<[^<>]{1,200}>")
_NAMES = tuple(dict.fromkeys((*BLOCKS, *INLINES, *RARE, *VOIDS, "script", "style", "plaintext")))
_JSON_ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, 10**40, 1e308, -0.0, "", "a", "\x00", "\ud800", "<b>", "é"),
    *("#1", "#0", "=1+1", "https://example.org/", "//", "tag", "flow", "../../x", "__class__", "a" * 3_000),
    *([], {}, [[]], [None], {"": None}, {"@type": "Thing"}, {"a": [1, "b"]}),
)
_LINE = re.compile(rb"[^\n]*\n?")


def damage_page(random: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """Break the order of a page's tags, join it with another, or mislabel what it is in."""
    for _ in range(random.choice((1, 1, 2, 4))):
        what = random.randrange(9)
        at = int(random.random() * (len(data) + 1))
        if what == 0:
            data = _in_other_charset(random, data)
        elif what == 1:
            data = data[:at] + _label(random) + data[at:]
        elif what == 2:
            other = random.choice(seeds)
            cut = int(random.random() * len(other))
            data = data[:at] + other[cut:] if random.random() < 0.5 else data + other
        elif what == 3:
            name = random.choice(_NAMES)
            depth = random.choice((1, 3, 20, 150, 600))
            data = data[:at] + f"<{name}>".encode() * depth + data[at:]
            data += f"</{name}>".encode() * random.choice((0, depth))
        elif what == 4:
            data = _change_tag(random, data)
        else:
            data = data[:at] + _piece(random) + data[at:]
    return data


def _piece(random: Random) -> bytes:
    what = random.randrange(4)
    if what == 0:
        text = random.choice(ODD)
    elif what == 1:
        text = opening(random, random.choice(_NAMES))
    elif what == 2:
        text = f"</{random.choice(_NAMES)}>"
    else:
        text = " ".join(random.choices(WORDS, k=random.choice((1, 3, 30))))
    return text.encode()


def _change_tag(random: Random, data: bytes) -> bytes:
    """Drop, double or alter one tag."""
    at = int(random.random() * len(data))
    found = _TAG.search(data, at) or _TAG.search(data)
    if found is None:
        return data
    tag = found[0]
    changed = random.choice(
        (b"", tag * 2, tag.upper(), tag[:-1], tag[1:], tag[:-1] + random.choice(ATTRIBUTES).encode() + b">")
    )
    return data[: found.start()] + changed + data[found.end() :]


def _label(random: Random) -> bytes:
    name = random.choice(CHARSETS)
    forms = (f"<meta charset={name}>", f'<?xml version="1.0" encoding="{name}"?>', f"; charset={name}")
    return random.choice(forms).encode()


def _in_other_charset(random: Random, data: bytes) -> bytes:
    try:
        return random.choice((b"", b"", b"\xff\xfe", b"\xef\xbb\xbf")) + data.decode("utf-8", "replace").encode(
            random.choice(CHARSETS), random.choice(("replace", "ignore", "xmlcharrefreplace"))
        )
    except LookupError:  # a label that means nothing
        return data


def damage_json(random: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """Change values of a JSON text, or the text where it is none."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return data if random.random() < 0.5 else random.choice(seeds)
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        value = damage_value(random, value)
    if random.random() < 0.03:
        depth = random.choice((70, 2_000))
        return b"[" * depth + json.dumps(value).encode() + b"]" * depth
    return json.dumps(value, ensure_ascii=random.random() < 0.5).encode("utf-8", "surrogatepass")


def damage_value(random: Random, value: Any) -> Any:
    """Change one place of a plain value."""
    here, key = _walk_down(random, value)
    if here is None:
        return _odd(random)
    old = here[key]
    what = random.random()
    if what < 0.12:
        del here[key]
    elif what < 0.24 and isinstance(here, dict):
        here[random.choice((*here, "@type", "a", "\ud800", ""))] = _odd(random)
    elif what < 0.36 and isinstance(here, list):
        here.extend([old] * random.choice((1, 2, 300)))
    elif what < 0.5 and type(old) is int:
        here[key] = old + random.choice((-1, 1, -old, 10_000, 2**40))
    elif what < 0.6 and isinstance(old, str):
        here[key] = old[: len(old) // 2] + random.choice(("", "\x00", "é", "\ud800", "<p")) + old[len(old) // 3 :]
    else:
        here[key] = _odd(random)
    return value


def _odd(random: Random) -> Any:
    return deepcopy(random.choice(_JSON_ODD))  # or one list would be in all inputs, and in itself


def _walk_down(random: Random, value: Any) -> tuple[Any, Any]:
    """Return some container inside a value and one of its keys."""
    here: Any = None
    key: Any = None
    for _ in range(12):
        if not isinstance(value, dict | list) or not value:
            break
        here = value
        key = random.choice(list(value)) if isinstance(value, dict) else random.randrange(len(value))
        value = value[key]
        if random.random() < 0.15:
            break
    return here, key


def damage_lines(random: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """Shuffle, double, join and empty the lines of a file."""
    lines = _LINE.findall(data)
    for _ in range(random.choice((1, 2, 4))):
        what = random.randrange(6)
        at = int(random.random() * len(lines))
        if what == 0:
            lines.insert(at, random.choice(_LINE.findall(random.choice(seeds)) or [b""]))
        elif what == 1:
            del lines[at : at + random.choice((1, 3))]
        elif what == 2:
            lines[at:at] = lines[at : at + 2] * random.choice((1, 30))
        elif what == 3:
            lines[at : at + 1] = [line.rstrip(b"\r\n") for line in lines[at : at + 1]]
        elif what == 4:
            lines[at : at + 1] = [
                line.replace(b":", random.choice((b"", b" : ", b"::", b"\t")), 1) for line in lines[at : at + 1]
            ]
        else:
            random.shuffle(lines)
    return b"".join(lines)


_SCHEMES = (*"http https HTTP hTTps ftp file javascript data http: https:/ ws".split(), "", "\thttp")
_HOSTS = (
    *"example.org EXAMPLE.org 127.0.0.1 127.1 2130706433 0x7f000001 0177.0.0.1 [::1] [::ffff:7f00:1]".split(),
    *"localhost localhost. a.b.example.co.uk xn--nxasmq6b bücher.example faß.de 例え.jp １２７.0.0.1".split(),
    *(*"ⓔxample.org example。org exa_mple.org -a.org a..b . [::1 ::1] [v1.x] [fe80::1%25eth0]".split(), ""),
    *(
        "a" * 64 + ".org",
        "%31%32%37.0.0.1",
        "169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "[64:ff9b::a9fe:a9fe]",
        "ex\u00adample.org",
    ),
)
_USERS = (*"user@ user:pass@ a@b@ example.com\\@ example.com:80@ @ %40@ user:p@ss/@".split(), "", "", "", "\t@")
_PORTS = (*":80 :443 :0 :65535 :65536 :99999999 : :-1 :8a :٣ :022 ::80".split(), "", "", "", ": 80")
_PATHS = (
    *(*"/ /a/b /../../x /./a/../b //host/x /%2e%2e/ /\\evil.example/ ?q=1 #f".split(), "", "/a b", "/?q=a b&c"),
    *(
        "/é",
        "/%zz",
        "/%00",
        "/\x00",
        "/;p=1?q#f?#",
        "/[x]",
        "/a\nb",
        "/\ud800",
        "/" + "a/" * 200,
        "/a?b=//c@d",
        "\\x",
        "/@x",
    ),
)


def damage_address(random: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """Put an address together from odd parts, or swap a part of one."""
    if random.random() < 0.6 or not data:
        slashes = random.choice(("//", "//", "//", "/", "", "///", "\\\\", "/\\"))
        scheme = random.choice(_SCHEMES)
        parts = (
            f"{scheme}:" if scheme and random.random() < 0.95 else scheme,
            slashes,
            random.choice(_USERS),
            random.choice(_HOSTS),
            random.choice(_PORTS),
            random.choice(_PATHS),
        )
        return "".join(parts).encode("utf-8", "surrogatepass")
    pieces = re.split(rb"([/:@?#.\\\[\]])", data)
    at = random.randrange(len(pieces))
    odd = random.choice(random.choice((_HOSTS, _USERS, _PORTS, _PATHS)))
    pieces[at] = odd.encode("utf-8", "surrogatepass")
    return b"".join(pieces)


def damage_call(random: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """Change the values of a call whose first byte says what is called."""
    inner = damage_json(random, data[1:], [seed[1:] for seed in random.choices(seeds, k=3)])
    return (data[:1] if random.random() < 0.5 else bytes([random.randrange(256)])) + inner


SHAPES: dict[str, Shape] = {
    "api": damage_call,
    "page": damage_page,
    "json": damage_json,
    "lines": damage_lines,
    "address": damage_address,
}
