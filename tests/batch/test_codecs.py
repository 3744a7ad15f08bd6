"""Pages of a batch are put into UTF-8, and what a site declares is believed once its pages bore it out."""

from __future__ import annotations

import pytest

from scythe.batch import extract_unit
from scythe.batch.extract_unit import Codecs

HEADER = "text/html"
WORDS = "Volunteers keep the reading room open: " * 8


def page(text: str, codec: str, label: str) -> bytes:
    return f'<meta charset="{label}"><title>x</title><p>{WORDS}{text}'.encode(codec)


CHINESE = "志愿者们保持着阅览室的开放，直到午夜。" * 20
TURKISH = "Gönüllüler okuma salonunu ayakta tutuyor, köprü kapalı kalacak. " * 20


def test_a_page_in_utf8_comes_back_as_it_is() -> None:
    body = page(CHINESE, "utf-8", "gb18030")  # it lies, and is valid UTF-8
    assert Codecs().to_utf8(body, HEADER, "https://a.example/") is body


@pytest.mark.parametrize(("text", "codec", "label"), [(CHINESE, "gb18030", "gbk"), (TURKISH, "cp1254", "iso-8859-9")])
def test_pages_in_another_codec_say_the_same_in_utf8(text: str, codec: str, label: str) -> None:
    known = Codecs()
    for number in range(6):
        body = page(f"{text} {number}", codec, label)
        assert known.to_utf8(body, HEADER, f"https://a.example/{number}") == body.decode(codec).encode()


def test_what_a_page_bore_out_is_not_worked_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    worked_out = []
    decode = extract_unit.decode
    monkeypatch.setattr(extract_unit, "decode", lambda *given: worked_out.append(given) or decode(*given))
    known = Codecs()
    for number in range(9):
        known.to_utf8(page(CHINESE, "gb18030", "gb18030"), HEADER, f"https://a.example/{number}")
    assert len(worked_out) == 1
    known.to_utf8(page(CHINESE, "gb18030", "gb18030"), HEADER, "https://b.example/")
    assert len(worked_out) == 2, "another site is another matter"


def test_a_page_that_is_not_what_its_site_declares_is_read_all_the_same() -> None:
    known = Codecs()
    for number in range(4):
        known.to_utf8(page(CHINESE, "gb18030", "gb18030"), HEADER, f"https://a.example/{number}")
    odd = page(TURKISH, "cp1254", "gb18030")
    assert "Gönüllüler okuma" in known.to_utf8(odd, HEADER, "https://a.example/odd").decode()


def test_a_site_whose_pages_are_not_what_they_declare_is_never_believed() -> None:
    known = Codecs()
    for number in range(6):
        body = page(f"{TURKISH} {number}", "cp1254", "big5")
        assert "Gönüllüler okuma" in known.to_utf8(body, HEADER, f"https://a.example/{number}").decode()


def test_no_more_declarations_are_kept_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extract_unit, "_MOST", 3)
    known = Codecs()
    for number in range(9):
        body = page(TURKISH, "cp1254", "iso-8859-9")
        assert known.to_utf8(body, HEADER, f"https://site{number}.example/") == body.decode("cp1254").encode()
    assert len(known._borne_out) == 3
