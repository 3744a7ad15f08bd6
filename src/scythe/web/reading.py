"""Read and extract pages: the operations of the JSON interface that need nothing but a page."""

from __future__ import annotations
