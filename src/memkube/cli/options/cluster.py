"""Options of the simulated cluster: its controllers, its clock, its nodes and its admission plugins."""

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Final

import click

from memkube.admission.available import DEFAULT_PLUGINS, PLUGINS
from memkube.cli.commands import PATH
from memkube.cli.options.groups import option
from memkube.cluster.options import machines_of, scheduler_profiles, seeded, settings_of
from memkube.server.settings import Settings, StorageOptions

_OTHER_PLUGINS: Final = ", ".join(name for name in PLUGINS if name not in DEFAULT_PLUGINS)


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """Options of the simulated cluster, such as controllers, clock, nodes and admission plugins."""

    controllers: str = option(
        "Controllers to run: all, none, names with commas between them, or all,-NAME.", default="all"
    )
    stages: bool = option(
        "Create the CustomResourceDefinition of KWOK's kind Stage when the server starts.", is_flag=True
    )
    clock: str = option(
        "Clock: real, stepped (it moves only when you advance it), or x60 for sixty times real speed; by "
        "default that of the snapshot, else real.",
        default="",
    )
    start: datetime | None = option(
        "Time in UTC at which the clock starts (not for --clock real), such as 2026-01-05T08:00:00Z; by "
        "default now, or the time that an earlier server on the same storage had reached.",
        type=click.DateTime(["%Y-%m-%dT%H:%M:%SZ"]),
    )
    seed: int | None = option(
        "Integer that seeds random values such as uids and name suffixes, which are then the same in each run.",
        type=int,
    )
    nodes: int | None = option(
        "Number of simulated nodes outside of pools; by default 1, or 0 if --node-pools is given.", type=int
    )
    zones: int = option("Number of zones that the nodes are spread over.", type=int, default=1)
    node_pools: Path | None = option(
        "YAML file with pools of simulated nodes: their labels, taints, zones and capacity.", metavar="FILE", type=PATH
    )
    snapshot: Path | None = option(
        "Snapshot file with the initial state of the server, including its nodes: --nodes has no effect then.",
        metavar="FILE",
        type=PATH,
    )
    scheduler_config: Path | None = option(
        "KubeSchedulerConfiguration with the profiles of the scheduler and their plugins.", metavar="FILE", type=PATH
    )
    scheduler_annotations: bool = option(
        "Let the scheduler write its results into annotations of pods, like kube-scheduler-simulator.", is_flag=True
    )
    enable_admission_plugins: str = option(
        f"Admission plugins to enable, with commas between them: {_OTHER_PLUGINS}.", default=""
    )
    disable_admission_plugins: str = option(
        f"Admission plugins to disable, with commas between them: {', '.join(DEFAULT_PLUGINS)}.", default=""
    )

    def settings(self, storage: StorageOptions) -> Settings:
        """Return the server's settings for these options and the options `storage`.

        Raises ValueError for an invalid value.
        """
        plugins = self.enable_admission_plugins, self.disable_admission_plugins
        simulated = machines_of(self.nodes, self.zones, self.node_pools, scheduler_profiles(self.scheduler_config))
        machines = replace(simulated, scheduler_annotations=self.scheduler_annotations)
        chosen = settings_of(self.controllers, self.clock, machines, plugins, self.snapshot, storage)
        return seeded(replace(chosen, stages=self.stages), self.start, self.seed)
