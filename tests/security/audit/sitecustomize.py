"""Python loads this at its start where this folder is on its path: what the process does is written down.

Nothing is kept from happening. `SCYTHE_AUDIT` names the file, one JSON list per event: its name and what it is about.
Of code that is run only that is noted which says `MARK`: what pages say must not turn up there.
"""

import json
import os
import sys

MARK = "scytheCanary"
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_NOTED = frozenset(
    """
    ctypes.dlopen ftplib.connect imaplib.open nntplib.connect os.chmod os.chown os.exec os.fork os.link os.mkdir
    os.posix_spawn os.putenv os.remove os.rename os.rmdir os.symlink os.system os.truncate pickle.find_class
    poplib.connect pty.spawn shutil.copyfile shutil.move shutil.rmtree smtplib.connect socket.bind socket.connect
    socket.getaddrinfo socket.sendto sqlite3.connect sqlite3.load_extension subprocess.Popen telnetlib.Telnet.open
    urllib.Request webbrowser.open
    """.split()
)


def _describe(event, arguments):
    """Return what is to be noted of an event, None where it is nothing."""
    if event in _NOTED:
        return [repr(each)[:300] if not isinstance(each, (str, int)) else each for each in arguments]
    if event == "open":
        path, _, flags = arguments
        is_written = isinstance(path, (str, bytes)) and bool((flags or 0) & _WRITES)
        return [os.fsdecode(path)] if is_written else None
    if event == "exec" and MARK in _words(arguments[0]):
        return [arguments[0].co_filename]
    if event == "compile" and MARK in str(arguments[0]):
        return [str(arguments[1])]
    return None


def _words(code):
    """Return all that a piece of code names and says."""
    return " ".join([*map(str, code.co_names), *map(str, code.co_consts), *map(str, code.co_varnames)])


def _begin(path):
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def note(event, arguments):
        noted = _describe(event, arguments)
        if noted is not None:
            os.write(log, json.dumps([os.getpid(), event, noted], default=repr).encode() + b"\n")

    sys.addaudithook(note)


if os.environ.get("SCYTHE_AUDIT"):
    _begin(os.environ["SCYTHE_AUDIT"])
