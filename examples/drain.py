"""Evict pods that a budget protects, as ``kubectl drain`` does: the budget refuses the last eviction."""

from kubernetes import client, config, watch

NAMESPACE = "default"


def create_pod(core: client.CoreV1Api, name: str) -> None:
    """Create a pod that the budget protects."""
    container = client.V1Container(name="main", image="nginx:1.27")
    metadata = client.V1ObjectMeta(name=name, labels={"app": "web"})
    core.create_namespaced_pod(
        NAMESPACE, client.V1Pod(metadata=metadata, spec=client.V1PodSpec(containers=[container]))
    )


def wait_until_one_may_go(policy: client.PolicyV1Api) -> None:
    """Return when the pods run and the budget allows one disruption."""
    for event in watch.Watch().stream(policy.list_namespaced_pod_disruption_budget, NAMESPACE, timeout_seconds=30):
        status = event["object"].status
        if status is not None and status.disruptions_allowed == 1:
            return
    raise SystemExit("the budget was never counted")


def evict(core: client.CoreV1Api, name: str) -> str:
    """Evict a pod; return the result in words."""
    eviction = client.V1Eviction(metadata=client.V1ObjectMeta(name=name))
    try:
        core.create_namespaced_pod_eviction(name, NAMESPACE, eviction)
    except client.ApiException as refusal:
        return f"{refusal.status} {refusal.reason}"
    return "evicted"


def main() -> None:
    """Evict two pods, of which one has to stay available."""
    config.load_kube_config()
    core, policy = client.CoreV1Api(), client.PolicyV1Api()
    for name in ("a", "b"):
        create_pod(core, name)
    selector = client.V1LabelSelector(match_labels={"app": "web"})
    spec = client.V1PodDisruptionBudgetSpec(min_available=1, selector=selector)
    budget = client.V1PodDisruptionBudget(metadata=client.V1ObjectMeta(name="web"), spec=spec)
    policy.create_namespaced_pod_disruption_budget(NAMESPACE, budget)
    wait_until_one_may_go(policy)
    for name in ("a", "b"):
        print(name, evict(core, name))


if __name__ == "__main__":
    main()
