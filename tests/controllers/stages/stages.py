"""Stages like those that KWOK publishes, and a cluster that applies them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from memkube.apimachinery.model import Document
from memkube.apis.apiextensions.v1.customresourcedefinitions.types import CustomResourceDefinition
from memkube.controllers.definitions.serving import resources_of
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.stages.definition import stage_definition
from memkube.registry.declarations.request_options import ListOptions
from tests.controllers.cluster import Cluster, running

RUN = """
{{ $now := Now }}
phase: Running
hostIP: {{ NodeIPWith .spec.nodeName | Quote }}
{{ $pod := .metadata }}
podIP: {{ PodIPWith .spec.nodeName ( or .spec.hostNetwork false ) $pod.uid $pod.name $pod.namespace | Quote }}
startTime: {{ $now | Quote }}
conditions:
- lastTransitionTime: {{ $now | Quote }}
  status: "True"
  type: Ready
containerStatuses:
{{ range .spec.containers }}
- image: {{ .image | Quote }}
  name: {{ .name | Quote }}
  ready: true
  restartCount: 0
  state:
    running:
      startedAt: {{ $now | Quote }}
{{ end }}
"""
READY_NODE = """
{{ $now := Now }}
phase: Running
addresses:
- address: {{ NodeIP | Quote }}
  type: InternalIP
- address: {{ NodeName | Quote }}
  type: Hostname
conditions:
{{ range NodeConditions }}
- lastHeartbeatTime: {{ $now | Quote }}
  lastTransitionTime: {{ or $.metadata.creationTimestamp $now | Quote }}
  message: {{ .message | Quote }}
  reason: {{ .reason | Quote }}
  status: {{ .status | Quote }}
  type: {{ .type | Quote }}
{{ end }}
allocatable:
{{ with .status.allocatable }}
{{ YAML . 1 }}
{{ else }}
  cpu: 1k
  memory: 1Ti
  pods: 1M
{{ end }}
"""


def exists(key: str) -> Document:
    return {"key": key, "operator": "Exists"}


def missing(key: str) -> Document:
    return {"key": key, "operator": "DoesNotExist"}


def among(key: str, *values: str) -> Document:
    return {"key": key, "operator": "In", "values": list(values)}


def stage(name: str, kind: str, *requirements: Document, group: str = "v1", **spec: Any) -> Document:
    """Return a Stage that selects the objects which meet all requirements."""
    return {
        "apiVersion": "kwok.x-k8s.io/v1alpha1",
        "kind": "Stage",
        "metadata": {"name": name},
        "spec": {
            "resourceRef": {"apiGroup": group, "kind": kind},
            "selector": {"matchExpressions": list(requirements)},
            **spec,
        },
    }


def pod_ready(**spec: Any) -> Document:
    """Return the Stage that starts pods."""
    requirements = missing(".metadata.deletionTimestamp"), among(".status.phase", "Pending")
    return stage("pod-ready", "Pod", *requirements, **{"next": {"statusTemplate": RUN}, **spec})


def pod_delete(**spec: Any) -> Document:
    """Return the Stage that removes terminating pods."""
    return stage("pod-delete", "Pod", exists(".metadata.deletionTimestamp"), **{"next": {"delete": True}, **spec})


def node_ready(**spec: Any) -> Document:
    """Return the Stage that makes Nodes ready."""
    key = '.status.conditions.[] | select( .type == "Ready" ) | .status'
    requirement = {"key": key, "operator": "NotIn", "values": ["True"]}
    return stage("node-ready", "Node", requirement, **{"next": {"statusTemplate": READY_NODE}, **spec})


def serve(cluster: Cluster, definition: Document) -> None:
    """Serve the kind of a CustomResourceDefinition."""
    names = definition["spec"]["names"]
    read = CustomResourceDefinition.from_document({**definition, "status": {"acceptedNames": names}})
    cluster.registry.catalog.serve(resources_of(read, lambda: True, Runtime(cluster.parts)))


@asynccontextmanager
async def playing(*stages: Document, controllers: str = "stages,kubelet", **options: Any) -> AsyncIterator[Cluster]:
    """Run a cluster with these Stages during the block."""
    async with running(*controllers.split(","), **options) as cluster:
        serve(cluster, stage_definition())
        for each in stages:
            await cluster.create(each)
        yield cluster


def node(name: str, **metadata: Any) -> Document:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, **metadata}}


def pod_on(node_name: str, name: str = "p", **metadata: Any) -> Document:
    """Return a pod that is bound to a node."""
    spec = {"nodeName": node_name, "containers": [{"name": "c", "image": "nginx"}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, **metadata}, "spec": spec}


async def events(cluster: Cluster, about: str, namespace: str = "default") -> list[tuple[str, str, str]]:
    """Return type, reason and message of the Events about an object."""
    found = (await cluster.store("events").list(namespace, ListOptions())).items
    documents = [stored.document for stored in found]
    told = [each for each in documents if each["involvedObject"]["name"] == about]
    return [(each["type"], each["reason"], each["message"]) for each in told]
