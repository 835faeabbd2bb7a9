"""Frees the endpoint functions of a stopped server, which FastAPI would keep in memory until the process ends."""

from collections.abc import Callable, Iterable
from typing import Any


def release_endpoints(endpoints: Iterable[Callable[..., Any]]) -> None:
    """Empty the closures of endpoints after the last request, so that they no longer refer to their server.

    FastAPI caches data about endpoints in the process: its caches would keep the last hundred servers in memory.
    """
    for endpoint in endpoints:
        for cell in getattr(endpoint, "__closure__", None) or ():
            del cell.cell_contents
