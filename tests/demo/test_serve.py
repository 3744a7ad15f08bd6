from __future__ import annotations

import http.client
import re
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager
from urllib.parse import urlsplit

import pytest

from scythe.demo.serve import (
    DemoOptions,
    DemoProcess,
    DemoThread,
    read_arguments,
    serve_demo,
    serve_demo_process,
    write_arguments,
)
from scythe.errors import BadInput

Serve = Callable[[DemoOptions], AbstractContextManager[DemoThread | DemoProcess]]
BOTH = pytest.mark.parametrize("serve", [serve_demo, serve_demo_process], ids=["thread", "process"])


def get(url: str, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    client = http.client.HTTPConnection(urlsplit(url).netloc, timeout=10)
    try:
        client.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        answer = client.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        client.close()


@BOTH
def test_pages_are_served_as_the_world_has_them_and_requests_are_logged(serve: Serve) -> None:
    with serve(DemoOptions(pages=20)) as server:
        for path in server.world.paths[::5]:
            status, headers, body = get(server.url, path, User_Agent="tester/1")
            page = server.world.page(path)
            assert page is not None
            assert (status, headers["content-type"], body) == (200, page.content_type, page.html)
        assert [request.target for request in server.log] == list(server.world.paths[::5])
        assert {(request.status, request.agent) for request in server.log} == {(200, "tester/1")}
        times = [request.at for request in server.log]
        assert times == sorted(times)


@BOTH
def test_the_design_changes_while_it_runs(serve: Serve) -> None:
    with serve(DemoOptions(pages=20)) as server:
        before = get(server.url, "/")[2]
        server.redesign(1)
        after = get(server.url, "/")[2]
    dressed = server.world.page("/", design=1)
    assert dressed is not None
    assert before != after == dressed.html


def test_the_design_changes_after_some_requests() -> None:
    with serve_demo(DemoOptions(pages=3, redesign_after=2)) as server:
        bodies = [get(server.url, "/")[2] for _ in range(4)]
    assert bodies[0] == bodies[1] != bodies[2] == bodies[3]


def test_what_did_not_change_is_not_sent_again() -> None:
    with serve_demo(DemoOptions(pages=5)) as server:
        path = server.world.ledger.content[0].path
        _, headers, _ = get(server.url, path)
        assert get(server.url, path, If_None_Match=headers["etag"])[::2] == (304, b"")
        assert get(server.url, path, If_Modified_Since=headers["last-modified"])[::2] == (304, b"")
        assert get(server.url, path, If_None_Match='"other"', If_Modified_Since=headers["last-modified"])[0] == 200
        server.redesign(1)
        assert get(server.url, path, If_None_Match=headers["etag"])[0] == 200


def test_several_requests_on_one_connection_are_answered_in_order() -> None:
    with serve_demo(DemoOptions(pages=5, latency_s=0.02)) as server:
        host, port = urlsplit(server.url).hostname, urlsplit(server.url).port
        with socket.create_connection((host, port or 0), timeout=10) as client:
            paths = ("/about-1.html", "/nothing", "/feed.json")
            client.sendall(b"".join(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode() for path in paths[:2]))
            client.sendall(f"HEAD {paths[2]} HTTP/1.1\r\nConnection: close\r\n\r\n".encode())
            received = b""
            while piece := client.recv(65_536):
                received += piece
    assert re.findall(rb"HTTP/1\.1 (\d+)", received) == [b"200", b"404", b"200"]
    assert received.endswith(b"\r\n\r\n")
    assert {request.connection for request in server.log} == {1}


def test_nothing_but_loopback_is_served() -> None:
    for address in ("0.0.0.0", "192.168.0.1", "::", "example.org"):
        with pytest.raises(BadInput):
            DemoOptions(address=address)
    with serve_demo(DemoOptions(pages=1, address="127.0.0.2")) as server:
        assert server.url.startswith("http://127.0.0.2:")


def test_options_survive_the_command_line() -> None:
    options = DemoOptions(3, 77, 1, 9, 0.25, 2.5, 1000, ("slow", "gone"), 0.5, "127.0.0.3", 0)
    assert read_arguments(list(write_arguments(options)))[0] == options
    assert read_arguments([])[0] == DemoOptions()


def test_a_port_that_is_taken_is_an_error_in_words(capfd: pytest.CaptureFixture[str]) -> None:
    with serve_demo(DemoOptions(pages=1)) as server:
        port = urlsplit(server.url).port or 0
        with pytest.raises(OSError, match="cannot be served"), serve_demo_process(DemoOptions(pages=1, port=port)):
            pass
        with pytest.raises(OSError, match="in use"), serve_demo(DemoOptions(pages=1, port=port)):
            pass


def test_a_server_process_ends_with_its_input() -> None:
    with serve_demo_process(DemoOptions(pages=1)) as server:
        assert server.process.stdin is not None
        server.process.stdin.close()
        assert server.process.wait(10) == 0
