import pytest
import uvloop
from benchmarks.memory import LIMIT, write_large
from benchmarks.processes import MEMKUBE, serving


@pytest.mark.alone
def test_large_objects_and_watchers_that_never_read_do_not_fill_the_memory() -> None:
    with serving(MEMKUBE) as server:
        uvloop.run(write_large(server.address, range(160)))
        peak = server.peak_bytes()
    assert peak is not None
    assert peak < LIMIT
