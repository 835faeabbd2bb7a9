"""Where the servers that recordings are replayed against keep their objects."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.etcd_server import EtcdServer


@contextmanager
def in_an_etcd() -> Iterator[tuple[str, ...]]:
    """An etcd of their own, whose revisions are nobody else's."""
    with tempfile.TemporaryDirectory(prefix="memkube-etcd-") as folder:
        etcd = EtcdServer(Path(folder) / "data", ["--unsafe-no-fsync"])
        try:
            yield (f"--storage=etcd:{etcd.url}",)
        finally:
            etcd.kill()
