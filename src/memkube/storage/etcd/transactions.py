"""Writes to an etcd: transactions on the revision of one key."""

from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Any, Final, TypeAlias

from memkube.storage.errors import StorageFailed, StorageUnavailable
from memkube.storage.etcd.client import EtcdClient
from memkube.storage.etcd.feed import EtcdKeys
from memkube.storage.etcd.freshness import Freshness
from memkube.storage.etcd.leases import Leases
from memkube.storage.etcd.messages import message

NoteCall: TypeAlias = Callable[[str, str, float, bool], None]
"""Is told what was done, with which key, how many seconds it took, and whether etcd has answered."""
_MOD: Final = 2
_LEASE_GONE: Final = "etcdserver: requested lease not found"


class Transactions:
    """Each returns its revision once the copy has come to it, or 0 where the key's last change is not as expected.

    All raise StorageError.
    """

    def __init__(
        self, client: EtcdClient, names: EtcdKeys, leases: Leases, freshness: Freshness, note: NoteCall | None
    ) -> None:
        self._client = client
        self._names = names
        self._leases = leases
        self._freshness = freshness
        self._note = note
        self._txn, self._compare, self._operation = message("TxnRequest"), message("Compare"), message("RequestOp")
        self._put, self._removal = message("PutRequest"), message("DeleteRangeRequest")

    async def put(self, key: str, data: bytes, expected: int) -> int:
        """Writes what a key holds, which nothing is to have been written under where 0 is expected."""
        lease = await self._leases.of(key)
        put = self._operation(request_put=self._put(key=self._names.written(key), value=data, lease=lease))
        try:
            return await self._transact("update" if expected else "create", key, expected, put)
        except StorageFailed as error:
            if str(error) == _LEASE_GONE:
                self._leases.forget()
            raise

    async def remove(self, key: str, expected: int) -> int:
        """Removes a key."""
        removal = self._operation(request_delete_range=self._removal(key=self._names.written(key)))
        return await self._transact("delete", key, expected, removal)

    async def _transact(self, verb: str, key: str, expected: int, operation: Any) -> int:
        compare = self._compare(target=_MOD, key=self._names.written(key), mod_revision=expected)
        begun, answer = monotonic(), None
        try:
            answer = await self._client.call("txn", self._txn(compare=[compare], success=[operation]))
        finally:
            if self._note is not None:
                self._note(verb, key, monotonic() - begun, answer is not None)
        if not answer.succeeded:
            return 0
        revision: int = answer.header.revision
        # It is written: that word of it is late concerns those who read.
        with suppress(StorageUnavailable):
            await self._freshness.come_to(revision, tells=True)
        return revision
