"""What a process that extracts may use, and how it says what went wrong: seconds and bytes come in, limits are set."""

from __future__ import annotations

import os
import resource
import time


def describe(error: Exception) -> str:
    """Say what went wrong and where in this package, without a word of the page."""
    trace, where = error.__traceback__, ""
    while trace is not None:
        where = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(error).__name__} in {where}"


def allow_cpu(seconds: float) -> None:
    """Let this process use so many seconds more; the system ends it by SIGXCPU when they are used up."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = int(time.process_time() + seconds) + 1  # the limit has whole seconds
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard < 0 else min(soft, hard), hard))


def limit_memory(memory_bytes: int) -> None:
    """Let allocations beyond so many bytes of address space fail, which Python reports as MemoryError."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = memory_bytes if hard < 0 else min(memory_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
