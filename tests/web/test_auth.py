"""Who is let in, and by what name: the auth against browsers of others, proxies, and clients that lie."""

import asyncio
import json
import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.web.asking import Answer, ask, bearer, cookie, posting, send
from tests.web.conftest import demo_pages, make_state
from tests.web.serving import serve_in_thread

from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.web import operations, server
from scythe.web.auth import Auth, Guarded, read_host
from scythe.web.operations import Sent, fail, send_document
from scythe.web.server import ServeOptions, Serving


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """One server for all of these: none of them changes anything."""
    with serve_in_thread(make_state(tmp_path_factory.mktemp("auth"), demo_pages(2))) as served:
        yield served


HOSTS = [
    ("127.0.0.1", "127.0.0.1"),
    ("127.0.0.1:8765", "127.0.0.1"),
    ("LocalHost:1", "localhost"),
    ("[::1]", "::1"),
    ("[0:0:0:0:0:0:0:1]:80", "::1"),
    ("box.lan:65535", "box.lan"),
]
NO_HOSTS = [
    "", ":80", "127.0.0.1:", "127.0.0.1:80:80", "127.0.0.1:8o", "127.0.0.1:\u0661", "evil.example@127.0.0.1",
    "127.0.0.1/evil.example", "127.0.0.1?evil.example", "127.0.0.1#evil.example", "127.0.0.1\\evil.example",
    "127.0.0.1 evil.example", "127.0.0.1,evil.example", "127.0.0.1\x00", "::1", "[::1", "[::1]evil.example",
    "[::1%25lo]", "[127.0.0.1]", "[evil.example]", "loc\u0430lhost",
]  # fmt: skip


@pytest.mark.parametrize(("given", "host"), HOSTS)
def test_a_host_is_read_with_and_without_its_port(given: str, host: str) -> None:
    assert read_host(given) == host


@pytest.mark.parametrize("given", NO_HOSTS)
def test_what_is_not_exactly_one_host_is_none(given: str) -> None:
    assert read_host(given) is None


@pytest.mark.parametrize("given", ["localhost.", "127.0.0.1.", "127.1", "0x7f.0.0.1", "2130706433", "0.0.0.0", "[::]"])
def test_other_spellings_of_this_machine_are_not_its_name(given: str) -> None:
    assert not Auth().knows_host(given)


def test_served_to_others_it_answers_to_addresses_and_given_names_only() -> None:
    auth = ServeOptions("0.0.0.0", names=("Box.LAN",)).make_auth()
    assert [auth.knows_host(name) for name in ("box.lan:80", "192.168.7.7:80", "[fe80::1]", "localhost")] == [True] * 4
    assert not auth.knows_host("rebind.evil.example")
    assert not ServeOptions("", names=("",)).make_auth().knows_host("")


def test_auth_without_a_token_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="token"):
        Auth("")


def test_two_hosts_or_none_are_refused(serving: Serving) -> None:
    own = urlsplit(serving.url).netloc
    login = f"Authorization: Bearer {serving.auth.token}\r\nConnection: close\r\n\r\n"
    two = send(serving, f"GET / HTTP/1.1\r\nHost: {own}\r\nHost: evil.example\r\n{login}".encode())
    none = send(serving, f"GET / HTTP/1.0\r\n{login}".encode())
    one = send(serving, f"GET / HTTP/1.0\r\nHost: {own}\r\n{login}".encode())
    assert two.status in (400, 421)
    assert (none.status, one.status) == (421, 200)


@pytest.mark.parametrize("target", ["http://evil.example/", "*", "evil.example:443", "http://127.0.0.1/api/about"])
def test_it_is_no_proxy(serving: Serving, target: str) -> None:
    method = "CONNECT" if target.endswith("443") else "GET"
    assert ask(serving, target, method, headers=bearer(serving.auth)).status in (400, 405)


def test_the_token_is_traded_for_a_cookie_that_scripts_and_other_sites_do_not_get(serving: Serving) -> None:
    answer = ask(serving, f"/rules?site=a%26b&token={serving.auth.token}")
    assert (answer.status, answer.headers["location"]) == (303, "/rules?site=a%26b")
    kept = answer.headers["set-cookie"]
    assert {"httponly", "samesite=strict", "path=/"} <= {part.strip().lower() for part in kept.split(";")}
    assert serving.auth.token not in kept
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-store"


def test_who_is_led_here_by_a_file_or_a_link_is_let_in_by_a_page_of_ours(serving: Serving) -> None:
    led = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    answer = ask(serving, f"/rules?site=%22%3E%3Cb%3E&token={serving.auth.token}", headers=led)
    assert (answer.status, answer.kind) == (200, "text/html")
    assert 'content="0; url=/rules?site=%22%3E%3Cb%3E"' in answer.text
    assert serving.auth.cookie in answer.headers["set-cookie"]
    assert serving.auth.token not in answer.text


@pytest.mark.parametrize(
    "path", ["//evil.example/", "/%2f%2fevil.example", "/%5Cevil.example", "/\\evil.example", "/%0d%0aX-Evil:%201"]
)
def test_letting_in_never_leads_elsewhere(serving: Serving, path: str) -> None:
    answer = ask(serving, f"{path}?token={serving.auth.token}")
    assert answer.status == 303
    assert re.match(r"/(?![/\\])", answer.headers["location"])
    assert "x-evil" not in answer.headers


@pytest.mark.parametrize("method", ["HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "QUERY"])
def test_a_token_in_the_address_opens_nothing_but_a_visit(serving: Serving, method: str) -> None:
    assert ask(serving, f"/?token={serving.auth.token}", method).status == 401


def test_almost_a_token_is_none(serving: Serving) -> None:
    auth = serving.auth
    wrong = [
        auth.token[:-1],
        auth.token + "x",
        auth.token.swapcase(),
        auth.pass_value,
        auth.word,
        "",
        " ",
        "\xe9",
        "\0",
    ]
    for token in wrong[:-1]:
        assert ask(serving, "/api/about", headers={"Authorization": f"Bearer {token}"}).status == 401
        assert ask(serving, "/api/about", headers={"Cookie": f"{auth.cookie}={token}"}).status == (
            200 if token == auth.pass_value else 401
        )
    assert ask(serving, "/api/about", headers={"Authorization": f"Basic {auth.token}"}).status == 401
    assert ask(serving, "/api/about?token=%00%ff").status == 401


def _consent(serving: Serving, headers: dict[str, str]) -> Answer:
    return ask(serving, "/api/consent", "POST", headers=headers, body=b'{"site":"profile","is_given":true}')


def test_a_change_comes_from_a_page_of_ours_or_with_the_token(serving: Serving) -> None:
    own = f"http://{urlsplit(serving.url).netloc}"
    assert _consent(serving, {**posting(serving.auth), "Origin": own}).status == 200
    kind = {"Content-Type": "application/json; charset=utf-8"}
    assert _consent(serving, {**bearer(serving.auth), **kind}).status == 200


def test_others_may_link_to_a_page_but_not_load_from_it(serving: Serving) -> None:
    login = cookie(serving.auth)
    site = {"Sec-Fetch-Site": "same-site"}
    visit = {**login, **site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    framed = {**login, **site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
    loaded = {**login, **site, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
    asked = [ask(serving, "/", headers=headers).status for headers in (visit, framed, loaded)]
    assert asked == [200, 403, 403]


def test_large_and_broken_requests_get_clean_refusals(serving: Serving) -> None:
    login = bearer(serving.auth)
    assert ask(serving, "/", headers={**login, "X-Long": "x" * 100_000}).status == 431
    assert ask(serving, "/" + "x" * 30_000, headers=login).status == 404
    assert ask(serving, f"/frame/{10**30}", headers=login).status == 422


def test_more_than_a_request_may_have_is_not_read(serving: Serving) -> None:
    own = urlsplit(serving.url).netloc
    head = f"POST /api/consent HTTP/1.1\r\nHost: {own}\r\nAuthorization: Bearer {serving.auth.token}\r\n"
    chunk = b"F4240\r\n" + b" " * 1_000_000 + b"\r\n"
    answer = send(
        serving, f"{head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n".encode() + chunk * 17
    )
    assert answer.status == 413


def test_a_body_that_does_not_come_is_not_waited_for(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operations, "LIMITS", operations.LIMITS._replace(request_s=0.1))
    own = urlsplit(serving.url).netloc
    head = f"POST /api/consent HTTP/1.1\r\nHost: {own}\r\nAuthorization: Bearer {serving.auth.token}\r\n"
    answer = send(serving, f"{head}Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{{".encode())
    assert answer.status == 408


STALLED = {
    "nothing at all": b"",
    "half a line": b"GET / HT",
    "headers without an end": b"GET / HTTP/1.1\r\nHost: x\r\nX-One: 1\r\n",
    "a head after an answer": b"GET /api/about HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /api",
    "a body after an answer": b"POST /api/consent HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\n\r\n{",
}


@pytest.mark.parametrize("begun", STALLED.values(), ids=STALLED)
def test_a_head_that_does_not_come_is_not_waited_for(
    serving: Serving, monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    monkeypatch.setattr(server, "LIMITS", LIMITS._replace(request_head_s=0.1))
    with _connect(serving) as stalled:
        stalled.sendall(begun)
        assert _is_ended(stalled)


def test_unfinished_heads_make_room_for_whole_requests(serving: Serving, capfd: pytest.CaptureFixture[str]) -> None:
    with ExitStack() as crowd:
        stalled = [crowd.enter_context(_connect(serving)) for _ in range(LIMITS.web_connections + 100)]
        for number, one in enumerate(stalled):
            with suppress(ConnectionError):  # it was made to leave already
                one.sendall(list(STALLED.values())[number % 3])
        assert ask(serving, "/api/about", headers=bearer(serving.auth)).status == 200
        assert all(_is_ended(one) for one in stalled[:100])
    assert capfd.readouterr().err == ""


def _connect(serving: Serving) -> socket.socket:
    parts = urlsplit(serving.url)
    return socket.create_connection((parts.hostname, parts.port), timeout=20)


def _is_ended(connection: socket.socket) -> bool:
    """Read until the other side ends it; a timeout raises."""
    with suppress(ConnectionResetError):
        while connection.recv(65_536):
            pass
    return True


TRAVERSALS = [
    "/static/../app.py",
    "/static/%2e%2e/app.py",
    "/static/..%2fapp.py",
    "/static/%252e%252e/app.py",
    "/static/..%5capp.py",
    "/static/....//app.py",
    "/static//etc/passwd",
    "/static/%2fetc%2fpasswd",
    "/static/x/../../auth.py",
    "/static/scythe.js/../../auth.py",
    "/static/scythe.js%00.css",
    "/static/%00",
    "/static/" + "a" * 5_000,
    "/static/",
    "/static",
    "/static/.",
]


@pytest.mark.parametrize("path", TRAVERSALS)
def test_static_files_are_those_of_their_folder_ghsa_9jj8_v89v_xjvw(serving: Serving, path: str) -> None:
    answer = ask(serving, path, headers=bearer(serving.auth))
    assert answer.status == 404
    assert b"import annotations" not in answer.body
    assert b"root:" not in answer.body


def test_an_answer_does_not_repeat_the_path(serving: Serving) -> None:
    answer = ask(serving, "/%3Cscript%3Ealert(1)%3C/script%3E", headers={**bearer(serving.auth), "Accept": "text/html"})
    assert (answer.status, b"alert(1)" in answer.body) == (404, False)


@pytest.mark.parametrize(
    "name", ['a".html', "a\r\nX-Evil: 1", "../../etc/passwd", "C:\\x.exe", "\u4e66.csv", "", "...", "x" * 999, "\ud800"]
)
def test_a_file_name_stays_a_name_ghsa_mh42_m7cg_49fr(name: str) -> None:
    said = send_document(Sent(b"", "text/csv", "sandbox", name)).headers.get("content-disposition", "")
    assert re.fullmatch(r"""(attachment; filename="[^"\\/\r\n]{1,130}"; filename\*=UTF-8''[\w.%~-]{1,1200})?""", said)
    assert "\r" not in said


@pytest.mark.parametrize("kind", ["text/html", "image/svg+xml", "application/xhtml+xml; charset=utf-8", "TEXT/XML"])
def test_markup_of_others_is_never_sent_without_a_sandbox_ghsa_cgj8_g98g_4p9x(kind: str) -> None:
    with pytest.raises(ValueError, match="sandbox"):
        send_document(Sent(b"<script>", kind, "default-src 'none'"))


def test_other_protocols_are_refused() -> None:
    sent: list[Any] = []

    async def send_on(message: Any) -> None:
        sent.append(message)

    async def never(*given: Any) -> None:
        raise AssertionError("the application was asked")

    asyncio.run(Guarded(never, Auth())({"type": "websocket"}, never, send_on))
    assert sent == [{"type": "websocket.close", "code": 1008}]


def test_a_server_that_begins_and_ends_tells_the_application() -> None:
    asked: list[str] = []

    async def take(scope: Any, receive: Any, send: Any) -> None:
        asked.append(scope["type"])

    async def never(*given: Any) -> Any:
        raise AssertionError("nothing is to be said")

    asyncio.run(Guarded(take, Auth())({"type": "lifespan"}, never, never))
    assert asked == ["lifespan"]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (PermissionError(13, "Permission denied", "/srv/ann/private.json"), "Permission denied"),
        (OSError("/srv/ann/private.json"), "OSError"),
        (BadInput("name a page"), "name a page"),
    ],
)
def test_an_error_of_the_system_is_told_without_paths(error: Exception, said: str) -> None:
    answer = fail(error)
    assert json.loads(bytes(answer.body)) == {"error": said}


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with (
            pytest.raises(BadInput, match=rf"cannot listen on 127\.0\.0\.1:{port}: "),
            serve_in_thread(make_state(tmp_path, []), ServeOptions(port=port)),
        ):
            raise AssertionError("it was served")
