"""`BatchOptions`: the checked settings of a batch."""

from __future__ import annotations

from dataclasses import dataclass

from scythe.crawling.crawl_options import require_parts
from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.reading.method_names import check_methods

ENGINES = ("local", "ray")


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """What is extracted, and by which profiles. Rows depend on nothing but these, the profiles and the input."""

    parts: tuple[str, ...] = ("text", "images", "records")  # to extract of each page, of crawling.options.PARTS
    profiles: str | None = None  # folder of profiles by site; None: `run_batch` has one, others read every page cold
    learn: bool = True  # sites that have no profile, before anything is extracted
    learn_from: int = 8  # pages that a site must have to be learned; with fewer, rules say more of pages than of sites
    methods: tuple[str, ...] = ()  # published ones by which pages are read; then nothing is learned
    engine: str = "local"  # or "ray"
    processes: int | None = None  # of the local engine; None: as many as there are cores
    address: str = ""  # of HTML files that do not say where they come from
    page_bytes: int = LIMITS.body_bytes  # of a body; longer ones are left out and counted
    cpu_s: float = 30.0  # that one page may take before it is given up
    memory_bytes: int = 4_000_000_000  # of address space, of one worker

    def __post_init__(self) -> None:
        """Raise BadInput where a value cannot be meant."""
        require_parts(self.parts)
        check_methods(self.methods)
        if self.engine not in ENGINES:
            raise BadInput(f"the engine is {' or '.join(ENGINES)}, not {self.engine!r}")
        if self.learn_from < 3:
            raise BadInput(f"a site is learned from 3 pages or more, not {self.learn_from}")
        if self.processes is not None and self.processes < 1:
            raise BadInput(f"processes must be at least 1, not {self.processes}")
        for name in ("page_bytes", "cpu_s", "memory_bytes"):
            if not 0 < getattr(self, name) < float("inf"):
                raise BadInput(f"{name} must be above 0, not {getattr(self, name)}")
