"""The controller ``cluster-autoscaler``, which does nothing unless a node pool has ``autoscaling``."""

from memkube.controllers.framework.runtime import Runtime


class ClusterAutoscaler:
    """Starts the autoscaler of a server if it simulates nodes and one of their pools has ``autoscaling``."""

    def __init__(self, runtime: Runtime) -> None:
        cloud = runtime.cloud
        if cloud is None or not any(pool.autoscaling for pool in cloud.pools.values()):
            return
        # Few servers have pools with ``autoscaling``, so only those import the autoscaler and the scheduler's plugins.
        from memkube.controllers.cluster_autoscaler.autoscaler import Autoscaler  # noqa: PLC0415

        Autoscaler(runtime, cloud)
