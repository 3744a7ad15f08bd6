import asyncio

from scythe.fetch.fetcher import Turns


async def is_free(turns: Turns, host: str) -> bool:
    try:
        async with asyncio.timeout(0.02):
            await turns.take(host)
    except TimeoutError:
        return False
    return True


def test_a_host_has_its_places_and_all_hosts_share_theirs() -> None:
    async def work() -> list[bool]:
        turns = Turns(places=3, per_host=2)
        taken = [await is_free(turns, host) for host in ("a", "a", "a", "b", "c")]
        turns.leave("a")
        return [*taken, await is_free(turns, "c"), await is_free(turns, "a")]

    assert asyncio.run(work()) == [True, True, False, True, False, True, False]


def test_who_stops_waiting_holds_no_place_anywhere() -> None:
    async def work() -> tuple[list[bool], int]:
        turns = Turns(places=1, per_host=1)
        await turns.take("a")
        waited = [await is_free(turns, "b"), await is_free(turns, "a")]  # at the common door, and at that of the host
        turns.leave("a")
        free = [await is_free(turns, "b")]
        turns.leave("b")
        return waited + free, len(turns._hosts)

    assert asyncio.run(work()) == ([False, False, True], 0)
