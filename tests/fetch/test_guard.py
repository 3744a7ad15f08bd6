import asyncio
import socket
import threading

import pytest
from aiohttp.abc import ResolveResult

from scythe.fetch.guard import (
    GuardedResolver,
    LookUp,
    Refused,
    look_up,
    open_guarded_socket,
    why_closed,
    why_closed_name,
)

CLOSED = """
0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.1.2.3 127.255.255.255
168.63.129.16 169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8 192.0.0.192 192.0.2.1 192.88.99.1
192.168.0.1 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.250 240.0.0.1
255.255.255.255
:: ::1 ::a9fe:a9fe ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:169.254.169.254 ::ffff:10.0.0.1 ::ffff:0:7f00:1
64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b::a00:1 64:ff9b:1::a9fe:a9fe 100::1 2001::1 2001:0:a9fe:a9fe::1 2001:db8::1
2002:7f00:1:: 2002:a9fe:a9fe:: 2002:808:808:: 3fff::1 5f00::1 fc00::1 fd00:ec2::254 fd12:3456::1 fe80::1 fe80::1%eth0
fec0::1 ff02::1 fe80::5efe:7f00:1 2606:4700::5efe:7f00:1 2a00:1450::200:5efe:a9fe:a9fe 2606:4700::5efe:c0a8:101
fd20:ce::254 fd00:42::42 fe80::a9fe:a9fe 169.254.170.2 169.254.42.42 64:ff9b:1:ffff::1 ::ffff:192.168.1.1 4000::1
"""
OPEN = """
1.1.1.1 8.8.8.8 100.63.255.255 100.128.0.0 172.15.0.1 172.32.0.1 193.0.0.1 223.255.255.255
2606:4700::1111 2a00:1450:4001::200e 2001:4860:4860::8888 ::ffff:8.8.8.8 64:ff9b::808:808 2606:4700::5efe:808:808
"""
OWN_NAMES = """
localhost LOCALHOST localhost. a.localhost localhost.localdomain printer.local metadata.google.internal instance-data
metadata router.lan nas.home.arpa HOME.arpa. intranet wiki.corp x.onion a.b.internal. kubernetes metadata.
"""
OTHER_NAMES = """
example.org example.org. localhost.example.org local.example internal.example.com arpa.example 2130706433 0x7f000001 0
127.0.0.1 127.1 home.example.arpa
"""
NO_NUMBERS = [
    "", "localhost", "127.1", "0x7f000001", "2130706433", "1.2.3.4.5", "127.0.0.1\x00", "0127.0.0.1", "١.1.1.1",
]  # fmt: skip


@pytest.mark.parametrize("address", CLOSED.split())
def test_an_address_off_the_public_internet_is_closed(address: str) -> None:
    assert why_closed(address)


@pytest.mark.parametrize("address", OPEN.split())
def test_a_public_address_is_open(address: str) -> None:
    assert why_closed(address) is None


@pytest.mark.parametrize("address", NO_NUMBERS)
def test_what_is_no_ip_number_is_closed(address: str) -> None:
    assert why_closed(address) == "not an IP address"


@pytest.mark.parametrize("name", OWN_NAMES.split())
def test_a_name_of_the_own_network_is_not_even_looked_up(name: str) -> None:
    async def never(host: str, port: int) -> list[ResolveResult]:
        raise AssertionError(host)

    assert why_closed_name(name)
    with pytest.raises(Refused, match="not on the public internet"):
        asyncio.run(GuardedResolver(look_up=never).resolve(name, 80))


@pytest.mark.parametrize("name", OTHER_NAMES.split())
def test_other_names_and_numbers_are_looked_up(name: str) -> None:
    assert why_closed_name(name) is None


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_no_socket_is_made_for_a_closed_address(address: str) -> None:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with pytest.raises(Refused):
        open_guarded_socket((family, socket.SOCK_STREAM, 6, "", (address, 80)))


def test_a_socket_is_made_for_an_open_address() -> None:
    made = open_guarded_socket((socket.AF_INET, socket.SOCK_STREAM, 6, "", ("1.1.1.1", 80)))
    assert made.type == socket.SOCK_STREAM
    made.close()


def _rows(*addresses: str) -> list[ResolveResult]:
    return [ResolveResult(hostname="h", host=a, port=80, family=2, proto=6, flags=0) for a in addresses]


def test_an_opened_guard_passes_all_rows_on() -> None:
    async def look_up_one(host: str, port: int) -> list[ResolveResult]:
        return _rows("10.0.0.1")

    rows = asyncio.run(GuardedResolver(allow_private=True, look_up=look_up_one).resolve("example.org", 80))
    assert [row["host"] for row in rows] == ["10.0.0.1"]


def test_public_rows_pass_a_closed_guard() -> None:
    async def look_up_two(host: str, port: int) -> list[ResolveResult]:
        return _rows("8.8.8.8", "1.1.1.1")

    assert len(asyncio.run(GuardedResolver(look_up=look_up_two).resolve("example.org", 80))) == 2


def test_a_name_that_cannot_be_resolved_is_an_os_error() -> None:
    with pytest.raises(OSError, match="host name"):
        asyncio.run(look_up("x" * 300, 80))


def test_a_name_that_nobody_knows_is_an_os_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(OSError, match="not known"):
        asyncio.run(look_up("nobody.example", 80))


def test_an_answer_that_comes_after_the_deadline_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, answer = threading.Event(), threading.Event()

    def slow(*_: object, **__: object) -> list[object]:
        asked.set()
        answer.wait(10)
        return []

    async def give_up(then: threading.Event | None) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await look_up("slow.example", 80)
        if then is not None:
            then.set()
            while any(thread.name == "scythe-look-up" for thread in threading.enumerate()):
                await asyncio.sleep(0.001)
            await asyncio.sleep(0)

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    asyncio.run(give_up(answer))  # the answer comes while the loop still runs
    answer.clear()
    asyncio.run(give_up(None))
    answer.set()  # the answer comes when the loop is gone
    for thread in threading.enumerate():
        if thread.name == "scythe-look-up":
            thread.join(10)


def test_closing_the_resolver_holds_nothing_up() -> None:
    threads = threading.active_count()
    assert asyncio.run(asyncio.wait_for(GuardedResolver().close(), 1)) is None
    assert threading.active_count() == threads


async def _nobody(host: str, port: int) -> list[ResolveResult]:
    raise OSError("no such name")


async def _inside(host: str, port: int) -> list[ResolveResult]:
    return _rows("10.0.0.1")


async def _outside(host: str, port: int) -> list[ResolveResult]:
    return _rows("8.8.8.8")


@pytest.mark.parametrize(
    "host", ["::1", "fd00::1", "localhost", "wiki.corp", "0x7f.1", "127.0.0.1", "2130706433", "1.2.3."]
)
def test_a_proxy_is_not_asked_for_the_inside(host: str) -> None:
    for find in (look_up if host != "1.2.3." else _nobody, _inside):
        with pytest.raises(Refused):
            asyncio.run(GuardedResolver(look_up=find).judge_behind_proxy(host, 80))


@pytest.mark.parametrize("find", [_nobody, _outside])
def test_a_proxy_is_asked_for_names_that_only_it_may_know(find: LookUp) -> None:
    assert asyncio.run(GuardedResolver(look_up=find).judge_behind_proxy("example.org", 80)) is None


@pytest.mark.parametrize("host", ["2606:4700::1111", "8.8.8.8"])
def test_a_proxy_is_asked_for_public_numbers(host: str) -> None:
    assert asyncio.run(GuardedResolver(look_up=_outside).judge_behind_proxy(host, 80)) is None


def test_an_opened_guard_lets_a_proxy_reach_everything() -> None:
    assert asyncio.run(GuardedResolver(allow_private=True, look_up=_inside).judge_behind_proxy("::1", 80)) is None
