"""Waiting until etcd's watch has delivered all changes up to a revision."""

import pytest

from memkube.storage.etcd.client import EtcdClient
from memkube.storage.etcd.options import EtcdOptions
from memkube.storage.etcd.progress import WatchProgress

pytestmark = pytest.mark.anyio


async def test_word_of_progress_is_asked_for_until_it_comes() -> None:
    asked: list[int] = []

    def request_progress() -> None:
        asked.append(0)
        # While the watch is behind, etcd 3.5.13 and later ignore requests for progress, so they must be repeated.
        if len(asked) == 3:
            progress.advance(7)

    options = EtcdOptions.of("http://127.0.0.1:1")
    progress = WatchProgress(EtcdClient(options), b"/", request_progress)
    await progress.wait_until(7, seconds=10)
    assert len(asked) == 3
    progress.close()
