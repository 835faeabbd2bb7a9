import gc
import platform
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from memkube.server.garbage_collection import Collections


class Circle:
    def __init__(self) -> None:
        self.itself = self


def resident_bytes() -> int:
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS"))


@pytest.fixture(autouse=True)
def without_the_interpreters_own() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def test_garbage_goes_when_it_is_time() -> None:
    collections, gone = Collections(seconds=0), weakref.ref(Circle())
    collections.look()
    assert gone() is None


def test_nothing_is_looked_through_before_its_time() -> None:
    collections, gone = Collections(seconds=1000), weakref.ref(Circle())
    collections.look()
    assert gone() is not None


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have no way to ask for it")
def test_memory_that_is_free_goes_back_to_the_system() -> None:
    collections, many = Collections(seconds=0), [bytes(2_000) for _ in range(20_000)]
    behind = bytes(2_000)
    held = resident_bytes()
    many.clear()
    collections.look()
    assert resident_bytes() < held - 20 * 1024 * 1024
    assert len(behind) == 2_000
