"""Addresses have one spelling; only what no server tells apart is made equal."""

from urllib.parse import unquote_to_bytes, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from scythe.url import (
    absolute,
    normalise,
    split_host,
)

pieces = st.sampled_from([*"/ // .. . a B % %41 %4 %2f %2E %e4 ? & = # é 日 ; + ~".split(), " "])
addresses = st.builds(
    "{}://{}{}{}".format,
    st.sampled_from(["http", "HTTPS", "Http"]),
    st.sampled_from(["example.org", "WWW.Example.ORG", "bücher.example", "127.0.0.1", "[::1]", "xn--bcher-kva.de"]),
    st.sampled_from(["", ":80", ":443", ":8080", ":", ":0080"]),
    st.lists(pieces, max_size=10).map(lambda parts: "/" + "".join(parts)),
)


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
