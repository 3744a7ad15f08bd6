import http.client
import re
import socket
from urllib.parse import urlsplit

import pytest

from scythe.demo.serve import DemoOptions, serve_demo, serve_live
from scythe.errors import BadInput


def get(url: str, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    client = http.client.HTTPConnection(urlsplit(url).netloc, timeout=10)
    try:
        client.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        answer = client.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        client.close()


def test_pages_are_served_as_the_world_has_them_and_requests_are_logged() -> None:
    with serve_demo(DemoOptions(pages=20)) as server:
        for path in server.world.paths[::5]:
            status, headers, body = get(server.url, path, User_Agent="tester/1")
            page = server.world.page(path)
            assert page is not None
            assert (status, headers["content-type"], body) == (200, page.content_type, page.html)
        assert [request.target for request in server.log] == list(server.world.paths[::5])
        assert {(request.status, request.agent) for request in server.log} == {(200, "tester/1")}
        times = [request.at for request in server.log]
        assert times == sorted(times)


def test_the_design_changes_while_it_runs() -> None:
    with serve_demo(DemoOptions(pages=20)) as server:
        before = get(server.url, "/")[2]
        server.redesign(1)
        after = get(server.url, "/")[2]
    dressed = server.world.page("/", design=1)
    assert dressed is not None
    assert before != after == dressed.html


def test_the_design_changes_after_so_many_requests() -> None:
    with serve_demo(DemoOptions(pages=20)) as server:
        before = get(server.url, "/")[2]
        assert server.redesign(1, after=2) == 3
        assert [get(server.url, "/")[2] == before for _ in range(4)] == [True, True, False, False]


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
            paths = ("/about-1.html", "/nothing", "/feed.xml")
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


def test_a_port_that_is_taken_is_an_error_in_words() -> None:
    with serve_demo(DemoOptions(pages=1)) as server:
        port = urlsplit(server.url).port or 0
        with pytest.raises(OSError, match="in use"), serve_demo(DemoOptions(pages=1, port=port)):
            pass


def test_a_live_list_gets_stories_while_it_is_served() -> None:
    with serve_live(0.1) as server:
        path = urlsplit(server.urls[0]).path
        for _ in range(200):
            _, _, body = get(server.url, path)
            links = re.findall(rb'href="(/news/1[^"]+)"', body.partition(b"<main")[2])
            if b"-100060" in body or links[0].startswith(b"/news/10006"):
                break
        assert get(server.url, links[0].decode())[0] == 200
        assert get(server.url, f"{path}page/2/")[0] == 200
        assert get(server.url, f"{path}page/99/")[0] == 404
        assert get(server.url, "/news/999999-nothing-of-this-kind")[0] == 404
