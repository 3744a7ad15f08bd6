"""Pages of a batch are put into UTF-8, so that one set of rules serves a site."""

import pytest

from scythe.batch.captures import Capture

WORDS = "Volunteers keep the reading room open: " * 8
CHINESE = "志愿者们保持着阅览室的开放，直到午夜。" * 20
TURKISH = "Gönüllüler okuma salonunu ayakta tutuyor, köprü kapalı kalacak. " * 20


def capture(text: str, codec: str, label: str) -> Capture:
    body = f'<meta charset="{label}"><title>x</title><p>{WORDS}{text}'.encode(codec)
    return Capture(0, 0, "a.warc", "https://a.example/", body, "text/html")


def test_a_page_in_utf8_comes_back_as_it_is() -> None:
    lying = capture(CHINESE, "utf-8", "gb18030")  # and is valid UTF-8
    assert lying.in_utf8() is lying.body


@pytest.mark.parametrize(("text", "codec", "label"), [(CHINESE, "gb18030", "gbk"), (TURKISH, "cp1254", "iso-8859-9")])
def test_pages_in_another_codec_say_the_same_in_utf8(text: str, codec: str, label: str) -> None:
    page = capture(text, codec, label)
    assert page.in_utf8() == page.body.decode(codec).encode()


def test_a_page_that_is_not_what_it_declares_is_read_all_the_same() -> None:
    for label in ("gb18030", "big5"):
        assert "Gönüllüler okuma" in capture(TURKISH, "cp1254", label).in_utf8().decode()
