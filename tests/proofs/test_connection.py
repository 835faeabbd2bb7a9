import asyncio

import pytest
from benchmarks.load import Address
from proofs.clients import Client
from proofs.connection import Connection

from memkube.server.server import Server

pytestmark = pytest.mark.anyio
FAULTS = "/memkube/v1/faults"
SLOW = {"match": {"verbs": ["create"]}, "effect": {"type": "delay", "seconds": 30, "clock": "wall"}}


async def given_up(server: Server) -> Client:
    """A client that has abandoned its last request while the server handled it."""
    address = Address(server.host, server.port)
    client, other = Client(0, Connection(address)), Connection(address)
    await client.connection.ask("POST", FAULTS, SLOW)
    creating = asyncio.create_task(client.make("default/slow"))
    while not (await other.ask("GET", FAULTS)).json()["items"][0]["hits"]:
        pass
    creating.cancel()
    await asyncio.wait([creating])
    await other.ask("DELETE", FAULTS)
    other.close()
    return client


async def test_the_answer_to_a_request_that_was_given_up_is_no_other_ones(server: Server) -> None:
    client = await given_up(server)
    listed = await client.connection.ask("GET", "/api/v1/configmaps")
    client.connection.close()
    assert listed.json()["kind"] == "ConfigMapList"


async def test_a_write_that_was_given_up_may_have_happened(server: Server) -> None:
    client = await given_up(server)
    client.connection.close()
    assert [(each.verb, each.outcome) for each in client.operations] == [("create", "unknown")]
