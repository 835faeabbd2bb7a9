import pytest
import uvloop
from benchmarks.growth_server import filled_server
from benchmarks.memory import LIMIT, write_large
from benchmarks.processes import MEMKUBE, serving


@pytest.mark.alone
def test_large_objects_and_watchers_that_never_read_do_not_fill_the_memory() -> None:
    with serving(MEMKUBE) as server:
        uvloop.run(write_large(server.address, range(160)))
        peak = server.peak_bytes()
    assert peak is not None
    assert peak < LIMIT


@pytest.mark.alone
def test_a_pod_takes_up_less_than_six_kibibytes_beside_its_json() -> None:
    with filled_server(2_000) as (server, filling):
        resident = server.resident_bytes()
    assert resident is not None
    assert (resident - filling.resident) / 2_000 - filling.json_bytes < 6 * 1024
