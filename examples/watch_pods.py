"""List, then watch from the resourceVersion of the list: the loop inside every controller."""

from kubernetes import client, config, watch

NAMESPACE = "default"


def main() -> None:
    """Print the events of three pods until the last one is deleted."""
    config.load_kube_config()
    core = client.CoreV1Api()
    listed = core.list_namespaced_pod(NAMESPACE)
    for name in ("a", "b", "c"):
        container = client.V1Container(name="main", image="busybox")
        pod = client.V1Pod(metadata=client.V1ObjectMeta(name=name), spec=client.V1PodSpec(containers=[container]))
        core.create_namespaced_pod(NAMESPACE, pod)
    for name in ("a", "b", "c"):
        # Delete at once, without the grace period of a pod on a node.
        core.delete_namespaced_pod(name, NAMESPACE, grace_period_seconds=0)
    watcher = watch.Watch()
    version = listed.metadata.resource_version
    for event in watcher.stream(core.list_namespaced_pod, NAMESPACE, resource_version=version, timeout_seconds=5):
        name = event["object"].metadata.name
        print(event["type"], name)
        if (event["type"], name) == ("DELETED", "c"):
            return


if __name__ == "__main__":
    main()
