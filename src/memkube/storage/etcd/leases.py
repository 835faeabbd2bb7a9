"""Attaches values with a lifetime to etcd leases, which expire them, and compacts etcd's history regularly.

Source: apiserver ``storage/etcd3/lease_manager.go`` and ``compact.go``.
"""

import asyncio
import logging
import math
from datetime import timedelta
from time import monotonic
from typing import Final, NamedTuple

from memkube.storage.errors import StorageClosed, StorageError
from memkube.storage.etcd.client import Compacted, EtcdClient
from memkube.storage.etcd.messages import message
from memkube.storage.etcd.reflector import COMPACTION_KEY, EtcdKeys
from memkube.storage.lifetimes import Lifetimes

_SHARED_SECONDS: Final = 60.0
_SHARED_PART: Final = 0.05
_SHARED_BY: Final = 1_000
_LOGGER: Final = logging.getLogger("memkube.storage")


class _Lease(NamedTuple):
    id: int
    until: float
    """Time after which no more keys are attached to the lease, as a value of ``time.monotonic``."""


class Leases:
    """Attaches values of equal lifetime to shared leases, so that etcd has few leases.

    Values that are written within a minute, or within a twentieth of their lifetime if that is shorter, share a lease.
    A value can exceed its lifetime by up to this time.
    """

    def __init__(self, client: EtcdClient, lifetimes: Lifetimes | None) -> None:
        self._client = client
        self._lifetimes = lifetimes
        self._leases: dict[timedelta, tuple[_Lease, int]] = {}
        self._turn = asyncio.Lock()

    async def for_key(self, key: str) -> int:
        """Return the ID of a lease for a key; 0 if the key's value does not expire.

        Raises StorageError if etcd cannot grant a lease.
        """
        lifetime = None if self._lifetimes is None else self._lifetimes.for_key(key)
        if lifetime is None:
            return 0
        async with self._turn:
            lease, count = self._leases.get(lifetime, (None, 0))
            if lease is None or count >= _SHARED_BY or monotonic() >= lease.until:
                lease, count = await self._grant(lifetime.total_seconds()), 0
            self._leases[lifetime] = lease, count + 1
            return lease.id

    def forget(self) -> None:
        """Discard the IDs of leases that were granted earlier, because the leases no longer exist in etcd."""
        self._leases.clear()

    async def _grant(self, seconds: float) -> _Lease:
        shared = min(_SHARED_SECONDS, seconds * _SHARED_PART)
        begun = monotonic()
        granted = await self._client.call("grant", message("LeaseGrantRequest")(TTL=math.ceil(seconds + shared)))
        return _Lease(granted.ID, begun + shared)


async def compact_regularly(client: EtcdClient, keys: EtcdKeys, seconds: float) -> None:
    """Compact etcd's history every `seconds` seconds, up to the revision that was the newest `seconds` seconds ago.

    If several servers share etcd, only one of them compacts each time. To choose it, all of them
    try to write the same key in etcd, to which `keys` adds the servers' prefix.
    """
    key, note, revision = keys.encode(COMPACTION_KEY), 0, 0
    while True:
        await asyncio.sleep(seconds)
        try:
            newest, note, is_mine = await _take_turn(client, key, note)
            if is_mine and revision:
                await client.call("compact", message("CompactionRequest")(revision=revision))
            revision = newest
        except Compacted:
            revision = 0
        except StorageClosed:
            return
        except StorageError as error:
            _LOGGER.warning("cannot compact the history in etcd: %s", error)


async def _take_turn(client: EtcdClient, key: bytes, note: int) -> tuple[int, int, bool]:
    """Try to become the server that compacts etcd's history this time, by writing a key that all servers share.

    The key is written only if its mod revision is still `note`, so that only one server succeeds. Return etcd's newest
    revision, the mod revision of the key, and True if this server has written the key.
    """
    operation, put = message("RequestOp"), message("PutRequest")(key=key, value=b"{}")
    compare = message("Compare")(result=0, target=2, key=key, mod_revision=note)
    read = operation(request_range=message("RangeRequest")(key=key))
    request = message("TxnRequest")(compare=[compare], success=[operation(request_put=put)], failure=[read])
    answer = await client.call("txn", request)
    newest: int = answer.header.revision
    if answer.succeeded:
        return newest, newest, True
    found = answer.responses[0].response_range.kvs
    return newest, found[0].mod_revision if found else 0, False
