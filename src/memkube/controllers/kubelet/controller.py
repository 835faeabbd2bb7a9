"""The kubelets of the simulated nodes."""

from memkube.controllers.nodes.simulated_nodes import SimulatedNodes
from memkube.controllers.runtime import Runtime


class Kubelet:
    """Registers the simulated nodes and keeps them alive; others find them as SimulatedNodes."""

    def __init__(self, runtime: Runtime) -> None:
        self._nodes = SimulatedNodes(runtime)
        runtime.registry.provide(SimulatedNodes, self._nodes)
