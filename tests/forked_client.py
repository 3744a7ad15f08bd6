"""Hand a command of a shell to the server of tests/forked.py: the arguments are PLACE, MAIN and its words."""

import json
import os
import signal
import socket
import sys


def main() -> int:
    place, main, *arguments = sys.argv[1:]
    request = {"main": main, "arguments": arguments, "folder": os.getcwd(), "environment": dict(os.environ)}
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(place)
        socket.send_fds(connection, [f"{json.dumps(request)}\n".encode()], (0, 1, 2))
        said = connection.makefile("r")
        process = int(said.readline())
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, frame: os.kill(process, number))
        return int(said.readline() or 137)


if __name__ == "__main__":
    sys.exit(main())
