"""The parts of a running server that the control API and the Python API work on."""

from typing import NamedTuple

from memkube.control.scenario_runs import ScenarioRuns
from memkube.controllers.manager import ControllerManager
from memkube.hooks.services import Listeners
from memkube.registry.registry import Registry
from memkube.snapshots.snapshots import Snapshots
from memkube.telemetry.request_log import RequestLog


class ServerParts(NamedTuple):
    """The parts of a server that the control API and the Python API use. The composition root creates them."""

    registry: Registry
    request_log: RequestLog
    listeners: Listeners
    """The servers outside of the cluster that memkube calls instead of Services."""
    controllers: ControllerManager
    """The controllers that the options select. They include the kubelets of the simulated nodes."""
    snapshots: Snapshots
    scenarios: ScenarioRuns
    """The scenarios that are played on the server."""
