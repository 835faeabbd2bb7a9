"""Writes to etcd: transactions that compare the mod revision of one key."""

from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Any, Final, TypeAlias

from memkube.storage.errors import StorageFailed, StorageUnavailable
from memkube.storage.etcd.client import EtcdClient
from memkube.storage.etcd.leases import Leases
from memkube.storage.etcd.messages import message
from memkube.storage.etcd.progress import WatchProgress
from memkube.storage.etcd.reflector import EtcdKeys

RecordCall: TypeAlias = Callable[[str, str, float, bool], None]
"""Function that is called after each write to etcd.

Its arguments are the operation, the key, the duration in seconds, and True if etcd has answered without an error.
"""
_MOD: Final = 2
_LEASE_GONE: Final = "etcdserver: requested lease not found"


class Transactions:
    """Writes to etcd that depend on the mod revision of the key.

    Each method returns the revision of the write once this server's copy has reached it, or 0 if the key's mod revision
    is not the expected one. All methods raise StorageError if etcd does not answer or returns an error.
    """

    def __init__(
        self, client: EtcdClient, names: EtcdKeys, leases: Leases, progress: WatchProgress, note: RecordCall | None
    ) -> None:
        self._client = client
        self._keys_in_etcd = names
        self._leases = leases
        self._progress = progress
        self._note = note
        self._txn, self._compare, self._operation = message("TxnRequest"), message("Compare"), message("RequestOp")
        self._put, self._removal = message("PutRequest"), message("DeleteRangeRequest")

    async def put(self, key: str, data: bytes, expected: int) -> int:
        """Write `data` as the value of a key, and return the revision of the write.

        Returns 0 without a write unless the key has the mod revision `expected`, or does not exist if `expected` is 0.
        """
        lease = await self._leases.for_key(key)
        put = self._operation(request_put=self._put(key=self._keys_in_etcd.encode(key), value=data, lease=lease))
        try:
            return await self._transact("update" if expected else "create", key, expected, put)
        except StorageFailed as error:
            if str(error) == _LEASE_GONE:
                self._leases.forget()
            raise

    async def remove(self, key: str, expected: int) -> int:
        """Delete a key, if its mod revision is `expected`; otherwise return 0."""
        removal = self._operation(request_delete_range=self._removal(key=self._keys_in_etcd.encode(key)))
        return await self._transact("delete", key, expected, removal)

    async def _transact(self, verb: str, key: str, expected: int, operation: Any) -> int:
        compare = self._compare(target=_MOD, key=self._keys_in_etcd.encode(key), mod_revision=expected)
        begun, answer = monotonic(), None
        try:
            answer = await self._client.call("txn", self._txn(compare=[compare], success=[operation]))
        finally:
            if self._note is not None:
                self._note(verb, key, monotonic() - begun, answer is not None)
        if not answer.succeeded:
            return 0
        revision: int = answer.header.revision
        # If the watch does not report the write in time, no error is raised, because the write itself has succeeded.
        with suppress(StorageUnavailable):
            await self._progress.wait_until(revision, has_event=True)
        return revision
