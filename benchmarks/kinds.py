"""Creation of custom resources with ten CEL rules, and of ConfigMaps of the same size for comparison."""

import json
import time
from typing import Any, Final

from benchmarks.load import MakeRequest, request
from benchmarks.workload import Workload, call

_PATIENCE_SECONDS: Final = 10.0
_DEFINITIONS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_NAME: Final[dict[str, Any]] = {"type": "string", "maxLength": 63}
_PORTS: Final[dict[str, Any]] = {
    "type": "array",
    "maxItems": 16,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    "items": {
        "type": "object",
        "required": ["name", "number"],
        "properties": {"name": _NAME, "number": {"type": "integer"}},
        "x-kubernetes-validations": [{"rule": "self.number > 0 && self.number < 65536"}],
    },
    "x-kubernetes-validations": [{"rule": "self.all(port, port.name.startsWith('port-'))", "message": "must be ports"}],
}
_SPEC: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["replicas", "image"],
    "properties": {
        "replicas": {"type": "integer", "x-kubernetes-validations": [{"rule": "self >= 0"}]},
        "least": {"type": "integer"},
        "most": {"type": "integer"},
        "image": {"type": "string", "maxLength": 253, "x-kubernetes-validations": [{"rule": "self.contains(':')"}]},
        "mode": {"type": "string", "maxLength": 32, "x-kubernetes-validations": [{"rule": "self == oldSelf"}]},
        "labels": {"type": "object", "maxProperties": 16, "additionalProperties": _NAME},
        "ports": _PORTS,
    },
    "x-kubernetes-validations": [
        {"rule": "self.least <= self.most", "messageExpression": "'least is %d'.format([self.least])"},
        {"rule": "self.replicas >= self.least && self.replicas <= self.most"},
        {"rule": "!has(self.mode) || self.mode in ['production', 'test']"},
        {"rule": "self.labels.all(name, name.size() < 63 && self.labels[name] != '')"},
        {"rule": "self.image.matches('^[a-z0-9./:-]+$')"},
    ],
}


def define(workload: Workload) -> str:
    """Define a custom kind and wait until it is served; return the path for creating its objects."""
    group = f"{workload.prefix}.example.com"
    names = {"plural": "services", "kind": "Service"}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": _SPEC}}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    spec = {"group": group, "scope": "Namespaced", "names": names, "versions": [version]}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"services.{group}"},
        "spec": spec,
    }
    workload.call("POST", _DEFINITIONS, definition)
    path = f"/apis/{group}/v1/namespaces/{workload.prefix}-new/services"
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            call(workload.address, "GET", path)
        except SystemExit:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return path


def forget(workload: Workload) -> None:
    """Delete the definition."""
    workload.call("DELETE", f"{_DEFINITIONS}/services.{workload.prefix}.example.com")


def create_objects(workload: Workload, path: str) -> MakeRequest:
    """Return requests that create objects of the custom kind, each with its number in its name."""
    token = workload.address.token
    version = path.removeprefix("/apis/").partition("/namespaces/")[0]

    def make(number: int) -> bytes:
        return request("POST", path, json.dumps(_object(version, number)).encode(), token=token)

    return make


def create_config_maps(workload: Workload) -> MakeRequest:
    """Return requests that create ConfigMaps of the same size as the custom objects."""
    path, token = f"/api/v1/namespaces/{workload.prefix}-new/configmaps", workload.address.token

    def make(number: int) -> bytes:
        wanted = len(json.dumps(_object("v1", number)))
        data = {f"key-{index}": "x" * 20 for index in range(8)}
        config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"map-{number}"}, "data": data}
        data["rest"] = "x" * max(wanted - len(json.dumps(config_map)) - 12, 0)
        return request("POST", path, json.dumps(config_map).encode(), token=token)

    return make


def _object(version: str, number: int) -> dict[str, Any]:
    spec = {
        "replicas": 3,
        "least": 1,
        "most": 5,
        "image": "registry.example/web:1.27",
        "mode": "production",
        "labels": {"app": "web", "tier": "front", "owner": "someone"},
        "ports": [{"name": f"port-{index}", "number": 8080 + index} for index in range(4)],
    }
    return {"apiVersion": version, "kind": "Service", "metadata": {"name": f"object-{number}"}, "spec": spec}
