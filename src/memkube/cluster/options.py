"""What a program chooses when it starts a server."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from memkube.admission.available import selected_plugins
from memkube.cluster.snapshots import AnySnapshot, snapshot_given
from memkube.controllers.available import CONTROLLERS
from memkube.controllers.manager import selected_names
from memkube.controllers.options import ControllerOptions
from memkube.server.settings import Settings, StorageOptions


class Choices(TypedDict, total=False):
    """The keyword arguments of everything that starts a server, by the names of `Options`."""

    nodes: int
    zones: int
    clock: str
    controllers: str | Sequence[str]
    admission: str | Sequence[str]
    snapshot: AnySnapshot | None
    storage: str
    durability: str


@dataclass(frozen=True, slots=True)
class Options:
    """The choices, with their defaults."""

    nodes: int = 1
    """How many nodes are simulated."""
    zones: int = 1
    """How many zones they are spread over."""
    clock: str = ""
    """``real``, ``stepped``, or ``x60`` for sixty times as fast; that of the snapshot, if not set, else ``real``."""
    controllers: str | Sequence[str] = "all"
    """``all``, ``none``, names, or ``all,-NAME``; a text with commas, or a sequence."""
    admission: str | Sequence[str] = ()
    """Names of admission plugins to turn on, or off with a minus in front."""
    snapshot: AnySnapshot | None = None
    """What the server begins with, the simulated nodes among it; or the path of its file."""
    storage: str = "memory"
    """``memory``, or for objects that outlive the server ``sqlite:PATH``, or ``etcd:http://HOST:PORT[,…]``."""
    durability: str = "strict"
    """``strict``: what is answered has reached the disk; ``relaxed``: the operating system."""

    def settings(self) -> Settings:
        """What a server is started with.

        Raises ValueError with one line for a choice that there is not, SnapshotError and OSError.
        """
        plugins = _words(self.admission)
        off = [word.removeprefix("-") for word in plugins if word.startswith("-")]
        on = [word for word in plugins if not word.startswith("-")]
        return settings_of(
            ",".join(_words(self.controllers)),
            self.clock,
            ControllerOptions(nodes=self.nodes, zones=self.zones),
            (",".join(on), ",".join(off)),
            self.snapshot,
            StorageOptions.of(self.storage, self.durability),
        )


def settings_of(
    controllers: str,
    clock: str,
    machines: ControllerOptions,
    plugins: tuple[str, str],
    snapshot: AnySnapshot | None,
    storage: StorageOptions,
) -> Settings:
    """The settings of what is chosen in words, here or by a command; `plugins` are those to add and to leave out.

    Raises ValueError with one line for a choice that there is not, SnapshotError and OSError.
    """
    begins = None if snapshot is None else snapshot_given(snapshot)
    return Settings(
        controllers=selected_names(controllers, tuple(CONTROLLERS)),
        controller_options=machines,
        clock=clock or ("real" if begins is None else begins.clock),
        snapshot=begins,
        storage=storage,
        admission_plugins=selected_plugins(*plugins),
    )


def _words(chosen: str | Sequence[str]) -> list[str]:
    words = chosen.split(",") if isinstance(chosen, str) else chosen
    return [word.strip() for word in words if word.strip()]
