"""Bytes become text once, by the best supported evidence."""

from __future__ import annotations

import pytest
from tests.work import count_calls

from scythe.page import Page
from scythe.page.encoding import codec_of, declared_codec, decode

TURKISH = (
    "<p>Ağaçların gölgesinde şırıl şırıl akan dere, köyün içinden geçip değirmene ulaşıyordu; çığlık atıyordu.</p>"
)
GERMAN = "<p>Die Bäume über dem Fluß wurden größer, und die Mühle mahlte schöne weiße Körner für das ganze Dorf.</p>"
POLISH = "<p>Żniwiarze ścięli całą łąkę przed świtem, później źrebięta piły wodę ze źródła obok młyna i szły dalej.</p>"
RUSSIAN = "<p>Жнецы вышли в поле на рассвете, а мельница молола зерно до самого вечера, и дети слушали шум воды.</p>"
GREEK = "<p>Οι θεριστές βγήκαν στο χωράφι την αυγή, και ο μύλος άλεθε το σιτάρι μέχρι το βράδυ χωρίς διακοπή.</p>"
JAPANESE = "<p>農夫たちは夜明けに畑へ出て、水車は夕方まで麦をひいていた。子供たちは水の音を聞いていた。</p>"
CHINESE = "<p>农民们黎明时分到田里去，磨坊一直磨到晚上，孩子们听着流水的声音，慢慢地睡着了。</p>"
TAIWANESE = "<p>農民們黎明時分到田裡去，磨坊一直磨到晚上，孩子們聽著流水的聲音，慢慢地睡著了。</p>"
KOREAN = "<p>농부들은 새벽에 밭으로 나갔고 물레방아는 저녁까지 곡식을 빻았으며 아이들은 물소리를 들었다.</p>"
HEBREW = "<p>הקוצרים יצאו לשדה עם שחר והטחנה טחנה את החיטה עד הערב והילדים הקשיבו לקול המים הזורמים.</p>"
ARABIC = "<p>خرج الحصادون إلى الحقل عند الفجر وظلت الطاحونة تطحن القمح حتى المساء والأطفال يستمعون إلى صوت الماء.</p>"

CASES = [
    ("iso8859-9", TURKISH),
    ("cp1252", GERMAN),
    ("iso8859-15", GERMAN),
    ("cp1250", POLISH),
    ("iso8859-2", POLISH),
    ("cp1251", RUSSIAN),
    ("koi8-r", RUSSIAN),
    ("cp1253", GREEK),
    ("cp932", JAPANESE),
    ("euc_jp", JAPANESE),
    ("gb18030", CHINESE),
    ("big5", TAIWANESE),
    ("euc_kr", KOREAN),
    ("cp1255", HEBREW),
    ("cp1256", ARABIC),
]


@pytest.mark.parametrize("label", ["utf-8", "iso-8859-1", "no-such-label", None])
@pytest.mark.parametrize(("codec", "text"), CASES, ids=[codec for codec, _ in CASES])
def test_a_lying_label_does_not_change_the_text(codec: str, text: str, label: str | None) -> None:
    declared = f'<meta charset="{label}">' if label else ""
    html = f"<html><head>{declared}<title>x</title></head><body>{text}</body></html>"
    assert Page.from_bytes(html.encode(codec)).html == html


@pytest.mark.parametrize(("codec", "text"), CASES, ids=[codec for codec, _ in CASES])
def test_a_true_header_is_believed(codec: str, text: str) -> None:
    page = Page.from_bytes(
        text.encode(codec), content_type=f"text/html; charset={codec.replace('iso8859', 'iso-8859')}"
    )
    assert page.html == text
    assert page.losses == ()


def test_a_single_letter_is_read_as_the_header_says() -> None:
    body = ("<p>A miller is a değirmenci in the language of the next village.</p>" * 3).encode("iso-8859-9")
    assert "değirmenci" in decode(body, "text/html; charset=iso-8859-9").text


@pytest.mark.parametrize("label", ["iso-8859-1", "windows-1251", "shift_jis", "utf-16"])
def test_valid_utf_8_is_utf_8_whatever_the_label_says(label: str) -> None:
    html = f'<meta charset="{label}">{TURKISH}'
    decoded = decode(html.encode(), f"text/html; charset={label}")
    assert (decoded.text, decoded.encoding) == (html, "utf-8")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("mark", [True, False])
def test_utf_16_is_read_with_and_without_mark(codec: str, mark: bool) -> None:
    html = f"<html><head><title>x</title></head><body>{RUSSIAN}{TURKISH}</body></html>"
    body = ("\ufeff" if mark else "").encode(codec) + html.encode(codec)
    assert decode(body).text == html


def test_a_utf_8_mark_is_dropped() -> None:
    assert decode(b"\xef\xbb\xbf<p>x").text == "<p>x"


def test_a_lying_mark_is_not_believed() -> None:
    assert "größer" in decode(b"\xef\xbb\xbf" + GERMAN.encode("cp1252")).text
    assert "größer" in decode(b"\xff\xfe" + GERMAN.encode("cp1252")).text


def test_escape_sequences_of_japanese_mail_are_read() -> None:
    assert decode(JAPANESE.encode("iso2022_jp"), "text/html; charset=iso-2022-jp").text == JAPANESE


def test_a_few_broken_bytes_do_not_turn_utf_8_into_something_else() -> None:
    body = TURKISH.encode() + b"\xff broken \xc3 " + RUSSIAN.encode()
    decoded = decode(body)
    assert decoded.encoding == "utf-8"
    assert TURKISH in decoded.text
    assert [(loss.what, loss.count) for loss in decoded.losses] == [("undecodable bytes", 2)]


def test_nul_characters_are_dropped_and_counted() -> None:
    decoded = decode(b"<p>one\x00two\x00</p>" + b" " * 100)
    assert decoded.text.startswith("<p>onetwo</p>")
    assert [(loss.what, loss.count) for loss in decoded.losses] == [("NUL characters", 2)]


def test_lone_surrogates_in_text_are_replaced_and_counted() -> None:
    page = Page.from_text("<p>a\ud800b\udfffc</p>")
    assert page.html == "<p>a\ufffdb\ufffdc</p>"
    assert [(loss.what, loss.count) for loss in page.losses] == [("lone surrogates", 2)]


@pytest.mark.parametrize(
    ("head", "codec"),
    [
        (b'<meta charset="iso-8859-9">', "cp1254"),
        (b"<META CHARSET=latin1>", "cp1252"),
        (b"<meta/charset='koi8-r'/>", "koi8-r"),
        (b'<meta http-equiv="Content-Type" content="text/html; charset=gb2312">', "gb18030"),
        (b"<meta content=\"text/html; charset='big5'\" http-equiv=content-type>", "big5hkscs"),
        (b'<meta name="description" content="charset=koi8-r">', None),
        (b'<!-- <meta charset="koi8-r"> --><meta charset="euc-kr">', "cp949"),
        (b"<script>var m = '<meta charset=\"koi8-r\">'</script><meta charset=sjis>", "cp932"),
        (b'<?xml version="1.0" encoding="windows-1251"?><html>', "cp1251"),
        (b'<meta charset="utf-16">', "utf-8"),
        (b'<meta charset="utf-7">', None),
        (b"<meta charset", None),
        (b"<meta charset=>", None),
        (b"<" * 5000, None),
        (b"<!--" + b"x" * 20_000 + b'--><meta charset="koi8-r">', None),
        (b"x" * 3000 + b'<meta charset="koi8-r">', "koi8-r"),
    ],
)
def test_declarations_are_found_as_browsers_find_them(head: bytes, codec: str | None) -> None:
    assert declared_codec(head) == codec


def test_every_label_of_the_table_names_a_codec_python_has() -> None:
    for label in ("utf8", "l5", "csisolatin1", "x-sjis", "ks_c_5601-1987", "dos-874", "unicode", "x-mac-cyrillic"):
        codec = codec_of(label)
        assert codec is not None
        assert b"a\x00".decode(codec, "replace")[0] == "a"


def test_the_common_page_costs_next_to_nothing() -> None:
    body = ("<p>Plain text of an ordinary page.</p>\n" * 8000).encode()
    assert count_calls(lambda: decode(body, "text/html; charset=utf-8")) < 30
