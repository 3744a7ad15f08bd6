"""A trap on this machine: sockets that listen where nothing may ever connect, and odd ways to write where they are."""

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import product

FULL_WIDTH = str.maketrans("0123456789.", "０１２３４５６７８９。")
ADDRESSES = ("127.0.0.1", "127.9.8.7", "::1")
PORTS = (80, 443, 8000, 8080)  # as far as they are free; addresses without a port lead to the first two


@dataclass
class Trap:
    """Listening sockets; the system completes connections to them whether or not anybody accepts."""

    sockets: list[socket.socket] = field(default_factory=list)
    port: int = 0

    def caught(self) -> int:
        """Count the connections that came since the last time."""
        count = 0
        for one in self.sockets:
            try:
                while True:
                    one.accept()[0].close()
                    count += 1
            except BlockingIOError:
                continue
        return count


@contextmanager
def set_trap(port: int = 0) -> Iterator[Trap]:
    """Listen on every address of `ADDRESSES`: on one port (0: a free one), and on those of `PORTS` that are free."""
    trap = Trap(port=port)
    try:
        if not port:
            with closing(_listen("127.0.0.1", 0)) as chosen:
                trap.port = chosen.getsockname()[1]
        for address, where in product(ADDRESSES, (trap.port, *PORTS)):
            try:
                trap.sockets.append(_listen(address, where))
            except OSError:  # another has it, or it takes rights we do not have, or there is no IPv6
                assert where != trap.port or ":" in address, "the port of the trap must be free"
        yield trap
    finally:
        for one in trap.sockets:
            one.close()


def _listen(address: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen(128)
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener


def spell(a: int, b: int, c: int, d: int) -> set[str]:
    """Write one IPv4 address in every way some client has been known to accept."""
    number = a << 24 | b << 16 | c << 8 | d
    forms = {str(number), hex(number), f"0{number:o}", f"0x{number:08X}", f"{number + 2**32}"}
    digits = (str, hex, lambda n: f"0{n:o}", lambda n: f"{n:03d}")
    forms |= {f"{w(a)}.{x(b)}.{y(c)}.{z(d)}" for w, x, y, z in product(digits, repeat=4)}
    forms |= {f"{a}.{b << 16 | c << 8 | d}", f"{a}.{b}.{c << 8 | d}", f"{a}.{b}.{c}.{d}.", f"{a}.{b}.{c}.{d}%00"}
    forms |= {f"{a}.{b}.{c}.{d}".translate(FULL_WIDTH), f"{number}".translate(FULL_WIDTH)}
    forms |= {"".join(f"%{ord(letter):02x}" for letter in f"{a}.{b}.{c}.{d}"), f"{a}．{b}．{c}．{d}"}
    words = f"{a << 8 | b:x}:{c << 8 | d:x}"
    forms |= {f"[::ffff:{words}]", f"[::ffff:{a}.{b}.{c}.{d}]", f"[::{words}]", f"[64:ff9b::{words}]"}
    forms |= {f"[64:ff9b:1::{words}]", f"[2002:{words}::]", f"[2001:0:{words}::1]", f"[::ffff:0:{words}]"}
    forms |= {f"[fe80::5efe:{words}]", f"[2606:4700::5efe:{words}]", f"[::{a}.{b}.{c}.{d}]", f"[::FFFF:{words}%25lo]"}
    return forms


NAMES = {"localhost", "LOCALHOST", "localhost.", "a.localhost", "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "0", "0.0.0.0"}
NAMES |= {
    "[::1%25lo]", "[fe80::1%25lo]", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "ｌｏｃａｌｈｏｓｔ", "localhost。", "loc\u00adalhost", "[0000::0001]",
}  # fmt: skip
METADATA = {
    "169.254.169.254", "metadata.google.internal", "metadata", "instance-data", "100.100.100.200", "192.0.0.192",
}  # fmt: skip
METADATA |= {"[fd00:ec2::254]", "[fd20:ce::254]", "[fe80::a9fe:a9fe]", "168.63.129.16", "169.254.170.2", "2852039166"}
SPELLINGS = sorted(NAMES | METADATA | spell(127, 0, 0, 1) | spell(127, 9, 8, 7))


def disguises(port: int) -> list[str]:
    """Return whole addresses that lead inside when they are read by somebody else."""
    inside = f"127.0.0.1:{port}"
    return [
        *(f"http://{spelling}:{port}/" for spelling in SPELLINGS),
        *(f"http://{spelling}/" for spelling in sorted(NAMES)),
        f"http://public.example@{inside}/",
        f"http://{inside}\\@public.example/",
        f"http://{inside}#@public.example/",
        f"http://{inside}?@public.example/",
        f"http://public.example\\@{inside}/",
        f"http://public.example#@{inside}/",
        f"http://user:password@{inside}/",
        f"http:\\\\{inside}/",
        f"http:///{inside}/",
        f"http:{inside}/",
        f"//{inside}/",
        f"HTTP://{inside}/",
        f" http://{inside}/ ",
        f"http://\t{inside}/",
        f"ht\ntp://{inside}/",
        f"https://{inside}/",
        f"http://{inside}",
        f"http://127.0.0.1:0{port}/",
        f"file://127.0.0.1:{port}/",
        f"ftp://{inside}/",
        f"gopher://{inside}/_GET",
        f"ws://{inside}/",
        f"unix://{inside}/",
        f"view-source:http://{inside}/",
        f"jar:http://{inside}!/",
    ]
