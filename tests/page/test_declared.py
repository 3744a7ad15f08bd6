"""What a page and its header declare, where it is odd, wrong or an encoding that no statistics know."""

from __future__ import annotations

import pytest

from scythe.page.encoding import decode, in_utf8

GERMAN = "<p>Die Bäume über dem Fluß wurden größer, und die Mühle mahlte schöne weiße Körner für das ganze Dorf.</p>"
JAPANESE = "<p>農夫たちは夜明けに畑へ出て、水車は夕方まで麦をひいていた。子供たちは水の音を聞いていた。</p>"
KOREAN = "<p>농부들은 새벽에 밭으로 나갔고 물레방아는 저녁까지 곡식을 빻았으며 아이들은 물소리를 들었다.</p>"


def test_an_encoding_that_no_statistics_know_is_believed_where_it_reads_all_bytes() -> None:
    decoded = decode(GERMAN.encode("mac-roman"), "text/html; charset=macintosh")
    assert (decoded.text, decoded.encoding) == (GERMAN, "mac-roman")


def test_an_encoding_that_cannot_read_the_bytes_is_not_believed() -> None:
    decoded = decode(JAPANESE.encode("cp932"), "text/html; charset=iso-2022-jp")
    assert (decoded.text, decoded.encoding) == (JAPANESE, "cp932")


def test_escape_sequences_of_korean_mail_are_read() -> None:
    body = KOREAN.encode("iso2022_kr")
    assert (decode(body).text, decode(body).encoding) == (KOREAN, "iso2022_kr")


def test_escape_sequences_that_no_mail_has_are_text() -> None:
    body = b"<p>to change colours the terminal is sent \x1b$B and then \x1b$)C, or nothing</p>"
    assert (decode(body).text, decode(body).encoding) == (body.decode(), "utf-8")


@pytest.mark.parametrize("content_type", ["", "text/html", "text/html; charset=utf-8", 'text/html; charset="UTF8"'])
def test_a_page_whose_header_says_nothing_new_is_learned_as_it_came(content_type: str) -> None:
    body = GERMAN.encode("cp1252")
    assert in_utf8(body, content_type) is body


def test_a_page_that_says_its_encoding_itself_is_learned_as_it_came() -> None:
    body = b"<meta charset=macintosh>" + GERMAN.encode("mac-roman")
    assert in_utf8(body, "text/html; charset=macintosh") is body


def test_a_page_whose_header_alone_says_its_encoding_is_learned_in_utf_8() -> None:
    assert in_utf8(GERMAN.encode("mac-roman"), "text/html; charset=macintosh") == GERMAN.encode()
