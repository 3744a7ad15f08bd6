"""A real proxy on loopback: what it sees, what it is asked to dial, and what it never gets to see."""

import asyncio
import ssl
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import trustme

from scythe.errors import FetchFailed
from scythe.fetch import Credentials, FetchOptions, fetch, guard

from .server import Server, by_path, listen, page, serve

pytestmark = pytest.mark.fault


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while piece := await reader.read(65_536):
        writer.write(piece)
        await writer.drain()
    writer.write_eof() if writer.can_write_eof() else writer.close()


@contextmanager
def proxy(status: str = "", address: str = "127.0.0.1") -> Iterator[Server]:
    """Run a proxy that dials what it is told, whatever the name, on 127.0.0.1; or answers with a status of its own."""
    server = Server(address=address)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        server.heads.append(head.decode("latin-1"))
        method, target, _ = head.decode("latin-1").split(" ", 2)
        if status:
            writer.write(page(b"", status=status))
            await writer.drain()
            return
        port = int(target.split("://")[-1].split("/")[0].rpartition(":")[2])
        there, onwards = await asyncio.open_connection("127.0.0.1", port)
        try:
            if method == "CONNECT":
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                path = "/" + target.split("/", 3)[3]
                onwards.write(head.replace(target.encode(), path.encode(), 1))
            await asyncio.gather(pump(reader, onwards), pump(there, writer))
        finally:
            onwards.close()

    with listen(talk, server):
        yield server


def through(server: Server, **options: object) -> FetchOptions:
    defaults: dict[str, object] = {"allow_private": True, "timeout_s": 10, "proxy": server.url("")}
    return FetchOptions(**(defaults | options))  # type: ignore[arg-type]


def test_a_page_comes_through_the_proxy() -> None:
    with serve(by_path({"/x": page(b"ok")})) as server, proxy() as between:
        response = fetch(f"http://site.example:{server.port}/x", options=through(between))
    assert response.body == b"ok"
    assert between.heads[0].startswith(f"GET http://site.example:{server.port}/x HTTP/1.1")


def test_a_secure_page_comes_through_a_tunnel_that_shows_nothing(tmp_path) -> None:  # type: ignore[no-untyped-def]
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("site.example").configure_cert(context)
    with serve(by_path({"/x": page(b"ok")}), tls=context) as server, proxy() as between:
        here = f"https://site.example:{server.port}"
        options = through(
            between, ca_file=str(tmp_path / "ca.pem"), cookies=True, credentials=(Credentials(here, "user", "pass"),)
        )
        response = fetch(f"{here}/x", options=options)
        wrong_name = f"https://other.example:{server.port}/x"
        with pytest.raises(FetchFailed, match="secure connection failed"):
            fetch(wrong_name, options=options)
    assert response.body == b"ok"
    assert between.heads[0].startswith(f"CONNECT site.example:{server.port} HTTP/1.1")
    assert between.seen("Authorization") == between.seen("Cookie") == ["", ""]
    assert server.seen("Authorization") == ["Basic dXNlcjpwYXNz"]


def test_secrets_do_not_pass_a_proxy_that_could_read_them() -> None:
    pages = {"/a": page(b"", "Set-Cookie: a=1", "Location: /b", status="302 Found"), "/b": page(b"ok")}
    with serve(by_path(pages)) as server, proxy() as between:
        here = f"http://site.example:{server.port}"
        options = through(between, cookies=True, credentials=(Credentials(here, "user", "pass"),))
        assert fetch(f"{here}/a", options=options).body == b"ok"
    assert between.seen("Authorization") == between.seen("Cookie") == ["", ""]


def test_the_password_of_the_proxy_goes_to_the_proxy_only(tmp_path) -> None:  # type: ignore[no-untyped-def]
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("site.example").configure_cert(context)
    with serve(by_path({"/x": page(b"ok")}), tls=context) as server, proxy() as between:
        named = between.url("").replace("127", "user:pass@127")
        options = through(between, proxy=named, ca_file=str(tmp_path / "ca.pem"))
        fetch(f"https://site.example:{server.port}/x", options=options)
    assert between.seen("Proxy-Authorization") == ["Basic dXNlcjpwYXNz"]
    assert server.seen("Proxy-Authorization") == server.seen("Authorization") == [""]
    assert ":pass" not in repr(options)


def test_a_proxy_that_refuses_is_named_without_its_password() -> None:
    with proxy(status="407 Proxy Authentication Required") as between:
        named = between.url("").replace("127", "user:hush@127")
        with pytest.raises(FetchFailed) as caught:
            fetch("https://site.example/", options=through(between, proxy=named))
    assert caught.value.why == "the proxy answered 407"
    with pytest.raises(FetchFailed) as caught:
        fetch("http://site.example/", options=through(between, proxy=named))
    assert "no connection to the proxy" in caught.value.why
    assert "hush" not in caught.value.why


def test_a_proxy_inside_is_refused_unless_allowed() -> None:
    with proxy() as between, pytest.raises(FetchFailed, match="not on the public internet"):
        fetch("http://93.184.215.14/", options=through(between, allow_private=False))
    assert between.connections == 0


@pytest.mark.parametrize("target", ["127.0.0.1", "localhost", "0x7f000001", "2130706433", "[::1]", "169.254.169.254"])
def test_a_proxy_outside_is_not_asked_to_dial_inside(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = guard.why_closed
    monkeypatch.setattr(guard, "why_closed", lambda address: None if address == "127.0.0.2" else real(address))
    with serve(by_path({"/": page(b"secret")})) as trap, proxy(address="127.0.0.2") as between:
        for scheme in ("http", "https"):
            with pytest.raises(FetchFailed):
                fetch(f"{scheme}://{target}:{trap.port}/", options=through(between, allow_private=False))
    assert between.connections == trap.connections == 0
