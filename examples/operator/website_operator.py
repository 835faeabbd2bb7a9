"""An operator made with kopf: it gives each Website a Deployment and a host, and creates a farewell ConfigMap.

    cd examples/operator; memkube run -- sh -c 'kubectl apply -f website.yaml; kopf run -n default website_operator.py'

If WEBHOOK_PORT is set, the operator also serves admission webhooks on 127.0.0.1. WEBHOOK_CERTIFICATE is then the file
of a certificate with its key, and WEBHOOK_AUTHORITY that of its CA.
"""

import os
from typing import Any

import kopf
from kubernetes import client, config

WEBSITES = ("example.com", "v1", "websites")
WEBHOOK_PORT = os.environ.get("WEBHOOK_PORT")


@kopf.on.startup()
def configure(settings: kopf.OperatorSettings, **_: Any) -> None:
    """Connect with the kubeconfig. If there is a port for webhooks, serve them, and let kopf register them."""
    config.load_kube_config()
    settings.posting.enabled = False
    if WEBHOOK_PORT:
        certificate, authority = os.environ["WEBHOOK_CERTIFICATE"], os.environ["WEBHOOK_AUTHORITY"]
        settings.admission.managed = "websites.example.com"
        settings.admission.server = kopf.WebhookServer(
            addr="127.0.0.1",
            host="127.0.0.1",
            port=int(WEBHOOK_PORT),
            certfile=certificate,
            pkeyfile=certificate,
            cafile=authority,
        )


def default_host(spec: kopf.Spec, name: str | None, patch: kopf.Patch, **_: Any) -> None:
    """Give a Website without a host one that is derived from its name."""
    if not spec.get("host"):
        patch.spec["host"] = f"{name}.example.com"


def refuse_moving_tags(spec: kopf.Spec, **_: Any) -> None:
    """Refuse an image whose tag does not identify a release."""
    if spec["image"].endswith(":latest"):
        raise kopf.AdmissionError("the image has a tag that moves", code=422)


# kopf does not start if handlers of webhooks are registered and it has no server for them.
if WEBHOOK_PORT:
    kopf.on.mutate(*WEBSITES)(default_host)
    kopf.on.validate(*WEBSITES)(refuse_moving_tags)


@kopf.on.resume(*WEBSITES)
@kopf.on.create(*WEBSITES)
def make_deployment(spec: kopf.Spec, name: str, namespace: str, **_: Any) -> None:
    """Create the Deployment that serves a Website and is owned by it."""
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
    """Update the Deployment after a change of the Website's spec."""
    containers = [{"name": "web", "image": spec["image"]}]
    wanted = {"replicas": spec["replicas"], "template": {"spec": {"containers": containers}}}
    client.AppsV1Api().patch_namespaced_deployment(name, namespace, {"spec": wanted})


@kopf.on.event("apps", "v1", "deployments", labels={"website": kopf.PRESENT})
def report(status: kopf.Status, labels: kopf.Labels, namespace: str | None, **_: Any) -> None:
    """Report the number of ready pods in the Website's status."""
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
    """Create a farewell ConfigMap before the Website is deleted; kopf's finalizer delays the deletion until then.

    kopf calls this again if the operator ends before kopf has removed its finalizer, so the ConfigMap may exist.
    """
    goodbye = {"metadata": {"name": f"goodbye-{name}"}}
    try:
        client.CoreV1Api().create_namespaced_config_map(namespace, goodbye)
    except client.ApiException as error:
        if error.status != 409:
            raise
