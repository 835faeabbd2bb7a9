"""A short form of the hour-long run of `make soak`."""

import uvloop
from proofs.life import OPTIONS, Life, live

from proofs import engines


def test_a_cluster_lives_for_a_round() -> None:
    with engines.storage("sqlite") as options, engines.Server((*OPTIONS, *options), controllers="all") as server:
        lived = uvloop.run(live(server.address, 0, server.resident_bytes))
    assert lived.rounds == lived.sessions == 3
    assert lived.evictions > 0
    assert lived.events > 50


def test_memory_is_that_of_the_last_minute() -> None:
    life = Life(resident=[(0, 10), (50, 20), (100, 30), (150, 40)])
    assert life.held(150) == 35
    assert life.held(150, within=500) == 25
