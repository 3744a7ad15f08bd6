"""Response -> Page: encoding, tree, blocks, links, images, metadata."""

from scythe.page.page import Page

__all__ = ["Page"]
