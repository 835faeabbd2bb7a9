"""A conversion webhook, and definitions that use it."""

import json
from typing import Any

from starlette.types import Receive, Scope, Send

GROUP = "shapes.example.com"
ADDRESS = f"/apis/{GROUP}/{{}}/namespaces/default/squares"


class Converter:
    """Converts ``spec.size`` of v1 to ``spec.width`` of v2 and back, and records the requests."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.changes: dict[str, Any] = {}
        """Fields to overwrite in each response."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        review = json.loads(body)
        request = review["request"]
        self.asked.append({"path": scope["path"], "apiVersion": review["apiVersion"], **request})
        converted = [_converted(item, request["desiredAPIVersion"]) for item in request["objects"]]
        response = {"uid": request["uid"], "convertedObjects": converted, "result": {"status": "Success"}}
        answer = {**review, "response": {**response, **self.changes}}
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
        await send({"type": "http.response.body", "body": json.dumps(answer).encode()})


def _converted(item: dict[str, Any], api_version: str) -> dict[str, Any]:
    old, new = ("size", "width") if api_version.endswith("v2") else ("width", "size")
    # As in Kubernetes, an apply that removes fields sends objects without a spec to the webhook.
    spec = {new if name == old else name: value for name, value in item.get("spec", {}).items()}
    return {**item, "apiVersion": api_version, **({"spec": spec} if "spec" in item else {})}


def definition(client_config: dict[str, Any], reviews: tuple[str, ...] = ("v1",)) -> dict[str, Any]:
    """Return a definition of a kind whose storage version is v1."""

    def version(name: str, field: str) -> dict[str, Any]:
        spec = {"type": "object", "properties": {field: {"type": "integer"}}}
        schema = {"type": "object", "properties": {"spec": spec}}
        return {"name": name, "served": True, "storage": name == "v1", "schema": {"openAPIV3Schema": schema}}

    webhook = {"conversionReviewVersions": list(reviews), "clientConfig": client_config}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"squares.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {"plural": "squares", "singular": "square", "kind": "Square"},
            "versions": [version("v1", "size"), version("v2", "width")],
            "conversion": {"strategy": "Webhook", "webhook": webhook},
        },
    }


def square(name: str, version: str = "v1", **spec: int) -> dict[str, Any]:
    return {"apiVersion": f"{GROUP}/{version}", "kind": "Square", "metadata": {"name": name}, "spec": spec}
