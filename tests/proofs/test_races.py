"""Short forms of the races of `make soak`."""

import pytest
import uvloop
from proofs.replicas import race_on_replicas

from proofs import engines, races
from tests.etcd_server import needs_etcd

pytestmark = pytest.mark.long


def _marked(engine: str) -> object:
    """Mark persistent engines as slow: they take longer, and the storage contract is tested on all engines anyway."""
    return pytest.param(engine, marks=pytest.mark.slow if engine in engines.OUTLIVING else ())


@pytest.mark.parametrize("engine", [_marked(name) for name in engines.ENGINES if not name.endswith("-relaxed")])
def test_nothing_is_lost_while_clients_race_and_connections_drop(engine: str) -> None:
    with engines.storage(engine) as options, engines.Server(options) as server:
        # Watches end after some time, the first of them within 0.6 s.
        result = uvloop.run(races.run([server.address], races.Race(operations=1000, seconds=1.5)))
    assert not result.wrong, "\n".join(result.wrong[:10])
    assert result.ends > 0


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_by_kill_9() -> None:
    with engines.storage("sqlite") as options, engines.Server(options) as server:
        race = races.Race(0, 0, over=lambda: server.kills >= 3)
        result = uvloop.run(races.run([server.address], race, server.kill_again_and_again))
    assert not result.wrong, "\n".join(result.wrong[:10])
    assert any(operation.outcome == "unknown" for operation in result.history.operations)


@needs_etcd
@pytest.mark.slow
def test_nothing_is_lost_by_two_servers_on_an_etcd_that_fails() -> None:
    result, troubles = uvloop.run(race_on_replicas(races.Race(500, 0, seed=2), troubles=3))
    assert not result.wrong, "\n".join(result.wrong[:10])
    assert troubles.happened >= 3


def test_a_race_ends_when_all_is_done_or_the_time_is_up() -> None:
    race = races.Race(operations=100, seconds=60, most_seconds=90)
    assert race.goes_on(99, 61)
    assert race.goes_on(100, 59)
    assert not race.goes_on(100, 60)
    assert not race.goes_on(99, 90)
