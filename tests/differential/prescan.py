"""What a page's first bytes declare, written a second time, byte by byte, from the HTML standard (13.2.3.2).

Slow and plain on purpose: it has nothing in common with `scythe.page.encoding` but the table of labels.
"""

from scythe.page.encoding import codec_of

SPACE = b"\t\n\x0c\r "
WINDOW = 1_024
_OURS_ALONE = ("hz", "iso2022_kr")  # which the standard refuses


class _OutOfBytes(Exception):
    """The window ended in the middle of something: nothing is declared."""


class _Reader:
    def __init__(self, body: bytes, at: int = 0) -> None:
        self.body, self.at = body, at

    def byte(self) -> bytes:
        if self.at >= len(self.body):
            raise _OutOfBytes
        return self.body[self.at : self.at + 1]

    def skip(self, among: bytes) -> None:
        while self.byte() in [bytes([each]) for each in among]:
            self.at += 1

    def attribute(self) -> tuple[bytes, bytes] | None:
        self.skip(SPACE + b"/")
        if self.byte() == b">":
            return None
        name = b""
        while True:
            byte = self.byte()
            if byte == b"=" and name:
                self.at += 1
                return name, self.value()
            if byte in (b"/", b">"):
                return name, b""
            if byte in [bytes([each]) for each in SPACE]:
                break
            name += byte.lower()
            self.at += 1
        self.skip(SPACE)
        if self.byte() != b"=":
            return name, b""
        self.at += 1
        return name, self.value()

    def value(self) -> bytes:
        self.skip(SPACE)
        first = self.byte()
        value = b""
        if first in (b'"', b"'"):
            while True:
                self.at += 1
                if self.byte() == first:
                    self.at += 1
                    return value
                value += self.byte().lower()
        if first == b">":
            return b""
        while self.byte() not in [bytes([each]) for each in SPACE + b">"]:
            value += self.byte().lower()
            self.at += 1
        return value


def prescan(body: bytes, window: int = WINDOW) -> str | None:
    """Return the codec that the first `window` bytes declare in a meta element, or None."""
    reader = _Reader(body[:window])
    try:
        while True:
            found = _step(reader)
            if found:
                return found
    except _OutOfBytes:
        return None


def _step(reader: _Reader) -> str | None:
    """Look at one byte, or at what begins with it, and go on behind it."""
    here = reader.body[reader.at :]
    if here.startswith(b"<!--"):
        end = here.find(b"-->", 2)
        if end < 0:
            raise _OutOfBytes
        reader.at += end + 3
        return None
    if here[:5].lower() == b"<meta" and here[5:6] and here[5] in SPACE + b"/":
        reader.at += 5
        found = _meta(reader)
        reader.at += 1
        return found
    letter = here[2:3] if here[1:2] == b"/" else here[1:2]
    if here[:1] == b"<" and letter.isalpha():
        while reader.byte() not in [bytes([each]) for each in SPACE + b">"]:
            reader.at += 1
        while reader.attribute() is not None:
            pass
    elif here[:2] in (b"<!", b"</", b"<?"):
        while reader.byte() != b">":
            reader.at += 1
    reader.byte()
    reader.at += 1
    return None


def _meta(reader: _Reader) -> str | None:
    seen: set[bytes] = set()
    got_pragma, need_pragma, charset, is_known = False, None, None, False
    while (attribute := reader.attribute()) is not None:
        name, value = attribute
        if name in seen:
            continue
        seen.add(name)
        if name == b"http-equiv":
            got_pragma = got_pragma or value == b"content-type"
        elif name == b"content":
            found = encoding_in_content(value)
            if found and not is_known:
                charset, is_known, need_pragma = found, True, True
        elif name == b"charset":
            charset, is_known, need_pragma = _codec(value), True, False
    if need_pragma is None or (need_pragma and not got_pragma) or charset is None:
        return None
    return "utf-8" if charset.startswith("utf-16") else charset


def encoding_in_content(text: bytes) -> str | None:
    """Return the encoding that the content of a meta element names, or None."""
    at = 0
    while True:
        at = text.find(b"charset", at)
        if at < 0:
            return None
        at += 7
        rest = text[at:].lstrip(SPACE)
        if not rest.startswith(b"="):
            continue
        rest = rest[1:].lstrip(SPACE)
        if rest[:1] in (b'"', b"'"):
            label, quote, _ = rest[1:].partition(rest[:1])
            return _codec(label) if quote else None
        label = rest
        for byte in SPACE + b";":
            label = label.partition(bytes([byte]))[0]
        return _codec(label)


def _codec(label: bytes) -> str | None:
    if b'"' in label or b"'" in label:
        return None
    found = codec_of(label.decode("latin-1"))
    return None if found in _OURS_ALONE else found
