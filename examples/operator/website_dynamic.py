"""The same operator without a framework: the dynamic client of the official `kubernetes` package, and two threads.

memkube run -- sh -c 'kubectl apply -f examples/operator/website.yaml; python examples/operator/website_dynamic.py'
"""

import base64
import json
import os
import signal
import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from kubernetes import config, dynamic
from kubernetes.client import ApiException
from kubernetes.dynamic.exceptions import ConflictError, NotFoundError
from urllib3.exceptions import HTTPError

FINALIZER = "example.com/goodbye"


class Operator:
    """Reconciles the cluster with the Websites."""

    def __init__(self) -> None:
        self.cluster = dynamic.DynamicClient(config.new_client_from_config())
        self.websites = self.cluster.resources.get(api_version="example.com/v1", kind="Website")
        self.deployments = self.cluster.resources.get(api_version="apps/v1", kind="Deployment")
        self.config_maps = self.cluster.resources.get(api_version="v1", kind="ConfigMap")

    def follow(self, resource: Any, owner: Any) -> None:
        """Reconcile the Website of every event.

        A watch that ends, breaks or has expired is started again, and so is one during which a request was refused. A
        new watch begins with all existing objects, so nothing is missed.
        """
        while True:
            try:
                for event in resource.watch(namespace="default", timeout=300):
                    if name := owner(event["object"]):
                        self.reconcile(name)
            except (ApiException, HTTPError) as error:
                print(f"{resource.name} are watched anew in a second: {error}")
                time.sleep(1)

    def reconcile(self, name: str) -> None:
        """Reconcile one Website from its stored state.

        After a conflict, the event of the other change triggers it again.
        """
        try:
            website = self.websites.get(name=name, namespace="default")
            if website.metadata.deletionTimestamp:
                self.say_goodbye(website)
            else:
                self.serve(website)
        except (ConflictError, NotFoundError) as passed:
            print(f"{name}: {passed.reason}")

    def serve(self, website: Any) -> None:
        """Apply the Website's Deployment with server-side apply, and update the Website's status."""
        if FINALIZER not in (website.metadata.finalizers or []):
            self.change_finalizers(website, [FINALIZER])
        found = self.deployments.server_side_apply(
            body=deployment_of(website), name=website.metadata.name, namespace="default", field_manager="website"
        )
        status = {"status": {"readyReplicas": found.status.readyReplicas or 0}}
        self.websites.status.patch(
            body=status, name=website.metadata.name, namespace="default", content_type="application/merge-patch+json"
        )

    def say_goodbye(self, website: Any) -> None:
        """Apply a farewell ConfigMap for a terminating Website, and remove the finalizer.

        If the operator ends between the two, the ConfigMap exists at the second attempt.
        """
        if FINALIZER in (website.metadata.finalizers or []):
            name = f"goodbye-{website.metadata.name}"
            goodbye = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
            self.config_maps.server_side_apply(body=goodbye, name=name, namespace="default", field_manager="website")
            self.change_finalizers(website, [])

    def change_finalizers(self, website: Any, finalizers: list[str]) -> None:
        """Set the finalizers. Raises ConflictError if the Website has changed since it was read."""
        metadata = {"finalizers": finalizers, "resourceVersion": website.metadata.resourceVersion}
        self.websites.patch(
            body={"metadata": metadata},
            name=website.metadata.name,
            namespace="default",
            content_type="application/merge-patch+json",
        )


def deployment_of(website: Any) -> dict[str, Any]:
    """Return the Deployment that serves a Website and is owned by it."""
    labels = {"website": website.metadata.name}
    owner = {
        "apiVersion": website.apiVersion,
        "kind": website.kind,
        "name": website.metadata.name,
        "uid": website.metadata.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": website.metadata.name, "labels": labels, "ownerReferences": [owner]},
        "spec": {
            "replicas": website.spec.replicas,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "web", "image": website.spec.image}]},
            },
        },
    }


class Webhooks(BaseHTTPRequestHandler):
    """Answers AdmissionReviews."""

    def do_POST(self) -> None:
        """Set a default host at ``/default-host``, and refuse images with moving tags at ``/refuse-moving-tags``."""
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        website, response = review["request"]["object"], {"uid": review["request"]["uid"], "allowed": True}
        if self.path.startswith("/default-host"):
            if not website["spec"].get("host"):
                host = {"op": "add", "path": "/spec/host", "value": f"{website['metadata']['name']}.example.com"}
                response |= {"patchType": "JSONPatch", "patch": base64.b64encode(json.dumps([host]).encode()).decode()}
        elif website["spec"]["image"].endswith(":latest"):
            response |= {"allowed": False, "status": {"code": 422, "message": "the image has a tag that moves"}}
        body = json.dumps({"apiVersion": review["apiVersion"], "kind": review["kind"], "response": response}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Suppress the log of requests."""


def serve_webhooks(cluster: Any, port: int, certificate: Path, authority: Path) -> None:
    """Serve webhooks in a thread, and register them in the cluster."""
    server = ThreadingHTTPServer(("127.0.0.1", port), Webhooks)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    kinds = {"MutatingWebhookConfiguration": "default-host", "ValidatingWebhookConfiguration": "refuse-moving-tags"}
    for kind, name in kinds.items():
        url, bundle = f"https://127.0.0.1:{port}/{name}", base64.b64encode(authority.read_bytes()).decode()
        rule = {
            "apiGroups": ["example.com"],
            "apiVersions": ["v1"],
            "resources": ["websites"],
            "operations": ["CREATE", "UPDATE"],
        }
        webhook = {
            "name": f"{name}.websites.example.com",
            "clientConfig": {"url": url, "caBundle": bundle},
            "rules": [rule],
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
        }
        configurations = cluster.resources.get(api_version="admissionregistration.k8s.io/v1", kind=kind)
        configurations.create(body={"metadata": {"name": "websites.example.com"}, "webhooks": [webhook]})


def main() -> None:
    """Run until SIGINT or SIGTERM."""
    operator = Operator()
    if port := os.environ.get("WEBHOOK_PORT"):
        certificate, authority = Path(os.environ["WEBHOOK_CERTIFICATE"]), Path(os.environ["WEBHOOK_AUTHORITY"])
        serve_webhooks(operator.cluster, int(port), certificate, authority)
    followed = (
        (operator.websites, lambda website: website.metadata.name),
        (operator.deployments, lambda deployment: (deployment.metadata.labels or {}).get("website")),
    )
    for arguments in followed:
        threading.Thread(target=operator.follow, args=arguments, daemon=True).start()
    signal.sigwait({signal.SIGINT, signal.SIGTERM})


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    main()
