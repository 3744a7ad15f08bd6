"""What pages declare and what they are in: cases with the answer of the HTML standard, and ours where it is another.

`DECLARED`: first bytes of a page, the codec that the standard's prescan finds there. `DECIDED`: a whole page with its
header, the codec that the standard would decode it by, and whether its text must come out right all the same.
"""

from typing import NamedTuple

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

_PLAIN = [
    # how the attribute may be written
    (b'<meta charset="koi8-r">', _KOI),
    (b"<meta charset='koi8-r'>", _KOI),
    (b"<meta charset=koi8-r>", _KOI),
    (b"<META CHARSET=KOI8-R>", _KOI),
    (b"<MeTa cHaRsEt=KoI8-r>", _KOI),
    (b"<meta charset = koi8-r>", _KOI),
    (b"<meta charset\n=\n'koi8-r'>", _KOI),
    (b"<meta charset\t=\t\"koi8-r\"\t>", _KOI),
    (b"<meta\x0ccharset=koi8-r\x0c>", _KOI),
    (b"<meta\rcharset=koi8-r\r>", _KOI),
    (b"<meta\ncharset=koi8-r>", _KOI),
    (b"<meta/charset=koi8-r>", _KOI),
    (b"<meta//charset=koi8-r>", _KOI),
    (b"<meta / charset=koi8-r / >", _KOI),
    (b"<meta charset=koi8-r/>", None),  # the slash is a part of a value without quotes
    (b'<meta charset="koi8-r"/>', _KOI),
    (b'<meta charset=" koi8-r ">', _KOI),
    (b'<meta charset="\tkoi8-r\n">', _KOI),
    (b'<meta charset="koi8-r"name=x>', _KOI),
    (b"<meta name=x charset=koi8-r>", _KOI),
    (b"<meta name charset=koi8-r>", _KOI),
    (b"<meta name= charset=koi8-r>", None),  # "charset=koi8-r" is the value of name
    (b"<meta a='>' charset=koi8-r>", _KOI),
    (b'<meta a=">" charset=koi8-r>', _KOI),
    (b"<meta a=> charset=koi8-r>", None),
    (b"<meta =charset=koi8-r>", None),  # an equals sign may begin a name
    (b"<meta = charset=koi8-r>", _KOI),
    (b"<meta charset/=koi8-r>", None),
    (b"<meta charset /=koi8-r>", None),
    (b"<meta charset>", None),
    (b"<meta charset=>", None),
    (b'<meta charset="">', None),
    (b"<meta charset=''>", None),
    (b"<meta charset=' '>", None),
    (b'<meta charset="koi8-r', None),
    (b'<meta charset="koi8-r>', None),
    (b"<meta charset='koi8-r\">", None),
    (b"<meta charset=koi8-r", None),
    (b"<meta charset", None),
    (b"<meta", None),
    (b"<meta ", None),
    (b"<meta>", None),
    (b"<meta>charset=koi8-r>", None),
    (b"<metacharset=koi8-r>", None),
    (b"<meta-x charset=koi8-r>", None),
    (b"<metadata charset=koi8-r>", None),
    (b"<met charset=koi8-r>", None),
    (b"< meta charset=koi8-r>", None),
    (b"</meta charset=koi8-r>", None),
    (b"<\x00meta charset=koi8-r>", None),
    (b"<meta\x00charset=koi8-r>", None),
    (b"<meta charset=koi8-r\x00>", None),
    (b"<meta xcharset=koi8-r>", None),
    (b"<meta charset-x=koi8-r>", None),
    (b"<meta xml:charset=koi8-r>", None),
    # the same attribute twice, the same element twice
    (b"<meta charset=koi8-r charset=big5>", _KOI),
    (b"<meta charset=nonsense charset=big5>", None),
    (b"<meta charset=koi8-r><meta charset=big5>", _KOI),
    (b"<meta charset=nonsense><meta charset=big5>", _BIG),
    (b"<meta charset=><meta charset=big5>", _BIG),
    (b"<meta><meta charset=big5>", _BIG),
    (b"<meta name=a><meta name=b><meta charset=big5>", _BIG),
    # labels
    (b"<meta charset=utf8>", "utf-8"),
    (b"<meta charset=UTF-8>", "utf-8"),
    (b"<meta charset=unicode-1-1-utf-8>", "utf-8"),
    (b"<meta charset=utf-16>", "utf-8"),
    (b"<meta charset=utf-16le>", "utf-8"),
    (b"<meta charset=utf-16be>", "utf-8"),
    (b"<meta charset=unicode>", "utf-8"),
    (b"<meta charset=ucs-2>", "utf-8"),
    (b"<meta charset=utf-7>", None),
    (b"<meta charset=utf-32>", None),
    (b"<meta charset=x-user-defined>", "cp1252"),
    (b"<meta charset=latin1>", "cp1252"),
    (b"<meta charset=iso-8859-1>", "cp1252"),
    (b"<meta charset=us-ascii>", "cp1252"),
    (b"<meta charset=iso-8859-9>", "cp1254"),
    (b"<meta charset=iso-8859-11>", "cp874"),
    (b"<meta charset=tis-620>", "cp874"),
    (b"<meta charset=gb2312>", "gb18030"),
    (b"<meta charset=gbk>", "gb18030"),
    (b"<meta charset=big5-hkscs>", _BIG),
    (b"<meta charset=sjis>", "cp932"),
    (b"<meta charset=x-sjis>", "cp932"),
    (b"<meta charset=ks_c_5601-1987>", "cp949"),
    (b"<meta charset=euc-jp>", "euc_jp"),
    (b"<meta charset=iso-2022-jp>", "iso2022_jp"),
    (b"<meta charset=macintosh>", "mac-roman"),
    (b"<meta charset=windows-1252>", "cp1252"),
    (b"<meta charset=cp1250>", "cp1250"),
    (b"<meta charset=win-1250>", None),
    (b"<meta charset=iso8859_2>", None),
    (b"<meta charset=latin-1>", None),
    (b"<meta charset=cp437>", None),
    (b"<meta charset=rot13>", None),
    (b"<meta charset=idna>", None),
    (b"<meta charset=\xc3\xbctf-8>", None),
    (b"<meta charset=" + b"x" * 500 + b">", None),
    # http-equiv and content
    (b'<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">', _KOI),
    (b'<meta content="text/html; charset=koi8-r" http-equiv="Content-Type">', _KOI),
    (b"<meta http-equiv=content-type content='text/html;charset=koi8-r'>", _KOI),
    (b"<meta http-equiv=CONTENT-TYPE content='TEXT/HTML; CHARSET=KOI8-R'>", _KOI),
    (b"<meta http-equiv=content-type content=charset=koi8-r>", _KOI),
    (b"<meta http-equiv=content-type content='charset=koi8-r;x'>", _KOI),
    (b"<meta http-equiv=content-type content='charset=koi8-r x'>", _KOI),
    (b"<meta http-equiv=content-type content='charset = koi8-r'>", _KOI),
    (b"<meta http-equiv=content-type content='charset\n=\tkoi8-r'>", _KOI),
    (b"<meta http-equiv=content-type content='charset=\"koi8-r\"'>", _KOI),
    (b"<meta http-equiv=content-type content=\"charset='koi8-r'\">", _KOI),
    (b"<meta http-equiv=content-type content=\"charset=' koi8-r '\">", _KOI),
    (b"<meta http-equiv=content-type content='charset=\"koi8-r'>", None),
    (b"<meta http-equiv=content-type content='xcharset=koi8-r'>", _KOI),  # searched for, not parsed
    (b"<meta http-equiv=content-type content='charset charset=koi8-r'>", _KOI),
    (b"<meta http-equiv=content-type content='charsetcharset=koi8-r'>", _KOI),
    (b"<meta http-equiv=content-type content='charset; charset=koi8-r'>", _KOI),
    (b"<meta http-equiv=content-type content='charset=; charset=koi8-r'>", None),
    (b"<meta http-equiv=content-type content='charset=nonsense; charset=koi8-r'>", None),
    (b"<meta http-equiv=content-type content='charset='>", None),
    (b"<meta http-equiv=content-type content='charset'>", None),
    (b"<meta http-equiv=content-type content='text/html'>", None),
    (b"<meta http-equiv=content-type content=''>", None),
    (b"<meta http-equiv=content-type content>", None),
    (b"<meta http-equiv=content-type>", None),
    (b"<meta content='text/html; charset=koi8-r'>", None),
    (b"<meta name=content-type content='text/html; charset=koi8-r'>", None),
    (b"<meta http-equiv=refresh content='text/html; charset=koi8-r'>", None),
    (b"<meta http-equiv='content-type ' content='text/html; charset=koi8-r'>", None),
    (b"<meta http-equiv=content_type content='text/html; charset=koi8-r'>", None),
    (b"<meta http-equiv=refresh http-equiv=content-type content='charset=koi8-r'>", None),
    (b"<meta http-equiv=content-type content='x' content='charset=koi8-r'>", None),
    (b"<meta http-equiv=content-type content='charset=koi8-r' content='charset=big5'>", _KOI),
    (b"<meta http-equiv=content-type content='charset=koi8-r' charset=big5>", _BIG),
    (b"<meta charset=big5 http-equiv=content-type content='charset=koi8-r'>", _BIG),
    (b"<meta charset=nonsense http-equiv=content-type content='charset=koi8-r'>", None),
    (b"<meta http-equiv=content-type content='charset=koi8-r' charset=nonsense>", None),
    (b"<meta content='charset=koi8-r' charset=big5>", _BIG),
    (b"<meta http-equiv=content-type content='charset=utf-16'>", "utf-8"),
    (b"<meta http-equiv=content-type content='charset=x-user-defined'>", "cp1252"),
    # comments
    (b"<!-- <meta charset=big5> --><meta charset=koi8-r>", _KOI),
    (b"<!--><meta charset=koi8-r>", _KOI),
    (b"<!---><meta charset=koi8-r>", _KOI),
    (b"<!----><meta charset=koi8-r>", _KOI),
    (b"<!-- --!><meta charset=koi8-r>", None),
    (b"<!-- > <meta charset=koi8-r>", None),
    (b"<!-- -- ><meta charset=koi8-r>", None),
    (b"<!-- - --><meta charset=koi8-r>", _KOI),
    (b"<!--<!--<meta charset=big5>--><meta charset=koi8-r>", _KOI),
    (b"<!- <meta charset=big5><meta charset=koi8-r>", _KOI),
    (b"<! <meta charset=big5><meta charset=koi8-r>", _KOI),
    (b"<!doctype html><meta charset=koi8-r>", _KOI),
    (b"<!doctype <meta charset=big5><meta charset=koi8-r>", _KOI),
    (b"<!DOCTYPE html SYSTEM '>'><meta charset=koi8-r>", _KOI),
    (b"<!", None),
    (b"<!--", None),
    # other tags and what they hide
    (b"<html><head><meta charset=koi8-r>", _KOI),
    (b"<html lang=en><head><title>x</title><meta charset=koi8-r>", _KOI),
    (b"<body><div><meta charset=koi8-r>", _KOI),
    (b"x <meta charset=koi8-r>", _KOI),
    (b"< <meta charset=koi8-r>", _KOI),
    (b"<<meta charset=koi8-r>", _KOI),
    (b"<1 <meta charset=koi8-r>", _KOI),
    (b"<a title='<meta charset=big5>'><meta charset=koi8-r>", _KOI),
    (b'<a title="<meta charset=big5>"><meta charset=koi8-r>', _KOI),
    (b"<a title=<meta charset=big5><meta charset=koi8-r>", _KOI),
    (b"<a <meta charset=big5><meta charset=koi8-r>", _KOI),
    (b"</a title='<meta charset=big5>'><meta charset=koi8-r>", _KOI),
    (b"<a title='><meta charset=koi8-r>", None),
    (b"<a/title='<meta charset=big5>'><meta charset=koi8-r>", _KOI),  # up to a space, all is the name
    (b"<a", None),
    (b"</ <meta charset=big5><meta charset=koi8-r>", _KOI),
    (b"</1 <meta charset=big5><meta charset=koi8-r>", _KOI),
    (b"</><meta charset=koi8-r>", _KOI),
    (b"<?php <meta charset=big5> ?><meta charset=koi8-r>", _KOI),
    (b"<? echo '>' ?><meta charset=koi8-r>", _KOI),
    (b"<?", None),
    (b"<noscript><meta charset=koi8-r></noscript>", _KOI),
    (b"<svg><meta charset=koi8-r></svg>", _KOI),
    (b"<link rel=stylesheet href=x charset=big5><meta charset=koi8-r>", _KOI),
    (b"<script charset=big5></script><meta charset=koi8-r>", _KOI),
    (b"<style><meta charset=koi8-r>", _KOI),
    (b"", None),
    (b" " * 900 + b"<meta charset=koi8-r>", _KOI),
    (b"<" * 900 + b"<meta charset=koi8-r>", _KOI),
]  # fmt: skip

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
_XML = [
    (b"<?xml version='1.0' encoding='koi8-r'?><html>", _KOI),
    (b'<?xml version="1.0" encoding="koi8-r"?><html>', _KOI),
    (b"<?xml version='1.0' encoding = 'koi8-r' ?>", _KOI),
    (b"<?xml encoding='koi8-r'?>", _KOI),
    (b"<?xml version='1.0' encoding='nonsense'?>", None),
    (b"<?xml version='1.0' encoding='nonsense'?><meta charset=big5>", _BIG),
    (b"<?xml version='1.0'?><meta charset=big5>", _BIG),
    (b"<?xml version='1.0' encoding=koi8-r?>", None),
    (b"<?xml version='1.0' encoding=''?>", None),
    (b"<?xml version='1.0' encoding='utf-16'?>", "utf-8"),
    (b" <?xml version='1.0' encoding='koi8-r'?>", None),
]
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
