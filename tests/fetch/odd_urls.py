"""Addresses that parsers have been known to read differently, made by the thousand from one seed."""

import random
from collections.abc import Iterator

SCHEMES = ["http://", "http://", "https://", "HTTP://", "http:/", "http:", "//", "http:\\\\", "http:///", "https:\\/"]
USERS = [
    "", "", "", "", "u@", "u:p@", "@", "u@v@", "a:b:c@", "127.0.0.1:80\\@", "a/@", "a?@", "a#@", "%40@", "[::1]@",
    "＠",
]  # fmt: skip
HOSTS = """
127.0.0.1 example.org [::1] [::ffff:127.0.0.1] [fe80::1%25eth0] [fe80::1%eth0] localhost EXAMPLE.org ex%61mple.org
%31%32%37.0.0.1 １２７.0.0.1 127。0。0。1 ß.de xn--zca.de a_b.c -a.b a..b .a a. 0x7f.1 2130706433 ex\u00adample.org
ⓔxample.org ﬀ.org K.org İ.org a\u200db.org 例え.jp xn--r8jz45g.jp [::1 ::1] [v1.a] [::1]a a[::1] 1.2.3.4.5 a,b.c a;b.c
a'b.c a(b).c a!b.c a$b.c a&b.c a+b.c a=b.c a~b.c a*b.c %00 a%2fb.c a%40b.c a%3ab.c a%23b.c a%5cb.c ä%C3%A4.de XN--ZCA.de
0 0.0.0.0 faß.de ａ.org a／b.c a＃b.c a？b.c a＠b.c a：b.c ℀.org ⒈.org i❤.ws [::] [1:2:3:4:5:6:7:8] [::1%25] xn--a xn--
a.xn--0 ☃
""".split()
HOSTS += ["", " ", "a b.c", "\t", "a" * 64 + ".c", "b" * 300, "c." * 150]
PORTS = [
    "", "", "", ":80", ":", ":0", ":443", ":8080", ":65535", ":65536", ":-1", ":+80", ":８０", ":80a", ":080", ":80:80",
    ":٨",
]  # fmt: skip
ENDS = [
    "", "/", "/x", "?q", "#f", "\\x", "/a b", "/%zz", "/é", "/..", "//b", "/@c", "?@c", "#@c", ";x", "\t/", "/\n",
    "%2f",
]  # fmt: skip
ENDS += ["\\@d.example/", "＼@d.example/", "/../@d.example", "?/@d.example/", "#/@d.example/"]
MARKS = [*"@:/\\?#[]%.;&=+ \t\n\r\0", "%2e", "%40", "％", "。", "．", "\u00ad", "\u200b", "\u202e"]


def odd_urls(count: int, seed: int) -> Iterator[str]:
    """Yield `count` addresses, some broken further by letters put in, taken out or changed."""
    dice = random.Random(seed)
    for _ in range(count):
        text = "".join(map(dice.choice, (SCHEMES, USERS, HOSTS, PORTS, ENDS)))
        for _ in range(dice.choice((0, 0, 0, 1, 1, 2, 3))):
            at = dice.randrange(len(text) + 1)
            letter = dice.choice((dice.randrange(128), dice.randrange(0x3000), dice.randrange(0xFF00, 0xFFFF)))
            text = text[:at] + dice.choice((dice.choice(MARKS), dice.choice(MARKS), "", chr(letter))) + text[at:]
        yield text
