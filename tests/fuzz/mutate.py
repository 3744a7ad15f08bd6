"""What damages inputs: a seed number and good inputs come in, damaged ones go out, some hundred thousand a second."""

from collections.abc import Callable, Sequence
from random import Random

from tests.fuzz.registry import Target
from tests.fuzz.shapes import SHAPES

_POOL = 256  # damaged inputs that are damaged further
_FROM_POOL = 0.35
_BYTES = (b"\x00", b"\xff", b"\x7f", b"\x80", b"\n", b"\r\n", b" ", b'"', b"'", b"<", b">", b"&", b"\\", b"%", b"\x1b")
_NUMBERS = tuple(
    str(number).encode()
    for number in (0, 1, -1, 127, 255, 256, 65_535, 65_536, 2**31 - 1, 2**31, 2**32, 2**53, 2**63, 2**64, 10**30, 1e308)
)
_WIDE = ("\u2028", "\u00e9", "\u4e2d", "\U0001f600", "\ud800", "\u202e", "\u0130", "\uff0e", "\ufeff", "\u0301" * 40)
_ODD = (
    *_BYTES,
    *_NUMBERS,
    *(char.encode("utf-8", "surrogatepass") for char in _WIDE),
    b"\xc0\x80",
    b"\xf4\x90\x80\x80",
)

Change = Callable[[Random, bytearray, "Mutator"], None]


class Mutator:
    """Damages the seeds of one target. The same number gives the same inputs."""

    def __init__(self, target: Target, number: int) -> None:
        self.random = Random(f"{target.name} {number}")
        self.seeds: Sequence[bytes] = [seed[: target.most_bytes] for seed in target.seeds()]
        self.tokens = target.tokens or _BYTES
        self.shape = SHAPES.get(target.shape)
        self._most = target.most_bytes
        self._pool: list[bytes] = []

    def make(self) -> bytes:
        """Return the next input."""
        random = self.random
        from_pool = self._pool and random.random() < _FROM_POOL
        data = random.choice(self._pool) if from_pool else random.choice(self.seeds)
        if self.shape is not None and random.random() < 0.7:
            data = self.shape(random, data, self.seeds)
        if self.shape is None or random.random() < 0.5:
            data = self.damage(data)
        data = data[: self._most]
        if len(self._pool) < _POOL:
            self._pool.append(data)
        elif random.random() < 0.1:
            self._pool[random.randrange(_POOL)] = data
        return data

    def damage(self, data: bytes) -> bytes:
        """Return an input with some places of it changed, whatever they mean."""
        random, body = self.random, bytearray(data)
        for _ in range(random.choice((1, 1, 1, 2, 2, 3, 5, 8))):
            random.choice(_CHANGES)(random, body, self)
        return bytes(body)

    def token(self) -> bytes:
        """Return something that such inputs are made of, or that nothing should be made of."""
        return self.random.choice(self.tokens if self.random.random() < 0.6 else _ODD)


def _place(random: Random, body: bytearray) -> int:
    return int(random.random() * len(body))


def _flip(random: Random, body: bytearray, _: Mutator) -> None:
    if body:
        body[_place(random, body)] ^= 1 << random.randrange(8)


def _set(random: Random, body: bytearray, _: Mutator) -> None:
    if body:
        body[_place(random, body)] = random.randrange(256)


def _insert_token(random: Random, body: bytearray, mutator: Mutator) -> None:
    at = _place(random, body)
    body[at:at] = mutator.token()


def _write_token(random: Random, body: bytearray, mutator: Mutator) -> None:
    at, token = _place(random, body), mutator.token()
    body[at : at + len(token)] = token


def _insert_noise(random: Random, body: bytearray, _: Mutator) -> None:
    at = _place(random, body)
    body[at:at] = random.randbytes(random.choice((1, 2, 4, 9, 60)))


def _delete(random: Random, body: bytearray, _: Mutator) -> None:
    at = _place(random, body)
    del body[at : at + random.choice((1, 2, 5, 20, 200))]


def _repeat(random: Random, body: bytearray, _: Mutator) -> None:
    at = _place(random, body)
    part = body[at : at + random.choice((1, 4, 12, 50))]
    body[at:at] = part * random.choice((1, 2, 3, 9, 60))


def _move(random: Random, body: bytearray, _: Mutator) -> None:
    at = _place(random, body)
    part = body[at : at + random.choice((1, 8, 60))]
    del body[at : at + len(part)]
    to = _place(random, body)
    body[to:to] = part


def _truncate(random: Random, body: bytearray, _: Mutator) -> None:
    del body[_place(random, body) :]


def _behead(random: Random, body: bytearray, _: Mutator) -> None:
    del body[: _place(random, body)]


def _splice(random: Random, body: bytearray, mutator: Mutator) -> None:
    other = random.choice(mutator.seeds)
    start = int(random.random() * len(other))
    at = _place(random, body)
    body[at : at + random.choice((0, 0, 10, 100))] = other[start : start + random.choice((5, 40, 400, 4_000))]


_CHANGES: tuple[Change, ...] = (
    *(_flip, _set, _insert_token, _insert_token, _write_token, _insert_noise, _delete, _repeat, _move, _splice),
    *(_truncate, _behead),
)
