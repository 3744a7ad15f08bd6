"""What pages declare and what they are in: cases with the answer of the HTML standard, and ours where it is another.

`DECLARED`: first bytes of a page, the codec that the standard's prescan finds there. `DECIDED`: a whole page with its
header, the codec that the standard would decode it by, and whether its text must come out right all the same.
"""

from pathlib import Path
from typing import NamedTuple

from tests.tables import rows

_HERE = Path(__file__).parent

PAD = b"<!-- " + b"x" * 1_100 + b" -->"
TEXTS = {
    "cp1252": "Die Bäume über dem Fluß wurden größer, und die Mühle mahlte schöne weiße Körner für das ganze Dorf.",
    "cp1250": "Żniwiarze ścięli całą łąkę przed świtem, później źrebięta piły wodę ze źródła obok młyna i szły dalej.",
    "cp1254": "Ağaçların gölgesinde şırıl şırıl akan dere, köyün içinden geçip değirmene ulaşıyordu; çığlık atıyordu.",
    "cp1251": "Жнецы вышли в поле на рассвете, а мельница молола зерно до самого вечера, и дети слушали шум воды.",
    "koi8-r": "Жнецы вышли в поле на рассвете, а мельница молола зерно до самого вечера, и дети слушали шум воды.",
    "cp1253": "Οι θεριστές βγήκαν στο χωράφι την αυγή, και ο μύλος άλεθε το σιτάρι μέχρι το βράδυ χωρίς διακοπή.",
    "cp1255": "הקוצרים יצאו לשדה עם שחר והטחנה טחנה את החיטה עד הערב והילדים הקשיבו לקול המים הזורמים.",
    "cp932": "農夫たちは夜明けに畑へ出て、水車は夕方まで麦をひいていた。子供たちは水の音を聞いていた。",
    "euc_jp": "農夫たちは夜明けに畑へ出て、水車は夕方まで麦をひいていた。子供たちは水の音を聞いていた。",
    "gb18030": "农民们黎明时分到田里去，磨坊一直磨到晚上，孩子们听着流水的声音，慢慢地睡着了。",
    "big5hkscs": "農民們黎明時分到田裡去，磨坊一直磨到晚上，孩子們聽著流水的聲音，慢慢地睡著了。",
    "cp949": "농부들은 새벽에 밭으로 나갔고 물레방아는 저녁까지 곡식을 빻았으며 아이들은 물소리를 들었다.",
    "utf-8": "Ağaçların gölgesinde die größere Mühle, a na świcie źrebięta; 農夫たちは夜明けに畑へ.",
}


class Declared(NamedTuple):
    """First bytes of a page and what they declare; `ours` where we mean to differ, and `why`."""

    head: bytes
    codec: str | None
    ours: str | None = ""
    why: str = ""

    @property
    def expected(self) -> str | None:
        return self.codec if self.ours == "" else self.ours


LATER = "we look at 16 KB: long scripts before the meta element are common, and what it says is checked by decoding"
RAW = "what a script writes or a title shows is not the page's own word; the standard's prescan knows no scripts"
XML = "the standard asks for a meta element first; a page with both was written as XML, and its text decides anyway"
QUOTED = "quotes inside quotes are a slip of templates; the label is meant, and it is checked by decoding"
OLD = "the standard refuses it, for browsers run scripts; we only read, and its escapes are unmistakable"

_KOI, _BIG = "koi8-r", "big5hkscs"

_PLAIN = [(head.encode("latin-1"), codec) for head, codec in rows(_HERE / "declared.jsonl")]

_MEANT = [
    Declared(PAD + b"<meta charset=koi8-r>", None, _KOI, LATER),
    Declared(b" " * 1_020 + b"<meta charset=koi8-r>", None, _KOI, LATER),
    Declared(b"<meta name='" + b"x" * 1_100 + b"' charset=koi8-r>", None, _KOI, LATER),
    Declared(b"<script>'<meta charset=big5>'</script><meta charset=koi8-r>", _BIG, _KOI, RAW),
    Declared(b"<style>/*<meta charset=big5>*/</style><meta charset=koi8-r>", _BIG, _KOI, RAW),
    Declared(b"<title><meta charset=big5></title><meta charset=koi8-r>", _BIG, _KOI, RAW),
    Declared(b"<TITLE><meta charset=big5></Title><meta charset=koi8-r>", _BIG, _KOI, RAW),
    Declared(b"<textarea><meta charset=big5></textarea><meta charset=koi8-r>", _BIG, _KOI, RAW),
    Declared(b"<xmp><meta charset=big5></xmp><meta charset=koi8-r>", _BIG, _KOI, RAW),
    Declared(b"<script>if (a < b) c = '<a title=\"'</script><meta charset=koi8-r>", None, _KOI, RAW),
    Declared(b"<?xml version='1.0' encoding='koi8-r'?><meta charset=big5>", _BIG, _KOI, XML),
    Declared(b"<meta charset=\"'koi8-r'\">", None, _KOI, QUOTED),
    Declared(b"<meta charset='\"koi8-r\"'>", None, _KOI, QUOTED),
    Declared(b"<meta http-equiv=content-type content='charset=koi8-r\"'>", None, _KOI, QUOTED),
    Declared(b"<meta charset=hz-gb-2312>", None, "hz", OLD),
    Declared(b"<meta charset=iso-2022-kr>", None, "iso2022_kr", OLD),
]
# the declaration of XML, which the standard heeds where no meta element says anything
_XML = [(head.encode("latin-1"), codec) for head, codec in rows(_HERE / "declared_xml.jsonl")]
DECLARED = tuple(Declared(*row) for row in (*_PLAIN, *_XML)) + tuple(_MEANT)


class Decided(NamedTuple):
    """A body with its header; `codec` is what the standard decodes it by, `text` what it is meant to say."""

    name: str
    body: bytes
    header: str | None
    codec: str
    text: str

    @property
    def is_misled(self) -> bool:
        """Whether who obeys the standard reads something else than was written."""
        return self.body.removeprefix(b"\xef\xbb\xbf").decode(self.codec, "replace").lstrip("\ufeff") != self.text


_LABEL = {
    "cp1252": "windows-1252", "cp1250": "windows-1250", "cp1254": "iso-8859-9", "cp1251": "windows-1251",
    "koi8-r": "koi8-r", "cp1253": "windows-1253", "cp1255": "windows-1255", "cp932": "shift_jis", "euc_jp": "euc-jp",
    "gb18030": "gb2312", "big5hkscs": "big5", "cp949": "euc-kr", "utf-8": "utf-8",
}  # fmt: skip


def _page(codec: str, label: str = "") -> str:
    declared = f'<meta charset="{label}">' if label else ""
    return f"<!DOCTYPE html><html><head>{declared}<title>x</title></head><body><p>{TEXTS[codec]}</p></body></html>"


def _decided() -> list[Decided]:
    cases: list[Decided] = []
    for codec, label in _LABEL.items():
        bare, own = _page(codec), _page(codec, label)
        named = f"text/html; charset={label}"
        cases += [
            Decided(f"{codec}: named by its header", bare.encode(codec), named, codec, bare),
            Decided(f"{codec}: named by its meta element", own.encode(codec), None, codec, own),
            Decided(f"{codec}: named by both", own.encode(codec), named, codec, own),
            Decided(f"{codec}: not named", bare.encode(codec), None, "cp1252", bare),
        ]
        for other in ("utf-8", "windows-1252", "koi8-r"):
            if other != label:
                lie = _page(codec, other)
                meant = {"windows-1252": "cp1252"}.get(other, other)
                header = f"text/html; charset={other}"
                cases.append(Decided(f"{codec}: its meta says {other}", lie.encode(codec), None, meant, lie))
                cases.append(Decided(f"{codec}: its header says {other}", own.encode(codec), header, meant, own))
    for codec, mark in (("utf-8", b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff")):
        for label, header in (("", None), ("koi8-r", None), ("", "text/html; charset=koi8-r"), ("utf-8", "text/html")):
            html = _page("utf-8", label)
            cases.append(
                Decided(f"{codec}: by its mark ({label}, {header})", mark + html.encode(codec), header, codec, html)
            )
    return cases


DECIDED = tuple(_decided())
