"""Laws of addresses: the quick ways for plain ones give what the general way gives."""

from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fetch.odd_urls import odd_urls

from scythe.url import absolute

BASES = tuple(
    (
        "http://a.example http://a.example/ http://a.example/x/y http://a.example/x/y?q=1/2 "
        "http://a.example/x/#a/b https://a.example/x/../y http://a.example//x/y http://a.example?x=/y"
    ).split()
)


@given(st.text("ab9Z_-.~!$&'()*+,=:@/?#%", min_size=1, max_size=8), st.sampled_from(BASES))
def test_relative_addresses_are_joined_as_the_standard_library_joins_them(name, base):
    if name.startswith("/") or name.endswith(("?", "#")) or "?#" in name or ":" in name.partition("/")[0]:
        return
    assert absolute(name, base) == urljoin(base, name)


@pytest.mark.parametrize("base", BASES)
def test_a_path_is_put_behind_the_host(base):
    assert absolute("/p?q", base) == base[: base.index("a.example")] + "a.example/p?q"


@given(st.integers(0, 99_999), st.sampled_from(["", "/", "/x/y", "/x?y#z"]), st.sampled_from(["/p?q", "p/q", "p#q"]))
def test_a_port_is_kept_if_there_can_be_such_a_one(port, path, name):
    base = f"http://10.0.0.1:{port}{path}"
    assert absolute(base) == (base if port < 65_536 else None)
    assert absolute(name, base) == (urljoin(base, name) if port < 65_536 else None)


def test_what_counts_as_an_address_can_be_taken_apart():
    urls = [url for text in odd_urls(20_000, seed=4) if (url := absolute(text))]
    assert len(urls) > 2_000
    assert all(urlsplit(url).hostname and absolute(url) for url in urls)
