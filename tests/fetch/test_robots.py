"""robots.txt as RFC 9309 says it; the sentence of the standard stands with each case."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scythe.fetch.robots import ROBOTS_CLOSED_S, ROBOTS_FRESH_S, Robots, parse_robots, product_token
from scythe.limits import LIMITS

SITE = "https://example.org"


def parsed(text: str, agent: str = "scythe") -> Robots:
    return parse_robots(200, text.encode(), agent)


def rules(*lines: str) -> str:
    return "\n".join(("User-agent: *", *lines))


# rules of one group, address, allowed?
MATCHES = [
    # 2.2.2: "The matching process compares path portions"; nothing matches: allowed
    ("", "/", True),
    ("Disallow: /", "/", False),
    ("Disallow: /", "/anything?at=all", False),
    ("Disallow: /fish", "/fish", False),
    ("Disallow: /fish", "/fish.html", False),
    ("Disallow: /fish", "/fish/salmon.html", False),
    ("Disallow: /fish", "/fishheads", False),
    ("Disallow: /fish", "/fish.php?id=anything", False),
    ("Disallow: /fish", "/Fish.asp", True),  # "The matching SHOULD be case sensitive"
    ("Disallow: /fish", "/catfish", True),
    ("Disallow: /fish", "/?id=fish", True),
    ("Disallow: /fish/", "/fish", True),
    ("Disallow: /fish/", "/fish/", False),
    ("Disallow: /fish/", "/fish/?id=anything", False),
    ("Disallow: /?", "/?", False),
    ("Disallow: /?", "/x", True),
    ("Disallow: /x?y=1", "/x?y=12", False),
    ("Disallow: /x?y=1", "/x?z=1", True),
    # an empty value says nothing
    ("Disallow:", "/x", True),
    ("Allow:\nDisallow: /", "/x", False),
    ("Disallow:\nDisallow: /x", "/x", False),
    # 2.2.2: "The most specific match found MUST be used", the one with the most octets
    ("Allow: /p\nDisallow: /", "/page", True),
    ("Disallow: /\nAllow: /p", "/page", True),
    ("Allow: /\nDisallow: /p", "/page", False),
    ("Disallow: /x/page.html\nAllow: /x/", "/x/page.html", False),
    ("Disallow: /x/page.html\nAllow: /x/", "/x/page", True),
    ("Allow: /$\nDisallow: /", "/", True),
    ("Allow: /$\nDisallow: /", "/page.htm", False),
    # "If an allow rule and a disallow rule are equivalent, the allow SHOULD be used"
    ("Allow: /folder\nDisallow: /folder", "/folder/page", True),
    ("Disallow: /folder\nAllow: /folder", "/folder/page", True),
    ("Disallow: /\nAllow: /", "/x", True),
    ("Allow: /page\nDisallow: /*.htm", "/page.htm", False),
    # 2.2.3: "*" any number of characters, "$" the end
    ("Disallow: /*", "/fish", False),
    ("Disallow: *", "/fish", False),
    ("Disallow: /fish*", "/fish", False),
    ("Disallow: /fish*", "/a/fish", True),
    ("Disallow: /*.php", "/index.php", False),
    ("Disallow: /*.php", "/folder/any.php.file.html", False),
    ("Disallow: /*.php", "/windows.PHP", True),
    ("Disallow: /*.php", "/?php", True),
    ("Disallow: /*.php$", "/filename.php", False),
    ("Disallow: /*.php$", "/folder/filename.php", False),
    ("Disallow: /*.php$", "/filename.php?parameters", True),
    ("Disallow: /*.php$", "/filename.php/", True),
    ("Disallow: /*.php$", "/filename.php5", True),
    ("Disallow: /fish*.php", "/fishheads/catfish.php?parameters", False),
    ("Disallow: /fish*.php", "/Fish.PHP", True),
    ("Disallow: /a**b", "/axxb", False),
    ("Disallow: /***", "/x", False),
    ("Disallow: /a$", "/a", False),
    ("Disallow: /a$", "/ab", True),
    ("Disallow: /a$b", "/a$b", False),
    ("Disallow: /a$b", "/a", True),
    ("Disallow: /$", "/", False),
    ("Disallow: /*$", "/x", False),
    ("Disallow: /*/b/*/d$", "/a/b/c/d", False),
    ("Disallow: /*/b/*/d$", "/a/b/c/d/e", True),
    ("Disallow: */private/", "/a/private/b", False),
    ("Disallow: private", "/private", True),  # a path begins with a slash
    # 2.2.2, percent-encoding: octets outside of ASCII and reserved ones MUST be percent-encoded before comparison
    ("Disallow: /foo/bar/ツ", "/foo/bar/%E3%83%84", False),
    ("Disallow: /foo/bar/%E3%83%84", "/foo/bar/ツ", False),
    ("Disallow: /foo/bar/%e3%83%84", "/foo/bar/%E3%83%84", False),
    ("Disallow: /foo/bar/%62%61%7A", "/foo/bar/baz", False),  # "MUST be unencoded if unreserved"
    ("Disallow: /foo/bar/baz", "/foo/bar/%62%61%7A", False),
    ("Disallow: /a%2Fb", "/a/b", True),  # a slash that is spelled is not one that separates
    ("Disallow: /a%2Fb", "/a%2fb", False),
    ("Disallow: /a%2Ab", "/a*b", False),
    ("Disallow: /a%2Ab", "/axb", True),
    ("Disallow: /a%24", "/a$", False),
    ("Disallow: /a%24", "/a", True),
    ("Disallow: /a b", "/a%20b", False),
    ("Disallow: /a%zz", "/a%zz", False),
    # 2.2.2: "Crawlers MUST NOT use the fragment"
    ("Disallow: /x", "/y#/x", True),
    ("Disallow: /x$", "/x#part", False),
    # /robots.txt itself is implicitly allowed
    ("Disallow: /", "/robots.txt", True),
    # comments, spaces, unknown lines, cases of field names
    ("Disallow: /x # a comment", "/x", False),
    ("# Disallow: /x", "/x", True),
    ("  DISALLOW \t:\t /x  ", "/x", False),
    ("Disallow : /x", "/x", False),
    ("disallow:/x", "/x", False),
    ("Disallow /x", "/x", False),
    ("Dissallow: /x", "/x", False),
    ("Nonsense: /x", "/x", True),
    ("Noindex: /x", "/x", True),
    (":\n: :\n=\n", "/x", True),
    ("Disallow: /a  b", "/a%20%20b", False),
    # what the crawler of the largest vendor is tried with, where the cases above have nothing like it
    ("DISALLOW: /\naLLoW: /x/", "/x/y", True),
    ("DISALLOW: /\naLLoW: /x/", "/a/b", False),
    ("Disallow:\nAllow:", "/x", True),
    ("Disallow: /x\nAllow: /x/", "/x", False),
    ("Disallow: /x\nAllow: /x/", "/x/", True),
    ("Disallow: /x/\nAllow: /x/page.html", "/x/", False),
    ("Allow: /x/page.\nDisallow: /*.html", "/x/page.html", True),
    ("Allow: /x/page.\nDisallow: /*.html", "/x/y.html", False),
    ("Disallow: /\nAllow: /a?u=1&to=http://b.example?x&y", "/a?u=1&to=http://b.example?x&y", True),
    ("Disallow: /a/b/c\nAllow: /a/*/d", "/a/b/c", False),
    ("Disallow: /a/b/c\nAllow: /a/*/d", "/a//c", True),
    ("Disallow: /a/b$\nAllow: /a/b/c", "/a/b/", True),
    ("Disallow: /a#b\nAllow: /", "/a", False),  # the sign begins a comment in the middle of a word too
    ("Disallow: /\nAllow: /*.php", "/index?f=x.php/", True),
    ("Disallow: /\nAllow: /*.php", "//a/any.php.b.html", True),
    ("Disallow: /\nAllow: /*.php$", "/aaaphpaaa", False),
    ("Disallow: /\nAllow: /" + 17_000 * "a" + "/q", "/" + 17_000 * "a" + "/q", True),  # it cuts lines; we do not
    ("Disallow: /\nAllow: /x/index.html", "/x/", True),  # who allows the one means the other
]


@pytest.mark.parametrize(("text", "path", "is_allowed"), MATCHES)
def test_rules_match_as_the_standard_says(text: str, path: str, is_allowed: bool) -> None:
    assert parsed(rules(text)).allows(SITE + path) is is_allowed


# file, what it allows us of /a /b /c
GROUPS = [
    ("", "abc"),
    ("Disallow: /", "abc"),  # 2.2.1: rules before any user-agent belong to nobody
    ("User-agent: *\nDisallow: /a", "bc"),
    ("User-agent: scythe\nDisallow: /a", "bc"),
    ("User-agent: SCYTHE\nDisallow: /a", "bc"),  # "MUST use case-insensitive matching to find the group"
    ("user-AGENT: Scythe\nDisallow: /a", "bc"),
    ("User-agent: other\nDisallow: /a", "abc"),
    ("User-agent: *\nDisallow: /\n\nUser-agent: scythe\nDisallow: /a", "bc"),  # our own group, not everybody's
    ("User-agent: scythe\nDisallow: /a\n\nUser-agent: *\nDisallow: /", "bc"),
    ("User-agent: scythe\nDisallow:\n\nUser-agent: *\nDisallow: /", "abc"),
    ("User-agent: scythe\n\nUser-agent: *\nDisallow: /", ""),  # blank lines do not end a group
    # "If there is more than one group matching the user agent, the matching groups' rules MUST be combined"
    ("User-agent: scythe\nDisallow: /a\nUser-agent: x\nDisallow: /c\nUser-agent: scythe\nDisallow: /b", "c"),
    ("User-agent: *\nDisallow: /a\nUser-agent: x\nDisallow: /c\nUser-agent: *\nDisallow: /b", "c"),
    # several agents of one group
    ("User-agent: x\nUser-agent: scythe\nUser-agent: y\nDisallow: /a", "bc"),
    ("User-agent: *\nUser-agent: x\nDisallow: /a", "bc"),
    ("User-agent: x\nDisallow: /b\nUser-agent: scythe\nUser-agent: z\nDisallow: /a", "bc"),
    # 2.2.4: parsing of other records "MUST NOT interfere": these do not end the list of agents
    ("User-agent: scythe\nSitemap: https://example.org/s.xml\nUser-agent: x\nDisallow: /a", "bc"),
    ("User-agent: scythe\nFoo: bar\nUser-agent: x\nDisallow: /a", "bc"),
    ("User-agent: scythe\nCrawl-delay: 1\nUser-agent: x\nDisallow: /a", "bc"),
    ("User-agent: scythe\nDisallow: /a\nSitemap: https://example.org/s.xml\nDisallow: /b", "c"),
    # product tokens: version and comment are not part of it; others that begin like it are others
    ("User-agent: scythe/1.0\nDisallow: /a", "bc"),
    ("User-agent: scythe (the crawler)\nDisallow: /a", "bc"),
    ("User-agent: scythe*\nDisallow: /a", "bc"),
    ("User-agent: scythe-images\nDisallow: /a", "abc"),
    ("User-agent: scythe2\nDisallow: /a", "abc"),
    ("User-agent: scy\nDisallow: /a", "abc"),
    ("User-agent: my scythe\nDisallow: /a", "abc"),
    ("User-agent: *scythe\nDisallow: /a", "abc"),
    ("User-agent: * scythe\nDisallow: /a", "bc"),
    ("User-agent:\nDisallow: /a", "abc"),
    ("User-agent: *\nDisallow: /b\nUser-agent:\nDisallow: /a", "ac"),
    ("User-agent scythe\nDisallow: /a", "bc"),
    ("Useragent: scythe\nDisallow: /a", "bc"),
    ("User  agent : scythe\nDisallow: /a", "bc"),
    # as that vendor tries it: rules before any agent, an agent with the rules of the next, two groups of one name
    ("allow: /a\n\nuser-agent: scythe\ndisallow: /\nallow: /b\nuser-agent: x\nallow: /c", "b"),
    ("user-agent: x\ndisallow: /\nuser-agent: scythe\n\nuser-agent: y\nallow: /c\ndisallow: /", "c"),
    ("user-agent: scythe\ndisallow: /\nallow: /a\nuser-agent: x\nallow: /b\nuser-agent: scythe\nallow: /c", "ac"),
    ("user-agent: *\nallow: /\nuser-agent: scythe\ndisallow: /", ""),
    ("user-agent: x\ndisallow: /\nuser-agent: y\ndisallow: /", "abc"),
    ("user-agent: *\ndisallow: /\nuser-agent: Scythe Images\nallow: /a\ndisallow: /", "a"),
    ("foo: scythe\nbar: /", "abc"),
    ("user-agent: *\ndisallow: /a\nuser-agent: scythe\ndisallow: /b", "ac"),
]


@pytest.mark.parametrize(("text", "allowed"), GROUPS)
def test_groups_are_chosen_by_the_product_token(text: str, allowed: str) -> None:
    robots = parsed(text)
    assert "".join(path for path in "abc" if robots.allows(f"{SITE}/{path}")) == allowed


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_as_the_standard_lets_them(end: str) -> None:
    robots = parsed(end.join(("User-agent: *", "Disallow: /a", "Disallow: /b", "")))
    assert not robots.allows(f"{SITE}/a")
    assert not robots.allows(f"{SITE}/b")
    assert robots.allows(f"{SITE}/c")


@pytest.mark.parametrize("mark", ["\v", "\f", "\x1c", "\x85", "\u2028"])
def test_nothing_else_ends_a_line(mark: str) -> None:
    robots = parsed(rules(f"Allow: /x{mark}Disallow: /"))
    assert robots.allows(f"{SITE}/y")


@pytest.mark.parametrize(
    "body",
    [
        b"\xef\xbb\xbfUser-agent: *\nDisallow: /a",
        "\ufeffUser-agent: *\nDisallow: /a".encode("utf-16-le"),
        "\ufeffUser-agent: *\nDisallow: /a".encode("utf-16-be"),
        b"User-\0agent: *\nDis\0allow: /a\0",
        b"\xff\xff\nUser-agent: *\nDisallow: /a\nDisallow: /\xff",
        b"<!doctype html><p>x</p>\nUser-agent: *\nDisallow: /a\n</html>",
    ],
)
def test_marks_nul_bytes_and_rubbish_do_not_hide_a_rule(body: bytes) -> None:
    robots = parse_robots(200, body)
    assert not robots.allows(f"{SITE}/a")
    assert robots.allows(f"{SITE}/b")


def test_a_page_in_place_of_the_file_forbids_nothing() -> None:
    robots = parse_robots(200, b"<!doctype html><html><head><title>Not found</title></head><body>No such page</body>")
    assert robots.allows(f"{SITE}/a")
    assert not robots.is_closed


@pytest.mark.parametrize("status", [None, 100, 199, 429, 500, 502, 503, 504, 599, 600, 999])
def test_a_file_that_could_not_be_read_closes_everything(status: int | None) -> None:
    robots = parse_robots(status, b"User-agent: *\nAllow: /")
    assert robots.is_closed
    assert robots.why
    assert not robots.allows(f"{SITE}/")
    assert robots.fresh_s == ROBOTS_CLOSED_S


@pytest.mark.parametrize("status", [301, 304, 308, 400, 401, 403, 404, 410, 418, 451, 499])
def test_no_file_means_no_rules(status: int) -> None:
    robots = parse_robots(status, b"User-agent: *\nDisallow: /")
    assert robots.allows(f"{SITE}/")
    assert robots.why
    assert robots.fresh_s == ROBOTS_FRESH_S == 86_400


@pytest.mark.parametrize("status", [200, 204, 206, 299])
def test_any_success_is_read(status: int) -> None:
    assert not parse_robots(status, b"User-agent: *\nDisallow: /").allows(f"{SITE}/x")


def test_only_the_first_500_kib_are_read_to_the_end_of_a_line() -> None:
    start, filler = b"User-agent: *\nDisallow: /first\n", b"# filler\n"
    body = start + filler * (LIMITS.robots_bytes // len(filler) + 1)
    cut = LIMITS.robots_bytes - 10
    body = body[:cut] + b"\nDisallow: /last\n" + body[cut:]  # its first eight letters are within
    robots = parse_robots(200, body)
    assert LIMITS.robots_bytes == 500 * 1024
    assert not robots.allows(f"{SITE}/first")
    assert robots.allows(f"{SITE}/last")
    assert str(LIMITS.robots_bytes) in robots.why
    assert parse_robots(200, body[: LIMITS.robots_bytes]).why == ""


def test_one_line_longer_than_what_is_read_says_nothing() -> None:
    assert parse_robots(200, b"x" * (LIMITS.robots_bytes + 1)).allows(f"{SITE}/")


@pytest.mark.parametrize(
    ("lines", "delay_s"),
    [
        ("Crawl-delay: 5", 5.0),
        ("crawl-delay:0.25", 0.25),
        ("Crawl-delay: 0", 0.0),
        ("Crawl-delay: -3", 0.0),
        ("Crawl-delay: soon", 0.0),
        ("Crawl-delay: nan", 0.0),
        ("Crawl-delay: inf", 0.0),
        ("Crawl-delay: 1e300", 86_400.0),
        ("Crawl-delay: " + "9" * 5_000, 0.0),
        ("Crawl-delay: 999999", 86_400.0),
        ("Request-rate: 1/10", 10.0),
        ("Request-rate: 4/10", 2.5),
        ("Request-rate: 1/2m", 120.0),
        ("Request-rate: 1/9d", 86_400.0),
        ("Request-rate: 1/" + "9" * 4_000, 86_400.0),
        ("Request-rate: " + "9" * 4_000 + "/1", 0.0),
        ("Request-rate: 0/0", 0.0),
        ("Request-rate: 1/10 0600-0845", 10.0),
        ("Request-rate: 1/10\nCrawl-delay: 20", 20.0),
        ("Request-rate: 1/30\nCrawl-delay: 20", 30.0),
    ],
)
def test_a_delay_is_obeyed_up_to_a_day(lines: str, delay_s: float) -> None:
    assert parsed(rules(lines)).delay_s == delay_s


def test_the_delay_of_others_is_not_ours() -> None:
    text = "User-agent: slow\nCrawl-delay: 60\nDisallow: /x\n\nUser-agent: *\nCrawl-delay: 2\n"
    assert parsed(text).delay_s == 2.0


def test_sitemaps_of_any_place_in_the_file_are_found_once() -> None:
    text = """Sitemap: https://example.org/one.xml
        User-agent: other
        Sitemap: http://maps.example/two.xml.gz
        sitemap:https://example.org/one.xml
        Sitemap: /relative.xml
        Sitemap: ftp://example.org/x.xml
        Sitemap: file:///etc/passwd
        Sitemap: http://[broken
        Sitemap:
        Sitemaps: https://example.org/three.xml # last"""
    assert parsed(text).sitemaps == (
        "https://example.org/one.xml",
        "http://maps.example/two.xml.gz",
        "https://example.org/three.xml",
    )


def test_so_many_sitemaps_are_kept() -> None:
    text = "\n".join(f"Sitemap: https://example.org/{number}.xml" for number in range(LIMITS.robots_sitemaps + 5))
    assert len(parsed(text).sitemaps) == LIMITS.robots_sitemaps


@pytest.mark.parametrize(
    ("agent", "token"),
    [
        ("scythe/0.1 (+https://example.org)", "scythe"),
        ("MyBot", "mybot"),
        (" My_Bot-2/1", "my_bot-2"),
        ("Mozilla/5.0 (compatible; x)", "mozilla"),
        ("", ""),
        ("*", ""),
        ("(x)", ""),
    ],
)
def test_the_product_token_is_the_first_word_of_the_user_agent(agent: str, token: str) -> None:
    assert product_token(agent) == token


def test_another_agent_heeds_its_own_group() -> None:
    text = "User-agent: scythe\nDisallow: /\nUser-agent: mybot\nDisallow: /a"
    assert parsed(text, "MyBot/2.0 (+x)").allows(f"{SITE}/b")
    assert not parsed(text, "MyBot/2.0 (+x)").allows(f"{SITE}/a")
    assert parsed(text, "").allows(f"{SITE}/a")


@pytest.mark.parametrize("url", ["http://[::1/x?y", "https://example.org/\ud800", "https://example.org]/x?y"])
def test_what_cannot_be_taken_apart_is_not_allowed(url: str) -> None:
    assert not parsed(rules("Disallow: /private")).allows(url)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=400), st.text(max_size=40), st.text(max_size=20))
def test_no_file_and_no_address_raises(body: bytes, path: str, agent: str) -> None:
    robots = parse_robots(200, b"User-agent: *\n" + body, agent)
    assert robots.allows(f"{SITE}/{path}") in (True, False)
    assert 0 <= robots.delay_s <= 86_400


def test_files_made_of_its_own_words_never_raise() -> None:
    words = "User-agent: *|scythe|Disallow:|Allow:|/|*|$|#|\n|\r|%|%41|%zz|:| |Crawl-delay:|5|Request-rate:|1/|Sitemap:"
    pieces = [*words.split("|"), "http://[", "\0", "\ufeff", "é", "/a", "/*a*b", "\u2028"]
    dice = random.Random(5)
    for _ in range(2_000):
        text = "".join(dice.choice(pieces) for _ in range(dice.randrange(40)))
        robots = parsed(text)
        assert isinstance(robots.allows(f"{SITE}/a?b"), bool)
        assert all(url.startswith("http") for url in robots.sitemaps)
