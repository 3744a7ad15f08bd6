"""What to serve of the demo site and how, as a record and as a command line."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, fields
from ipaddress import ip_address
from typing import Any

from scythe.errors import BadInput


def _option(default: Any, text: str) -> Any:
    return field(default=default, metadata={"help": text})


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """What to serve and how; the defaults are a plain site of which every page answers at once."""

    seed: int = _option(1, "another seed makes another site")
    pages: int = _option(200, "content pages; lists come on top")
    design: int = _option(0, "0 or 1")
    redesign_after: int | None = _option(None, "requests after which the other design is served")
    latency_s: float = _option(0.0, "wait before every answer")
    crawl_delay_s: float | None = _option(None, "what robots.txt asks for")
    weight_bytes: int = _option(0, "make pages at least so long")
    corners: tuple[str, ...] = _option((), "odd corners to add, names with commas between, or: all")
    slow_s: float = _option(2.0, "what the slow corner waits")
    address: str = _option("127.0.0.1", "of this machine: 127.0.0.0/8 or ::1")
    port: int = _option(0, "0: any that is free")

    def __post_init__(self) -> None:
        """Raise BadInput where something is asked for that cannot be served."""
        try:
            is_own = ip_address(self.address).is_loopback
        except ValueError:
            is_own = False
        if not is_own:
            raise BadInput(f"the demo site is served on loopback only, not on {self.address}")
        if self.pages < 1:
            raise BadInput(f"pages must be at least 1, not {self.pages}")
        if self.design not in (0, 1):
            raise BadInput(f"design must be 0 or 1, not {self.design}")


def write_arguments(options: ServeOptions) -> Iterator[str]:
    """Say options on a command line."""
    for name, value in asdict(options).items():
        if value is not None:
            yield f"--{name.replace('_', '-')}={','.join(value) if isinstance(value, tuple) else value}"


def read_arguments(arguments: list[str]) -> tuple[ServeOptions, argparse.Namespace]:
    """Read options from a command line; what is only for the process is in the namespace."""
    parser = argparse.ArgumentParser(prog="python -m scythe.demo.serve", description="Serve the demo site on loopback.")
    parser.add_argument("--log", help="write every request to this file, a JSON object per line")
    parser.add_argument("--eager", action="store_true", help="write all pages before the first request")
    parser.add_argument("--heed", action="store_true", help="obey lines of standard input (design N), end with it")
    readers: dict[str, Callable[[str], object]] = {"redesign_after": int, "crawl_delay_s": float, "corners": _split}
    known = fields(ServeOptions)
    for option in known:
        parser.add_argument(
            f"--{option.name.replace('_', '-')}",
            type=readers.get(option.name, type(option.default)),
            default=option.default,
            help=option.metadata["help"],
        )
    said = parser.parse_args(arguments)
    return ServeOptions(**{option.name: getattr(said, option.name) for option in known}), said


def _split(text: str) -> tuple[str, ...]:
    return tuple(name for name in text.split(",") if name)
