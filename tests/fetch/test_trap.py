"""Redirects that try to get past the guard, one by one; tests/faults/test_ssrf.py has the other doors."""

from __future__ import annotations

import asyncio

import pytest

from scythe.errors import FetchFailed
from scythe.fetch import FetchOptions, fetch_all
from scythe.fetch import client as client_module
from scythe.fetch.guard import why_closed
from scythe.model import Response

from .server import always, by_path, page, serve

pytestmark = pytest.mark.fault
CLOSED_GUARD = FetchOptions(timeout_s=10)


async def gather(urls: list[str], options: FetchOptions) -> list[Response | FetchFailed]:
    return [result async for result in fetch_all(urls, options=options)]


LOCATIONS = [
    "http://127.0.0.1:{port}/in",
    "http://localhost:{port}/in",
    "//127.0.0.1:{port}/in",
    "http://0x7f.1:{port}/in",
    "http://[::1]:{port}/in",
    "http://user:pass@127.0.0.1:{port}/in",
    "http://127.0.0.1:{port}\\@public.example/in",
    "http://public.example\\@127.0.0.1:{port}/in",
    "http:\\\\127.0.0.1:{port}\\in",
    "\\\\127.0.0.1:{port}\\in",
    "https://127.0.0.1:{port}/in",
    "HTTP://127.0.0.1:{port}/in",
    " http://127.0.0.1:{port}/in ",
    "\thttp://127.0.0.1:{port}/in",
    "http://127.0.0.1:{port}/in#fragment",
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/latest/",
    "http://100.100.100.200/",
    "file:///etc/passwd",
    "file:/etc/passwd",
    "FILE:///etc/passwd",
    "ftp://127.0.0.1/",
    "gopher://127.0.0.1:{port}/_GET",
    "data:text/html,<p>x",
    "javascript:alert(1)",
    "ws://127.0.0.1:{port}/",
    "http://",
    "http://:{port}/",
    "http://[::1",
    "http://127.0.0.1:99999/",
    "http://127.0.0.1:-1/",
    "http://%31%32%37.0.0.1:{port}/in",
    "http://\x7f/",
    "http://ex ample/",
    "http://\xff\xfe/",
]


@pytest.mark.parametrize("location", LOCATIONS)
def test_no_redirect_leads_inside(location: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The first server stands for a public site: of all addresses the guard lets only 127.0.0.2 through.
    monkeypatch.setattr(
        client_module.guard, "why_closed", lambda address: None if address == "127.0.0.2" else why_closed(address)
    )
    with serve(by_path({"/in": page(b"secret")})) as trap:
        target = location.replace("{port}", str(trap.port))
        with serve(always(page(b"", f"Location: {target}", status="302 Found")), address="127.0.0.2") as public:
            results = asyncio.run(gather([public.url()], CLOSED_GUARD))
    assert trap.open_most == 0
    assert isinstance(results[0], FetchFailed)


def test_the_stand_in_for_a_public_site_can_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module.guard, "why_closed", lambda address: None)
    with serve(always(page(b"ok")), address="127.0.0.2") as public:
        assert [r.body for r in asyncio.run(gather([public.url()], CLOSED_GUARD)) if isinstance(r, Response)] == [b"ok"]
