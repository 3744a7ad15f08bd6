"""Addresses have one spelling; only what no server tells apart is made equal."""

from urllib.parse import unquote_to_bytes, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scythe.url import (
    Url,
    absolute,
    hide_users,
    identity,
    is_session,
    is_tracking,
    normalise,
    split_host,
    without_tracking,
)

pieces = st.sampled_from([*"/ // .. . a B % %41 %4 %2f %2E %e4 ? & = # é 日 ; + ~".split(), " "])
addresses = st.builds(
    "{}://{}{}{}".format,
    st.sampled_from(["http", "HTTPS", "Http"]),
    st.sampled_from(["example.org", "WWW.Example.ORG", "bücher.example", "127.0.0.1", "[::1]", "xn--bcher-kva.de"]),
    st.sampled_from(["", ":80", ":443", ":8080", ":", ":0080"]),
    st.lists(pieces, max_size=10).map(lambda parts: "/" + "".join(parts)),
)


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("HTTP://Example.ORG", "http://example.org/"),
        ("https://example.org:443/a", "https://example.org/a"),
        ("http://example.org:443/a", "http://example.org:443/a"),
        ("http://example.org:/", "http://example.org/"),
        ("http://example.org/a/./b/../c", "http://example.org/a/c"),
        ("http://example.org/../a/..", "http://example.org/"),
        ("http://example.org/%2e%2E/a", "http://example.org/a"),
        ("http://example.org/%7euser/%2fx%3a", "http://example.org/~user/%2Fx%3A"),
        ("http://example.org/a#b", "http://example.org/a"),
        ("http://example.org/a?", "http://example.org/a"),
        ("http://example.org/a?#x", "http://example.org/a"),
        ("http://example.org/?x=%41", "http://example.org/?x=A"),
        ("http://bücher.example/ä?ö", "http://xn--bcher-kva.example/%C3%A4?%C3%B6"),
        ("http://straße.example/", "http://xn--strae-oqa.example/"),
        ("http://例え。example/", "http://xn--r8jz45g.example/"),
        ("http://user:secret@example.org/a", "http://example.org/a"),
        ("http://[::1]:80/x", "http://[::1]/x"),
        ("http://example.org?q=1", "http://example.org/?q=1"),
    ],
)
def test_equal_spellings_become_one(written: str, plain: str) -> None:
    assert normalise(written) == plain


@pytest.mark.parametrize(
    "url",
    (
        "http://www.example.org/ http://example.org/a/ http://example.org/A http://example.org/a//b "
        "http://example.org/?b=1&a=2 http://example.org/?a=1&a=2 http://example.org/?a "
        "http://example.org/?a= http://example.org/a;b=1 http://example.org/a+b?c+d http://example.org/%2F "
        "http://example.org/%25 http://example.org/%zz% http://example.org/%%34%31 http://example.org./ "
        "http://example.org/?a=%26&b=%3D%23 http://example.org/?u=http://example.org/?x"
    ).split(),
)
def test_what_a_server_may_tell_apart_stays(url: str) -> None:
    assert normalise(url) == url


@given(addresses)
def test_normalising_twice_changes_nothing(url: str) -> None:
    once = normalise(url)
    assert normalise(once) == once


@given(addresses)
def test_a_normalised_address_asks_the_same_server_for_the_same_thing(url: str) -> None:
    before, after = urlsplit(url), urlsplit(normalise(url))
    assert after.scheme == before.scheme
    assert (after.port or {"http": 80, "https": 443}[after.scheme]) == (
        before.port or {"http": 80, "https": 443}[before.scheme]
    )
    assert unquote_to_bytes(after.query) == unquote_to_bytes(before.query.encode())
    if "." not in unquote_to_bytes(before.path.encode()).decode("latin-1"):
        assert unquote_to_bytes(after.path) == unquote_to_bytes(before.path.encode())


@given(st.text(max_size=60))
def test_any_text_is_survived(text: str) -> None:
    assert isinstance(normalise(text), str)
    assert isinstance(normalise("http://" + text), str)
    split_host("http://" + text)


@given(addresses)
def test_normalised_addresses_stay_addresses(url: str) -> None:
    address = absolute(url)
    assert address is None or absolute(normalise(address)) == normalise(address)


def test_a_page_is_known_again_by_its_identity() -> None:
    url = "https://example.org/a;jsessionid=0A1B?b=2&utm_source=x&a=1&sid=0123456789abcdef0123&fbclid=y"
    assert identity(url) == "https://example.org/a?a=1&b=2"
    assert identity("https://example.org/?a=2&b=1&a=1") == "https://example.org/?a=2&a=1&b=1"
    assert identity("https://example.org/(S(abcdefgh12345678))/x") == "https://example.org/x"
    assert identity("https://example.org/?x=1&y=2", {"x"}) == "https://example.org/?y=2"


@pytest.mark.parametrize("query", ["sid=5", "sid=blue", "id=0123456789abcdef0123", "s=how to sort 1234567890", "p=1"])
def test_what_may_matter_is_kept(query: str) -> None:
    assert identity(f"https://example.org/?{query}") == f"https://example.org/?{query}"


def test_only_known_names_are_for_counting_visits() -> None:
    assert is_tracking("utm_campaign")
    assert is_tracking("GCLID")
    assert not is_tracking("utm")
    assert not is_tracking("ref")
    assert is_session("PHPSESSID", "9f8e7d6c5b4a39281706")
    assert not is_session("PHPSESSID", "x")


def test_what_counts_visits_is_not_sent() -> None:
    assert without_tracking(Url("https://example.org/?utm_source=a&x=1")) == "https://example.org/?x=1"
    assert without_tracking(Url("https://example.org/a?fbclid=1")) == "https://example.org/a"
    assert without_tracking(Url("https://example.org/?b&a=&a")) == "https://example.org/?b&a=&a"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("http://ann:pw@example.org/a: no", "http://example.org/a: no"),
        ("HTTPS://ann@example.org", "HTTPS://example.org"),
        ("'http://ann:p@w@[::1]:80/x' and ftp://b:c@d/e@f", "'http://[::1]:80/x' and ftp://d/e@f"),
        ("postgresql://ann:p/w@db:5432/x", "postgresql://db:5432/x"),
        ("http://ann:pw\\@example.org/", "http://example.org/"),
        ("http://example.org:80/@ann and a@b", "http://example.org:80/@ann and a@b"),
        ("http://[::1]:80/~a@b?c=http://d:e@f", "http://[::1]:80/~a@b?c=http://f"),
    ],
)
def test_no_name_and_no_password_of_an_address_is_told(said: str, shown: str) -> None:
    assert hide_users(said) == shown
