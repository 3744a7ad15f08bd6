"""Start, pause and follow crawls and watches."""

from __future__ import annotations
