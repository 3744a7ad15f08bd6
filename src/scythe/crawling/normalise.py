"""Where addresses were written in one way before that moved to `page`."""

from __future__ import annotations

from scythe.page.normalise import normalise as normalise
