"""Turn a response into a page: encoding, HTML tree, text blocks, links, images and metadata."""

from scythe.page.page import Page

__all__ = ["Page"]
