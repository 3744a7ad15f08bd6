"""Harvest web sites: read first pages with the tree, learn them, then cut the same things out of raw bytes."""

import scythe.read  # noqa: F401  (the stage first: importing it later would replace the function of the same name)
from scythe.errors import BadInput, FetchFailed, MissingExtra, ScytheError
from scythe.model import Document, Field, Image, Link, Loss, Metadata, TextOptions
from scythe.page import Page
from scythe.reader import read

__all__ = [
    "BadInput",
    "Document",
    "FetchFailed",
    "Field",
    "Image",
    "Link",
    "Loss",
    "Metadata",
    "MissingExtra",
    "Page",
    "ScytheError",
    "TextOptions",
    "read",
]
