"""A definition with a schema of 1 MB takes at most a second and little memory."""

import tracemalloc
from time import process_time
from typing import Any

import httpx
import orjson
import pytest

from memkube.server.server import Server
from tests.custom.test_definitions import WIDGETS, definition, establish, widget
from tests.processor import slowness

_LARGEST = 20 * 2**20
_SECONDS = 1.5
"""Limit on processor time: a second of work, and half a second for the variation between two runs."""


def _nested(depth: int) -> dict[str, Any]:
    if depth == 0:
        return {"type": "string", "description": "A leaf of a schema with nine branches at every fork.", "maxLength": 9}
    fields = {f"branch{number}": _nested(depth - 1) for number in range(9)}
    return {"type": "object", "description": "A fork of a large schema.", "properties": fields}


@pytest.mark.alone
def test_a_definition_of_a_megabyte_is_served_after_a_second_of_work(client: httpx.Client) -> None:
    establish(client, definition("gizmos", "Gizmo"))
    large = definition(**_nested(4))
    assert len(orjson.dumps(large)) > 750_000
    before = process_time()
    establish(client, large)
    assert client.post(WIDGETS, json=widget(branch0={"branch1": {}})).status_code == 201
    assert process_time() - before < _SECONDS * slowness()


@pytest.mark.alone
def test_a_definition_of_a_megabyte_costs_less_than_twenty(server: Server, client: httpx.Client) -> None:
    establish(client, definition("gizmos", "Gizmo"))
    large = orjson.loads(orjson.dumps(definition(**_nested(4))))
    tracemalloc.start()
    try:
        establish(client, large)
        applied = {"Content-Type": "application/apply-patch+yaml"}
        body = orjson.dumps(widget(branch0={"branch1": {}}))
        client.patch(f"{WIDGETS}/a?fieldManager=m", content=body, headers=applied).raise_for_status()
        assert tracemalloc.get_traced_memory()[0] < _LARGEST
    finally:
        tracemalloc.stop()
