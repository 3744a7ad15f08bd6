"""Whose turn it is: a host comes in, a place at it (and one of all places) is held until it is given back."""

from __future__ import annotations

import asyncio


class Turns:
    """So many requests under way in all, and so many at one host; who waits at one host holds up no other."""

    def __init__(self, places: int, per_host: int) -> None:
        self._all = asyncio.Semaphore(places)
        self._per_host = per_host
        self._hosts: dict[str, tuple[asyncio.Semaphore, int]] = {}  # users, waiting ones included

    async def take(self, host: str) -> None:
        """Wait for a place at `host`; give it back with `leave`."""
        turn, users = self._hosts.get(host) or (asyncio.Semaphore(self._per_host), 0)
        self._hosts[host] = (turn, users + 1)
        try:
            await turn.acquire()
            try:
                await self._all.acquire()
            except BaseException:
                turn.release()
                raise
        except BaseException:  # only cancellation comes here: the place was never taken
            self._forget(host)
            raise

    def leave(self, host: str) -> None:
        """Give a place back."""
        self._all.release()
        self._hosts[host][0].release()
        self._forget(host)

    def _forget(self, host: str) -> None:
        """Count one user less: the table only knows hosts that somebody holds or waits for."""
        turn, users = self._hosts[host]
        if users > 1:
            self._hosts[host] = (turn, users - 1)
        else:
            del self._hosts[host]
