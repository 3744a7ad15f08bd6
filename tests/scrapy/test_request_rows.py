from typing import Any

import pytest
from scrapy import FormRequest, Request, Spider
from scrapy.http import JsonRequest, Response, XmlRpcRequest

from scythe.scrapy.request_store import dump_request, load_request


class Shop(Spider):
    """A spider with callbacks of all kinds."""

    name = "shop"

    def parse(self, response: Response, **more: Any) -> None:
        return None

    def note(self, failure: Any) -> None:
        return None

    def __hidden(self, response: Response) -> None:
        return None

    def hidden_request(self) -> Request:
        return Request("http://a.example/", self.__hidden)


SHOP = Shop()


def again(request: Request) -> Request:
    return load_request(dump_request(request, SHOP), SHOP)


def values(request: Request) -> dict[str, object]:
    return request.to_dict(spider=SHOP)


@pytest.mark.parametrize(
    "request_",
    [
        Request("http://a.example/?q=%C3%A9#part"),
        Request("http://a.example/", SHOP.parse, errback=SHOP.note, priority=-7, dont_filter=True, flags=["x"]),
        Request("http://a.example/", method="PUT", body=bytes(range(256)), encoding="latin-1"),
        Request("http://a.example/", headers={"X-Two": ["one", b"\xff\x00"], "Accept": "text/html"}),
        Request("http://a.example/", cookies={"a": "1", "b": b"\xfe"}),
        Request("http://a.example/", cookies=[{"name": "a", "value": "1", "domain": "a.example", "secure": True}]),
        Request("http://a.example/", meta={"depth": 2, "pair": (1, (b"x", None)), "by": {1: "one", "\x00": 2.5}}),
        Request("http://a.example/", cb_kwargs={"half": "\ud800", "nul": "\x00", "deep": [[{"a": [True]}]]}),
        FormRequest("http://a.example/", formdata={"a": "b"}),
        JsonRequest("http://a.example/", data={"a": ["ü"]}, dumps_kwargs={"sort_keys": True}),
        XmlRpcRequest("http://a.example/", methodname="m", params=(1,), dont_filter=False),
        SHOP.hidden_request(),
    ],
    ids=lambda request: f"{type(request).__name__}-{request.url[-4:]}",
)
def test_a_request_comes_back_as_it_was(request_: Request) -> None:
    copy = again(request_)
    assert type(copy) is type(request_)
    assert values(copy) == values(request_)


class Other(Request):
    """A class that nothing but code could name."""


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (Request("http://a.example/", lambda response: None), "not a method of the spider"),
        (Request("http://a.example/", Shop().close), "not a method of the spider"),
        (Request("http://a.example/", meta={"when": object()}), "object cannot be written"),
        (Request("http://a.example/", cb_kwargs={"some": {1, 2}}), "set cannot be written"),
        (Other("http://a.example/"), "class Other"),
    ],
    ids=["lambda", "function", "object", "set", "class"],
)
def test_what_would_come_back_changed_is_not_written(request_: Request, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        dump_request(request_, SHOP)


def test_values_that_hold_themselves_are_not_written() -> None:
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(ValueError, match="too deeply"):
        dump_request(Request("http://a.example/", meta={"endless": endless}), SHOP)


@pytest.mark.parametrize(
    "text",
    [
        '{"class":"os.system","url":"http://a.example/"}',
        '{"class":"Request","url":"http://a.example/","callback":"name"}',
        '{"class":"Request","url":"http://a.example/","callback":"gone"}',
        '{"class":"Request","url":"http://a.example/","meta":{"\\u0000":"code","value":1}}',
        '{"class":"Request"',
    ],
)
def test_a_damaged_row_is_refused_and_names_no_code(text: str) -> None:
    with pytest.raises(ValueError, match=r"not known|no method|damaged|Expecting|delimiter"):
        load_request(text, SHOP)
