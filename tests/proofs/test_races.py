"""Short forms of what `make soak` does at length."""

import pytest
import uvloop

from proofs import engines, races

pytestmark = pytest.mark.long


@pytest.mark.parametrize("engine", engines.ENGINES)
def test_nothing_is_lost_while_clients_race_and_connections_drop(engine: str) -> None:
    with engines.storage(engine) as options, engines.Server(options) as server:
        result = uvloop.run(races.run([server.address], races.Race(operations=1500, seconds=1)))
    assert not result.wrong, "\n".join(result.wrong[:10])
    assert result.ends > 0


def test_nothing_acknowledged_is_lost_by_kill_9() -> None:
    with engines.storage("sqlite") as options, engines.Server(options) as server:
        race = races.Race(0, 0, over=lambda: server.kills >= 3)
        result = uvloop.run(races.run([server.address], race, server.kill_again_and_again))
    assert not result.wrong, "\n".join(result.wrong[:10])
    assert any(operation.outcome == "unknown" for operation in result.history.operations)
