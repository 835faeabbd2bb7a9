from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import memkube

_WRITTEN = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: gadgets, singular: gadget, kind: Gadget}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
---
apiVersion: example.com/v1
kind: Gadget
metadata: {name: first}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: nginx}]}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: Pod
metadata: {name: alone, namespace: shop}
spec: {containers: [{name: main, image: nginx}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: once, namespace: shop}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: busybox, command: ['true']}]}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: 'shop:reader'}
"""


@pytest.fixture
def kube() -> Iterator[memkube.Memkube]:
    with memkube.Memkube(clock="stepped") as started:
        started.apply(_WRITTEN)
        started.clock.advance(10)
        yield started


def documents(folder: Path) -> list[dict[str, Any]]:
    return [document for path in sorted(folder.iterdir()) for document in yaml.safe_load_all(path.read_text())]


def test_what_somebody_has_written_is_exported_in_the_order_in_which_it_can_be_taken(
    kube: memkube.Memkube, tmp_path: Path
) -> None:
    assert kube.export(tmp_path) == 8
    assert [path.name for path in sorted(tmp_path.iterdir())] == [
        "1-customresourcedefinition.apiextensions.k8s.io_gadgets.example.com.yaml",
        "2-namespace_shop.yaml",
        "3-service_shop_web.yaml",
        "4-deployment.apps_shop_web.yaml",
        "5-job.batch_shop_once.yaml",
        "6-pod_shop_alone.yaml",
        "7-gadget.example.com_first.yaml",
        "8-clusterrole.rbac.authorization.k8s.io_shop-reader.yaml",
    ]


def test_nothing_is_exported_that_a_server_sets(kube: memkube.Memkube, tmp_path: Path) -> None:
    kube.export(tmp_path, layout="kind")
    for document in documents(tmp_path):
        assert "status" not in document
        assert {*document["metadata"]} <= {"name", "namespace", "labels", "annotations", "finalizers"}
    spec: dict[str, Any] = {document["kind"]: document.get("spec") for document in documents(tmp_path)}
    assert "clusterIP" not in spec["Service"]
    assert {"nodeName", "volumes"} & {*spec["Pod"]} == set()
    assert "selector" not in spec["Job"]


def test_what_is_exported_can_be_applied_and_exported_again(kube: memkube.Memkube, tmp_path: Path) -> None:
    kube.export(tmp_path / "one")
    with memkube.Memkube(clock="stepped") as other:
        other.apply(tmp_path / "one")
        other.clock.advance(10)
        assert other.object("deployments", "web", "shop")["status"]["readyReplicas"] == 2
        other.export(tmp_path / "other")
    assert documents(tmp_path / "other") == documents(tmp_path / "one")


def test_a_folder_that_has_manifests_is_left_alone(kube: memkube.Memkube, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("mine")
    with pytest.raises(memkube.ManifestError, match="contains manifests already"):
        kube.export(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.yaml"]
