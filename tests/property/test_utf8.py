"""The compiled check of UTF-8 says what Python's decoder says."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scythe.extension import native

scan = native
pytestmark = pytest.mark.skipif(scan is None, reason="the compiled module is not built")


def is_valid(part: bytes) -> bool:
    try:
        part.decode()
    except UnicodeDecodeError:
        return False
    return True


@given(st.text(max_size=200), st.binary(max_size=4), st.integers(0, 400))
def test_bytes_put_anywhere_into_text_are_judged_as_python_judges_them(text: str, noise: bytes, place: int) -> None:
    assert scan is not None
    body = text.encode("utf-8", "replace")
    mixed = body[:place] + noise + body[place:]
    assert scan.is_utf8(mixed) == is_valid(mixed)


def test_every_cut_and_every_changed_byte_of_a_text_is_judged_right() -> None:
    assert scan is not None
    text = ("a" * 29 + "é" + "b" * 30 + "漢字" + "🌾" + "\U0010ffff\ud7ff\ue000\u0800\u0080" + "Привет " * 9).encode()
    choose = random.Random(7)
    cases = [text[:end] for end in range(len(text))]
    for place in range(len(text)):
        cases += [
            text[:place] + bytes([byte]) + text[place + 1 :] for byte in (0x80, 0xBF, 0xC0, 0xE0, 0xED, 0xF4, 0xF5)
        ]
    cases += [choose.randbytes(choose.randrange(70)) for _ in range(2_000)]
    cases += [bytes(choose.choice(b"\x80\xa0\xbf\xc2\xe0\xe1\xed\xf0\xf4A") for _ in range(40)) for _ in range(4_000)]
    assert all(scan.is_utf8(case) == is_valid(case) for case in cases)
