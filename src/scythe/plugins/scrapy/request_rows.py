"""Scrapy requests -> text that an archive keeps -> the same requests, for the same spider.

It is JSON, and names no code: a callback is a method of the spider, a class one of four. What JSON does not know
(bytes, tuples) is marked; what cannot be written without a change of meaning raises ValueError.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from inspect import getmembers, ismethod
from typing import Any

from scrapy import FormRequest, Request, Spider
from scrapy.http import JsonRequest, XmlRpcRequest

_CLASSES: dict[str, type[Request]] = {
    "Request": Request,
    "FormRequest": FormRequest,
    "JsonRequest": JsonRequest,
    "XmlRpcRequest": XmlRpcRequest,
}
_NAMES = {made: name for name, made in _CLASSES.items()}
_METHODS = ("callback", "errback")
_DEFAULTS = {"method": "GET", "encoding": "utf-8"}
_MARK = "\x00"  # the key of a value that JSON does not know; no other dict may have it
_DEEPEST = 40  # levels of lists and dicts in one value: nobody writes more by hand


def dump_request(request: Request, spider: Spider) -> str:
    """Write a request. Raises ValueError where it has a callback that is no method of the spider, or such values."""
    kind = _NAMES.get(type(request))
    if kind is None:
        raise ValueError(f"requests of the class {type(request).__name__} cannot be written")
    row: dict[str, Any] = {"class": kind}
    for name in request.attributes:
        value = getattr(request, name)
        if kind == "Request" and (not value or value == _DEFAULTS.get(name)):
            continue  # most have an address and a callback, and that is all
        if name in _METHODS:
            row[name] = None if value is None else _name_of(spider, value)
        elif name == "headers":
            row[name] = [[_text(key), [_text(item) for item in items]] for key, items in request.headers.items()]
        else:
            row[name] = _write(value)
    return json.dumps(row, separators=(",", ":"))


def load_request(text: str, spider: Spider) -> Request:
    """Read what `dump_request` wrote. Raises ValueError where it is damaged, or the spider has no such method now."""
    row = json.loads(text)
    kind = _CLASSES.get(row.pop("class", ""))
    if kind is None:
        raise ValueError("the class of a stored request is not known")
    values: dict[str, Any] = {name: _read(value) for name, value in row.items() if name in kind.attributes}
    for name in _METHODS:
        if values.get(name) is not None:
            values[name] = _method_of(spider, values[name])
    values["headers"] = [(_bytes(key), [_bytes(item) for item in items]) for key, items in row.get("headers", ())]
    return kind(**values)


def _text(value: bytes) -> str:
    return value.decode("latin-1")  # one character for each byte, and back


def _bytes(value: str) -> bytes:
    return value.encode("latin-1")


def _name_of(spider: Spider, method: Callable[..., Any]) -> str:
    function = getattr(method, "__func__", None)
    name = getattr(method, "__name__", "")
    if function is not None and getattr(getattr(spider, name, None), "__func__", None) is function:
        return str(name)
    for name, other in getmembers(spider, ismethod) if function is not None else ():  # its name in the class differs
        if other.__func__ is function:
            return name
    raise ValueError(f"{method} is no method of the spider {spider.name}")


def _method_of(spider: Spider, name: object) -> Any:
    method = getattr(spider, str(name), None)
    if not ismethod(method):
        raise ValueError(f"the spider {spider.name} has no method {name!r}")
    return method


def _write(value: Any, depth: int = 0) -> Any:
    if depth > _DEEPEST:
        raise ValueError("a value is nested too deeply")
    if value is None or type(value) in (bool, int, float):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bytes):
        return {_MARK: "bytes", "value": _text(value)}
    if type(value) in (list, tuple):
        written = [_write(item, depth + 1) for item in value]
        return written if type(value) is list else {_MARK: "tuple", "value": written}
    if type(value) is dict:
        if all(type(key) is str and key != _MARK for key in value):
            return {key: _write(item, depth + 1) for key, item in value.items()}
        return {
            _MARK: "dict",
            "value": [[_write(key, depth + 1), _write(item, depth + 1)] for key, item in value.items()],
        }
    raise ValueError(f"a value of the class {type(value).__name__} cannot be written")


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return [_read(item) for item in value]
    if not isinstance(value, dict):
        return value
    kind, inner = value.get(_MARK), value.get("value")
    if kind is None:
        return {key: _read(item) for key, item in value.items()}
    if kind == "bytes":
        return _bytes(str(inner))
    if kind == "tuple":
        return tuple(_read(inner))
    if kind == "dict":
        return {_read(key): _read(item) for key, item in inner or ()}
    raise ValueError("a stored value is damaged")
