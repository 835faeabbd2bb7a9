"""OpenAPI documents of this server, merged with the documents of extension API servers.

Sources: kube-aggregator's ``controllers/openapi{,v3}/aggregator`` and kube-openapi's ``pkg/aggregator``.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import count
from typing import Any, Final

import orjson

from memkube.apimachinery.model import Document
from memkube.endpoints.openapi.documents import Documents, Published, published
from memkube.endpoints.openapi.protobuf import v2_protobuf
from memkube.registry.declarations.catalog import Catalog
from memkube.registry.declarations.delegation import Delegate

_REFERENCE: Final = "#/definitions/"
_KINDS: Final = "x-kubernetes-group-version-kind"


class AggregatedDocuments:
    """The OpenAPI documents of this server, merged with the documents of extension API servers.

    If several servers describe the same path, this server's description is used; if it has none, the description of the
    first extension API server. In the v2 document, a type whose name already has another definition is renamed: see
    `add_v2`.
    """

    def __init__(self, catalog: Catalog, own: Documents) -> None:
        self._catalog = catalog
        self._own = own
        self._kept: dict[str, tuple[Published, Mapping[tuple[str, str], Delegate], Published]] = {}

    async def v2(self) -> Published:
        """Return the OpenAPI v2 document, merged with those of extension API servers, as JSON."""
        return await self._with_others("v2", await self._own.v2(), self._merged_v2)

    async def v2_protobuf(self) -> Published:
        """Return the OpenAPI v2 document, merged with those of extension API servers, as a protobuf message."""
        if not self._others():
            return await self._own.v2_protobuf()
        return await self._with_others("protobuf", await self.v2(), lambda text: v2_protobuf(orjson.loads(text)))

    async def v3_index(self) -> Published:
        """Return the index of the OpenAPI v3 documents of this server and of the extension API servers, as JSON."""
        return await self._with_others("v3", await self._own.v3_index(), self._merged_index)

    def owner(self, path: str) -> Delegate | None:
        """Return the extension API server that publishes the v3 document of a path.

        Returns None if no extension API server publishes it.
        """
        return next((other for other in self._others() if other.available and path in other.published.openapi_v3), None)

    def _others(self) -> list[Delegate]:
        return [other for _, other in sorted(self._catalog.delegated.items(), key=lambda item: item[0])]

    async def _with_others(self, name: str, own: Published, merge: Callable[[bytes], bytes]) -> Published:
        delegated = self._catalog.delegated
        if not delegated:
            self._kept.clear()
            return own
        known = self._kept.get(name)
        if known is None or known[0] is not own or known[1] is not delegated:
            made = published(await asyncio.to_thread(merge, own.text), own.generation, known[2] if known else None)
            known = self._kept[name] = (own, delegated, made)
        return known[2]

    def _merged_index(self, text: bytes) -> bytes:
        index: Document = orjson.loads(text)
        paths = index["paths"]
        for other in self._others():
            for path, address in other.published.openapi_v3.items():
                paths.setdefault(path, {"serverRelativeURL": address})
        return orjson.dumps(index, option=orjson.OPT_SORT_KEYS)

    def _merged_v2(self, text: bytes) -> bytes:
        document: Document = orjson.loads(text)
        for (group, version), other in sorted(self._catalog.delegated.items(), key=lambda item: item[0]):
            if other.published.openapi_v2 is not None:
                # A malformed document of an extension API server is left out.
                with suppress(AttributeError, TypeError):
                    add_v2(document, other.published.openapi_v2, f"/apis/{group}/{version}/")
        return orjson.dumps(document)


def add_v2(document: Document, other: Document, prefix: str) -> None:
    """Add to a v2 document those paths of an extension API server's document `other` that begin with `prefix`.

    The definitions that the paths refer to are added too. If the document has a different definition with the same
    name, the added one is renamed.
    """
    paths = {path: item for path, item in (other.get("paths") or {}).items() if path.startswith(prefix)}
    definitions = other.get("definitions") or {}
    used: dict[str, Any] = {}
    waiting = list(_references(paths))
    while waiting:
        name = waiting.pop()
        if name in definitions and name not in used:
            used[name] = definitions[name]
            waiting += _references(definitions[name])
    own = document.setdefault("definitions", {})
    names = {name: _free_name(own, name, schema) for name, schema in used.items()}
    for name, schema in used.items():
        own[names[name]] = _with_kinds_of(own.get(names[name]), _renamed(schema, names))
    for path, item in paths.items():
        document["paths"].setdefault(path, _renamed(item, names))


def _free_name(own: Document, name: str, schema: Any) -> str:
    candidates = (name if number == 1 else f"{name}_v{number}" for number in count(1))
    return next(one for one in candidates if one not in own or _without_kinds(own[one]) == _without_kinds(schema))


def _without_kinds(schema: Document) -> Document:
    """Return a v2 definition without ``x-kubernetes-group-version-kind``, for comparing two definitions.

    Definitions that differ only in this list count as equal.
    """
    return {name: value for name, value in schema.items() if name != _KINDS}


def _with_kinds_of(own: Document | None, schema: Document) -> Document:
    kinds = [*(own or {}).get(_KINDS, [])]
    kinds += [kind for kind in schema.get(_KINDS, []) if kind not in kinds]
    return {**schema, _KINDS: kinds} if kinds else schema


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _references(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key == "$ref" and isinstance(item, str):
                yield item.removeprefix(_REFERENCE)
            else:
                yield from _references(item)


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_renamed(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: f"{_REFERENCE}{names[name]}"
        if key == "$ref" and isinstance(item, str) and (name := item.removeprefix(_REFERENCE)) in names
        else _renamed(item, names)
        for key, item in value.items()
    }
