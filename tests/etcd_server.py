"""A real etcd for a test, which can be killed, restarted, paused and disconnected."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Final

import pytest
from benchmarks.processes import free_port

ETCD: Final = shutil.which("etcd")
needs_etcd = pytest.mark.skipif(ETCD is None, reason="there is no etcd on PATH")


class EtcdServer:
    """One etcd member on loopback, whose data survives the process.

    `options` are additional flags, `peers` the peer URLs of all members by their names.
    """

    def __init__(
        self,
        folder: Path,
        options: Sequence[str] = (),
        scheme: str = "http",
        name: str = "default",
        peers: Mapping[str, str] | None = None,
    ) -> None:
        self._folder = folder
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None
        self.endpoint = f"127.0.0.1:{free_port()}"
        self.url = f"{scheme}://{self.endpoint}"
        self._name = name
        self._peers = peers or {name: f"http://127.0.0.1:{free_port()}"}
        self.start()

    def start(self) -> None:
        """Start etcd; return once it accepts connections."""
        assert ETCD is not None
        command = [ETCD, f"--data-dir={self._folder}", f"--listen-client-urls={self.url}"]
        own = self._peers[self._name]
        command += [f"--name={self._name}", f"--advertise-client-urls={self.url}", f"--listen-peer-urls={own}"]
        command += [f"--initial-advertise-peer-urls={own}"]
        command += ["--initial-cluster=" + ",".join(f"{name}={url}" for name, url in self._peers.items())]
        with (self._folder.parent / f"{self._folder.name}.log").open("ab") as log:
            self._process = subprocess.Popen([*command, *self._options], stdout=log, stderr=log)
        host, _, port = self.endpoint.partition(":")
        for _ in range(6000):
            with socket.socket() as probe:
                if not probe.connect_ex((host, int(port))):
                    return
            if self._process.poll() is not None:
                break
            time.sleep(0.01)
        raise RuntimeError(f"etcd has not started: see {self._folder}.log")

    def kill(self) -> None:
        """End etcd with SIGKILL, like a power cut."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def restart(self) -> None:
        """Kill etcd and start it again with its data."""
        self.kill()
        self.start()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Stop the process during the block: connections stay open, and no request is answered."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        os.waitpid(self._process.pid, os.WUNTRACED)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)


def members(folder: Path, count: int) -> list[EtcdServer]:
    """Start an etcd cluster with `count` members."""
    peers = {f"member-{number}": f"http://127.0.0.1:{free_port()}" for number in range(count)}
    return [EtcdServer(folder / name, name=name, peers=peers) for name in peers]


class Link:
    """A TCP proxy to a server that can be cut, like a network between two machines."""

    def __init__(self, to: str) -> None:
        self._to = to
        self._is_cut = False
        self._open: set[asyncio.StreamWriter] = set()
        self.endpoint = ""

    def cut(self) -> None:
        """Close all connections, and close new ones at once."""
        self._is_cut = True
        for writer in self._open:
            writer.transport.abort()

    def mend(self) -> None:
        """Accept connections again."""
        self._is_cut = False

    async def join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Copy bytes between a client and the server until one of them closes the connection."""
        if self._is_cut:
            writer.transport.abort()
            return
        host, _, port = self._to.partition(":")
        try:
            there, back = await asyncio.open_connection(host, int(port))
        except OSError:
            writer.transport.abort()
            return
        self._open |= {writer, back}
        await asyncio.gather(_carry(reader, back), _carry(there, writer))
        self._open -= {writer, back}


@asynccontextmanager
async def linked(to: str) -> AsyncIterator[Link]:
    """Run a link to a server, on an address of its own, during the block."""
    link = Link(to)
    server = await asyncio.start_server(link.join, "127.0.0.1")
    host, port = server.sockets[0].getsockname()
    link.endpoint = f"{host}:{port}"
    yield link
    link.cut()
    server.close()


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    # uvloop raises RuntimeError if the transport is already closed.
    with suppress(ConnectionError, RuntimeError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()
