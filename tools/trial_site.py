"""The site that crawlers are tried on: `python -m tools.trial_site [--pages N] [--bytes B] [--ledger FILE]`.

Everything of it is in `bench.trial_pages` and `bench.trial_site`, because `python -m bench crawl` needs it.
"""

from __future__ import annotations

from bench.trial_pages import START, TrialPage, build_pages, load_pages, spell
from bench.trial_site import Answers, Talk, letters, main, write_response

__all__ = ["START", "Answers", "Talk", "TrialPage", "build_pages", "letters", "load_pages", "spell", "write_response"]

if __name__ == "__main__":
    main()
