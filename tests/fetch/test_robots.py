"""robots.txt as RFC 9309 says it; the sentence of the standard stands with each case."""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tables import rows

from scythe.fetch.robots import ROBOTS_CLOSED_S, ROBOTS_FRESH_S, Robots, parse_robots, product_token
from scythe.limits import LIMITS

SITE = "https://example.org"
HERE = Path(__file__).parent


def parsed(text: str, agent: str = "scythe") -> Robots:
    return parse_robots(200, text.encode(), agent)


def rules(*lines: str) -> str:
    return "\n".join(("User-agent: *", *lines))


MATCHES = rows(HERE / "robots_matches.jsonl")  # rules of one group, address, allowed?
LONG = 17_000 * "a"  # one vendor cuts lines; we do not


@pytest.mark.parametrize(
    ("text", "path", "is_allowed"), [*MATCHES, (f"Disallow: /\nAllow: /{LONG}/q", f"/{LONG}/q", True)]
)
def test_rules_match_as_the_standard_says(text: str, path: str, is_allowed: bool) -> None:
    assert parsed(rules(text)).allows(SITE + path) is is_allowed


GROUPS = rows(HERE / "robots_groups.jsonl")  # a file, what it allows us of /a /b /c


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
