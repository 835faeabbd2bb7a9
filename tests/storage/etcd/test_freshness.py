"""Waiting for word of how far etcd's watch has come."""

import pytest

from memkube.storage.etcd.client import EtcdClient
from memkube.storage.etcd.freshness import Freshness
from memkube.storage.etcd.options import EtcdOptions

pytestmark = pytest.mark.anyio


async def test_word_of_progress_is_asked_for_until_it_comes() -> None:
    asked: list[int] = []

    def ask_progress() -> None:
        asked.append(0)
        # etcd 3.5.13 and later keep silent while the watch is behind, and remember no question.
        if len(asked) == 3:
            freshness.reach(7)

    options = EtcdOptions.of("http://127.0.0.1:1")
    freshness = Freshness(EtcdClient(options), b"/", ask_progress)
    await freshness.come_to(7, seconds=10)
    assert len(asked) == 3
    freshness.close()
