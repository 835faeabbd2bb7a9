"""Options of commands that start a server; `cluster.options.settings_of` makes settings of them."""

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, TypeAlias

from memkube.admission.available import DEFAULT_PLUGINS, PLUGINS
from memkube.cli.plain import Option
from memkube.errors import ServerError
from memkube.server.server import Server
from memkube.server.settings import Settings

Controllers: TypeAlias = Annotated[str, Option(help="all, none, names with commas between them, or all,-NAME.")]
Nodes: TypeAlias = Annotated[int, Option(help="How many nodes are simulated.")]
Zones: TypeAlias = Annotated[int, Option(help="How many zones the nodes are spread over.")]
_OTHER_PLUGINS = ", ".join(name for name in PLUGINS if name not in DEFAULT_PLUGINS)
EnabledPlugins: TypeAlias = Annotated[
    str, Option(help=f"Admission plugins to add, with commas between them: {_OTHER_PLUGINS}.")
]
DisabledPlugins: TypeAlias = Annotated[
    str,
    Option(help=f"Admission plugins to leave out, with commas between them: {', '.join(DEFAULT_PLUGINS)}."),
]
Clock: TypeAlias = Annotated[
    str, Option(help="real, stepped, or x60 for sixty times as fast; that of the snapshot, else real.")
]
SnapshotFile: TypeAlias = Annotated[
    Path | None, Option("--snapshot", metavar="FILE", help="What to begin with; its nodes count.")
]

Storage: TypeAlias = Annotated[
    str, Option(help="memory, or for objects that outlive the server sqlite:PATH, or etcd:http://HOST:PORT,…")
]
EtcdPrefix: TypeAlias = Annotated[str, Option(help="What all keys in etcd begin with; /registry if empty.")]
EtcdCaFile: TypeAlias = Annotated[Path | None, Option(help="Who signs etcd's certificates, in PEM.")]
EtcdCertFile: TypeAlias = Annotated[Path | None, Option(help="The certificate that etcd is shown, in PEM.")]
EtcdKeyFile: TypeAlias = Annotated[Path | None, Option(help="Its key, in PEM.")]
Durability: TypeAlias = Annotated[
    str, Option(help="strict: what is answered has reached the disk; relaxed: the operating system.")
]


def open_server(settings: Callable[[], Settings], host: str = "127.0.0.1", port: int = 0) -> Server:
    """A server with its socket open. Raises ServerError, also for the ValueError of a choice that there is not."""
    try:
        return Server(settings(), host, port)
    except ValueError as error:
        raise ServerError(str(error)) from None


@contextlib.contextmanager
def own_kubeconfig() -> Iterator[Path]:
    """A path in a folder that nobody else can write to, gone with the server."""
    with tempfile.TemporaryDirectory(prefix="memkube-") as folder:
        yield Path(folder) / "kubeconfig"
