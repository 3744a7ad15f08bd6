"""Every limit in one record, each with its reason; what a limit removes is reported, never dropped silently."""

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):  # of so many fields a dataclass takes 5 ms to make, at each start
    """Bounds on what one page may cost."""

    body_bytes: int = 64_000_000  # the longest page read; docs/why/limits.md has the measurements
    tag_attributes: int = 512  # read of one tag; no tag of 6 360 pages has as many
    tag_bytes: int = 1_000_000  # of a tag that is read without a map; data: URLs reach some 100 KB
    depth: int = 256  # elements open at once, among which a tag may look; the deepest of 3 037 pages has 56
    open_formatting: int = 32  # b, i, font ... open at once; each is built again in every paragraph if left open
    rebuilt_formatting: int = 10_000  # built again so on one page; the most on 6 360 pages is 253
    page_tags: int = 50_000  # elements built of any page; the most on 12 104 pages is 15 797
    page_tag_bytes: int = 100  # and one more for so many bytes of the page: 50 MB of paragraphs have 550 000
    listed_tags: int = 32_000  # elements that lists and attributes are looked for in, of any page
    listed_tag_bytes: int = 320  # and one more for so many bytes of the page
    tag_names: int = 2_000  # different ones on a page that HTML does not know
    copies: int = 50  # noscript elements and templates of one page that are looked into
    template_tags: int = 10_000
    compared_words: int = 200_000  # of a page and its copies; the longest page of the sets has some 150 000
    json_ld_bytes: int = 2_000_000  # the largest block seen in the page sets has 0.4 MB
    json_ld_depth: int = 64  # schema.org data nests about ten deep
    json_ld_objects: int = 5_000  # typed objects looked at on one page
    metas: int = 2_000  # meta tags and microdata properties looked at on one page
    image_pixels: int = 100_000  # the largest declared width or height believed
    url_chars: int = 8_192  # what servers accept at most
    srcset_items: int = 64  # real ones have up to 30
    fetch_s: float = 60.0  # the whole exchange, name look-up to last byte, not per read
    redirects: int = 10
    header_bytes: int = 65_536  # of one response; real ones have a few KB
    header_lines: int = 200
    inflate_ratio: int = 200  # above any honest page: markup packs 4 to 30 times
    codings: int = 2  # layers of Content-Encoding undone
    validator_chars: int = 1_024  # of an ETag or Last-Modified that is sent back; real ones have up to some 100
    cookie_bytes: int = 4_096  # of one Set-Cookie line: what browsers keep
    origin_cookies: int = 32  # kept of one origin
    cookie_origins: int = 1_000
    robots_bytes: int = 512_000  # 500 KiB: what RFC 9309, 2.5 asks to be read at least; more is not
    robots_redirects: int = 5  # RFC 9309, 2.3.1.2
    robots_sitemaps: int = 1_000  # named by one robots.txt; large sites name some hundred
    profile_bytes: int = 32_000_000  # of a profile file; one of a layout with five fields has some 10 KB
    profile_layouts: int = 500  # of one site; sites mix two to ten
    layout_rules: int = 5_000  # selectors and rules of one layout together, fields included; learned ones have some 100
    rule_chars: int = 2_000  # of an opening tag, CSS selector or XPath that somebody wrote
    rule_steps: int = 50  # of one, alternatives and conditions together with those inside them: 200
    pattern_rows: int = 20_000_000  # elements that one such rule may look at on a page
    pattern_bytes: int = 50_000_000  # of the page whose text it may compare
    steps: int = 10_000  # opening tags between an anchor and its target
    list_columns: int = 200
    places: int = 10_000  # of texts inside a record, in one column
    place_chars: int = 1_000
    page_images: int = 10_000  # images of a page that are judged; the most seen on a real one are some 300
    probe_bytes: int = 65_536  # asked of one image for its size, which stands in its first few hundred, mostly
    probed_images: int = 200  # of one page whose sizes are asked for
    probe_s: float = 20.0  # for all images of one page together
    probe_image_s: float = 5.0
    site_signatures: int = 20_000  # kinds of images, and addresses, known of one site
    labelled_pages: int = 2_000  # pages of one site that people marked images on; six are enough for most
    labels: int = 1_000_000  # in one file
    label_bytes: int = 100_000_000  # of one file; a label has some hundred
    annotators: int = 1_000  # people who marked images of one page
    name_chars: int = 200  # of a person
    render_requests: int = 100  # of one page shown in a browser; without pictures, most ask for 5 to 40
    render_bytes: int = 32_000_000  # of all these together, and of scripts and styles kept for the next page
    render_file_bytes: int = 8_000_000  # of one of them
    render_rest_s: float = 5.0  # after a page has loaded, for what its scripts ask for
    render_quiet_s: float = 0.4  # without a request, and the page is taken as it is
    render_heap_mb: int = 512  # of the scripts of one page
    page_links: int = 50_000  # links of one page that are followed; the most on a real one are some 4 000
    page_feeds: int = 20
    sitemap_bytes: int = 52_428_800  # sitemaps.org: 50 MB and 50 000 addresses
    sitemap_urls: int = 50_000
    sitemap_depth: int = 3  # an index of indexes is against the standard and does occur
    site_sitemaps: int = 2_000  # of one site: 10^8 addresses
    feed_bytes: int = 5_000_000  # the parser takes up to 3 s per MB; real ones have up to 2 MB
    broken_feed_bytes: int = 500_000  # of one that is not well-formed XML: the parser takes up to 5 s per MB
    feed_entries: int = 2_000
    path_segments: int = 24  # of an address; real ones have up to 12
    shape_pages: int = 100_000  # addresses that look alike, of one site
    site_addresses: int = 1_000_000
    site_hosts: int = 500  # below the start's host, where subdomains belong to the site
    watched_regions: int = 100  # of one page that are followed; a news front has some 20
    region_keys: int = 1_000  # of records by which one region is known again; lists show 10 to 200 at once
    trace_arrivals: int = 5_000_000  # of one list, in a file; the busiest of 13 news lists has 94 000 a year
    trace_line_chars: int = 1_000
    traces: int = 10_000  # in one folder
    compared_arrivals: int = 20_000  # of a journal that other rules are tried on, which takes some 50 ms
    compared_looks: int = 3_000  # lines of it
    site_parameters: int = 2_000  # names of query parameters judged on one site
    told_texts_chars: int = 50_000  # of one record in a message or a feed, all fields together; the archive has all
    told_addresses: int = 100  # links, and images, of one record there
    hook_records: int = 100  # in one message: what a page brings at a time, mostly
    hook_bytes: int = 1_000_000  # of one message, but one record at least; receivers often take no more
    hook_s: float = 60.0  # for a command or a receiver to be done with one message
    hook_term_s: float = 5.0  # for a command to end once it was told to, before it is made to
    hook_pause_s: float = 3_600.0  # between two tries of a hook that fails, however long it has failed or asks for
    feed_records: int = 100  # in a feed file; readers ask at least daily, and lists bring some ten a day
    searched_chars: int = 200_000  # of one document that a search finds: some 100 printed pages
    searched_words: int = 50_000  # the same in words; PostgreSQL takes 1 MB of them
    searched_bytes: int = 500_000
    runs: int = 8  # crawls and watches that one web page has under way; each is a thread and a process
    request_bytes: int = 16_000_000  # of one request to the web page: a page to read, as JSON
    request_s: float = 60.0  # for the body of one request to come
    request_head_s: float = 10.0  # for its head; browsers send it at once
    web_connections: int = 200  # to the web page at once; a browser opens six
    shown_chars: int = 5_000_000  # of a saved page in a frame; browsers show more only after seconds
    shown_style_chars: int = 2_000_000  # of its style elements together, and of one sheet; real ones have up to 1 MB
    traced_tags: int = 100_000  # of a page that is followed through rules to be looked at: 1.3 s at worst
    traced_bytes: int = 16_000_000
    shown_sheets: int = 20  # style sheets of a page in a frame
    picture_bytes: int = 10_000_000  # of a picture or style sheet in a frame

    def listed_of(self, size: int) -> int:
        """Return in how many elements of such a page lists are looked for."""
        return self.listed_tags + size // self.listed_tag_bytes


LIMITS = Limits()
