"""Clients that concurrently write the same few ConfigMaps, and record their requests and the responses."""

import asyncio
import itertools
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from proofs.connection import Answer, Connection, ConnectionLost, Unreachable
from proofs.history import WRITER, WRITES, Data, Operation, Outcome, Verb

KIND: Final = "configmaps"
NAMESPACES: Final = ("proofs-a", "proofs-b")
_KEYS: Final = 24
_FIELDS: Final = 4
"""Number of fields that patches write; each field is written by several clients."""
LABEL: Final = "proof"
_MERGE: Final = "application/merge-patch+json"
_REFUSALS: Final[dict[str, Outcome]] = {"AlreadyExists": "exists", "NotFound": "absent", "Conflict": "conflict"}
_WEIGHTS: Final = {"increment": 40, "patch": 20, "get": 15, "create": 12, "delete": 8, "delete_read": 4, "list": 1}
_PAUSE: Final = 0.1
"""Seconds between two attempts of a request that has to succeed."""
_TOO_MANY: Final = 429
_REFUSED: Final = 400
_SERVER_ERROR: Final = 500


class Unexpected(Exception):
    """A response that no injected fault explains."""


@dataclass(slots=True)
class Seen:
    """An object as a client has read it."""

    revision: int
    data: Data


@dataclass(slots=True)
class Client:
    """A client that writes. It chooses requests at random, reproducibly for the same number and seed."""

    number: int
    connection: Connection
    seed: int = 0
    operations: list[Operation] = field(default_factory=list)
    refused: int = 0
    """Number of requests that the server rejected with 429, without carrying them out."""
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held during each action; a holder of the lock prevents the client from acting."""
    _chance: random.Random = field(init=False)
    _names: Iterator[str] = field(init=False)

    def __post_init__(self) -> None:
        self._chance = random.Random(f"{self.seed} {self.number}")
        self._names = (f"{self.number}-{count}" for count in itertools.count())

    async def act(self) -> None:
        """Take one random action: one request, or a get and a write of the object read.

        Raises Unexpected for a wrong response.
        """
        async with self.turn:
            await self._act()

    async def _act(self) -> None:
        chosen = self._chance.choices(tuple(_WEIGHTS), tuple(_WEIGHTS.values()))[0]
        key = f"{self._chance.choice(NAMESPACES)}/key-{self._chance.randrange(_KEYS // len(NAMESPACES))}"
        match chosen:
            case "increment":
                await self._increment(key)
            case "patch":
                name = next(self._names)
                await self._request("patch", key, {WRITER: name, f"field-{self.number % _FIELDS}": name})
            case "get":
                await self.get(key)
            case "create":
                await self._create(key)
            case "delete":
                await self._request("delete", key, {WRITER: next(self._names)})
            case "delete_read":
                if seen := await self.get(key):
                    await self._request("delete", key, {WRITER: next(self._names)}, seen.revision)
            case _:
                await self.list()

    async def get(self, key: str) -> Seen | None:
        """Get an object; return None if the object does not exist or there was no response."""
        operation = await self._request("get", key, {})
        return Seen(operation.revision, operation.data) if operation and operation.outcome == "done" else None

    async def make(self, key: str) -> int:
        """Create an object that no other client writes, and retry until it exists; return its resourceVersion."""
        while True:
            await self._create(key)
            if seen := await self.get(key):
                return seen.revision
            await asyncio.sleep(_PAUSE)

    async def _create(self, key: str) -> None:
        await self._request("create", key, {WRITER: next(self._names), "count": "0"})

    async def list(self) -> Operation | None:
        """List the objects of both namespaces."""
        return await self._request("list", "", {})

    async def _increment(self, key: str) -> None:
        seen = await self.get(key)
        if seen is not None:
            count = str(int(seen.data["count"]) + 1)
            await self._request("replace", key, {**seen.data, WRITER: next(self._names), "count": count}, seen.revision)

    async def _request(self, verb: Verb, key: str, data: Data, expected: int = 0) -> Operation | None:
        """Send a request and record its outcome; return None if it has no effect and reveals no state."""
        method, path, body, content_type = _request_of(verb, key, data, expected)
        invoked, name = time.monotonic_ns(), data.get(WRITER, "")
        asked = Operation(self.number, verb, key, invoked, invoked, "unknown", expected=expected, name=name, data=data)
        try:
            answer = await self.connection.ask(method, path, body, content_type)
        except asyncio.CancelledError:
            if verb in WRITES:
                self.operations.append(replace(asked, returned=time.monotonic_ns()))
            raise
        except Unreachable:
            await asyncio.sleep(_PAUSE)
            return None
        except ConnectionLost:
            answer = Answer()
        asked = replace(asked, returned=time.monotonic_ns())
        if answer.status == _TOO_MANY:
            self.refused += 1
            return None
        if verb in ("get", "list") and (not answer.status or answer.status >= _SERVER_ERROR):
            return None
        self.operations.append(_answered(asked, answer))
        return self.operations[-1]


def _answered(asked: Operation, answer: Answer) -> Operation:
    """Return the operation with the outcome that the response reports.

    Raises Unexpected if no fault explains the response.
    """
    if not answer.status or answer.status >= _SERVER_ERROR:
        return asked
    body = answer.json()
    if answer.status >= _REFUSED:
        if body.get("reason") not in _REFUSALS:
            raise Unexpected(f"{asked.verb} {asked.key}: {answer.status} {answer.body.decode(errors='replace')}")
        return replace(asked, outcome=_REFUSALS[body["reason"]])
    if asked.verb == "delete":
        return replace(asked, outcome="done", uid=body["details"]["uid"])
    revision = int(body["metadata"]["resourceVersion"])
    if asked.verb == "list":
        listed = {key_of(each): int(each["metadata"]["resourceVersion"]) for each in items_of(answer)}
        return replace(asked, outcome="done", revision=revision, listed=listed)
    return replace(asked, outcome="done", revision=revision, data=body["data"] if asked.verb == "get" else asked.data)


def items_of(answer: Answer) -> list[Any]:
    """Return the items of a list. Raises Unexpected if the response is not a list."""
    body = answer.json()
    if "items" not in body:
        raise Unexpected(f"a list was answered with {answer.status} {answer.body.decode(errors='replace')}")
    items: list[Any] = body["items"]
    return items


def key_of(config_map: Any) -> str:
    """Return the key of an object in histories: its namespace and name."""
    return f"{config_map['metadata']['namespace']}/{config_map['metadata']['name']}"


def _request_of(verb: Verb, key: str, data: Data, expected: int) -> tuple[str, str, object, str]:
    namespace, _, name = key.partition("/")
    metadata: dict[str, object] = {"name": name, "labels": {LABEL: "true"}}
    if expected:
        metadata["resourceVersion"] = str(expected)
    path = f"/api/v1/namespaces/{namespace}/{KIND}"
    as_json = "application/json"
    match verb:
        case "create":
            return "POST", path, {"metadata": metadata, "data": data}, as_json
        case "replace":
            return "PUT", f"{path}/{name}", {"metadata": metadata, "data": data}, as_json
        case "patch":
            return "PATCH", f"{path}/{name}", {"data": data}, _MERGE
        case "delete":
            body = {"preconditions": {"resourceVersion": str(expected)}} if expected else None
            return "DELETE", f"{path}/{name}", body, as_json
        case "get":
            return "GET", f"{path}/{name}", None, as_json
        case "list":
            return "GET", f"/api/v1/{KIND}?labelSelector={LABEL}", None, as_json
