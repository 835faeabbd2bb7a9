"""Sends generated requests to a server with everything switched on, and collects the wrong responses."""

import asyncio
from collections.abc import Sequence
from itertools import islice
from typing import Final

import uvloop
from benchmarks.load import Address
from hypothesis import HealthCheck, Phase, given, seed, settings

from proofs.answers import complaint
from proofs.documents import documented_requests
from proofs.requests import batches, documented

AT_ONCE: Final = 20


def wrong_answers(
    address: Address, *, raw: int, of_documents: int, documents: Sequence[str], number: int
) -> tuple[int, list[str]]:
    """Send generated requests; return their number, and a complaint for each wrong response.

    `raw` requests are generated as bytes, `of_documents` from the OpenAPI documents; `number` is the seed.
    """
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        sent, found = 0, list[str]()

        def send(requests: Sequence[bytes]) -> None:
            nonlocal sent
            sent += len(requests)
            answers = runner.run(_send(address, requests))
            found.extend(f"{wrong}\n    to {data!r}" for data, wrong in zip(requests, answers, strict=True) if wrong)

        @seed(number)
        @settings(
            max_examples=max(raw // AT_ONCE, 1),
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(batches(documented(), AT_ONCE))
        def send_raw(requests: list[bytes]) -> None:
            send(requests)

        send_raw()
        made = documented_requests(documents, of_documents, number)
        while batch := list(islice(made, AT_ONCE)):
            send(batch)
    return sent, found


async def _send(address: Address, requests: Sequence[bytes]) -> list[str]:
    return await asyncio.gather(*(complaint(address, data) for data in requests))
