"""An operator made with kopf: a Website has a Deployment, a host of its own, and says goodbye.

    cd examples/operator; memkube run -- sh -c 'kubectl apply -f website.yaml; kopf run -n default website_operator.py'

It answers admission webhooks too, for which it needs a certificate for 127.0.0.1: WEBHOOK_PORT,
WEBHOOK_CERTIFICATE (with its key) and WEBHOOK_AUTHORITY say where.
"""

import os
from typing import Any

import kopf
from kubernetes import client, config

WEBSITES = ("example.com", "v1", "websites")


@kopf.on.startup()
def configure(settings: kopf.OperatorSettings, **_: Any) -> None:
    """Connects as kubectl would, and has the webhooks registered under its own name."""
    config.load_kube_config()
    settings.posting.enabled = False
    if port := os.environ.get("WEBHOOK_PORT"):
        certificate, authority = os.environ["WEBHOOK_CERTIFICATE"], os.environ["WEBHOOK_AUTHORITY"]
        settings.admission.managed = "websites.example.com"
        settings.admission.server = kopf.WebhookServer(
            addr="127.0.0.1",
            host="127.0.0.1",
            port=int(port),
            certfile=certificate,
            pkeyfile=certificate,
            cafile=authority,
        )


@kopf.on.mutate(*WEBSITES)
def default_host(spec: kopf.Spec, name: str | None, patch: kopf.Patch, **_: Any) -> None:
    """A Website without a host gets one by its name."""
    if not spec.get("host"):
        patch.spec["host"] = f"{name}.example.com"


@kopf.on.validate(*WEBSITES)
def refuse_moving_tags(spec: kopf.Spec, **_: Any) -> None:
    """An image must say which release it is."""
    if spec["image"].endswith(":latest"):
        raise kopf.AdmissionError("the image has a tag that moves", code=422)


@kopf.on.resume(*WEBSITES)
@kopf.on.create(*WEBSITES)
def make_deployment(spec: kopf.Spec, name: str, namespace: str, **_: Any) -> None:
    """The pods that serve it, owned by the Website."""
    labels = {"website": name}
    container = {"name": "web", "image": spec["image"]}
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "replicas": spec["replicas"],
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }
    kopf.adopt(deployment)
    kopf.label(deployment, labels)
    try:
        client.AppsV1Api().create_namespaced_deployment(namespace, deployment)
    except client.ApiException as error:
        if error.status != 409:
            raise


@kopf.on.update(*WEBSITES, field="spec")
def change_deployment(spec: kopf.Spec, name: str, namespace: str, **_: Any) -> None:
    """What is asked for now."""
    containers = [{"name": "web", "image": spec["image"]}]
    wanted = {"replicas": spec["replicas"], "template": {"spec": {"containers": containers}}}
    client.AppsV1Api().patch_namespaced_deployment(name, namespace, {"spec": wanted})


@kopf.on.event("apps", "v1", "deployments", labels={"website": kopf.PRESENT})
def report(status: kopf.Status, labels: kopf.Labels, namespace: str | None, **_: Any) -> None:
    """The Website says how many of its pods are ready."""
    ready = {"status": {"readyReplicas": status.get("readyReplicas", 0)}}
    try:
        client.CustomObjectsApi().patch_namespaced_custom_object_status(
            *WEBSITES[:2], namespace, WEBSITES[2], labels["website"], ready
        )
    except client.ApiException as error:
        if error.status != 404:
            raise


@kopf.on.delete(*WEBSITES)
def say_goodbye(name: str, namespace: str, **_: Any) -> None:
    """What has to be done before it may go; kopf's finalizer holds it until then."""
    goodbye = {"metadata": {"name": f"goodbye-{name}"}}
    client.CoreV1Api().create_namespaced_config_map(namespace, goodbye)
