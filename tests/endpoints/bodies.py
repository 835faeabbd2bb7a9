"""Hypothesis strategies for request bodies: any bytes, any JSON, and almost valid pods."""

import copy
import json
from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

from hypothesis import strategies as st

Path: TypeAlias = tuple[str | int, ...]
_GONE: Final = object()

POD: Final[dict[str, Any]] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "name": "target",
        "generateName": "target-",
        "labels": {"app": "web"},
        "annotations": {"a": "b"},
        "finalizers": ["example.com/keep"],
        "ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "1", "controller": True}],
    },
    "spec": {
        "restartPolicy": "Always",
        "serviceAccountName": "default",
        "activeDeadlineSeconds": 30,
        "terminationGracePeriodSeconds": 30,
        "nodeSelector": {"disk": "ssd"},
        "hostAliases": [{"ip": "10.0.0.1", "hostnames": ["a"]}],
        "dnsConfig": {"nameservers": ["10.0.0.2"], "options": [{"name": "ndots", "value": "2"}]},
        "securityContext": {"runAsUser": 1, "fsGroup": 2, "sysctls": [{"name": "kernel.sem", "value": "1"}]},
        "tolerations": [{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}],
        "topologySpreadConstraints": [
            {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}
        ],
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}]
                }
            }
        },
        "volumes": [
            {"name": "config", "configMap": {"name": "c", "items": [{"key": "a", "path": "b", "mode": 420}]}},
            {"name": "scratch", "emptyDir": {"sizeLimit": "1Gi"}},
            {"name": "all", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}},
        ],
        "initContainers": [{"name": "init", "image": "busybox", "restartPolicy": "Always"}],
        "containers": [
            {
                "name": "web",
                "image": "nginx:1",
                "command": ["a"],
                "env": [
                    {"name": "A", "value": "b"},
                    {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
                ],
                "ports": [{"containerPort": 80, "hostPort": 8080, "protocol": "TCP", "name": "http"}],
                "resources": {"requests": {"cpu": "100m"}, "limits": {"cpu": "1", "memory": "1Gi"}},
                "volumeMounts": [{"name": "config", "mountPath": "/etc/x", "subPath": "a"}],
                "livenessProbe": {"httpGet": {"path": "/", "port": "http"}, "periodSeconds": 5},
                "lifecycle": {"preStop": {"exec": {"command": ["true"]}}},
                "securityContext": {"capabilities": {"add": ["NET_ADMIN"]}, "privileged": False},
            }
        ],
    },
    "status": {"phase": "Pending", "conditions": [{"type": "Ready", "status": "True"}]},
}

_NUMBERS: Final = st.integers() | st.integers(-3, 3) | st.sampled_from([2**31, 2**63, -(2**63) - 1]) | st.floats()
_WORDS: Final = st.sampled_from(
    ["", "Always", "1e400", "-1", "1Gi", "0x10", "a" * 300, "..", "/", "a/b/c", "2024-01-01T00:00:00Z", "$patch"]
)
# Unpaired surrogates are possible in JSON strings.
_TEXTS: Final = st.text(st.characters(exclude_categories=()), max_size=10) | _WORDS
JSON: Final[st.SearchStrategy[Any]] = st.recursive(
    st.none() | st.booleans() | _NUMBERS | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=8,
)


def _paths(value: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from _paths(child, (*path, key))


def _changed(changes: Sequence[tuple[Path, Any]]) -> Any:
    document = copy.deepcopy(POD)
    for path, value in changes:
        _change(document, path, value)
    return document


def _change(document: Any, path: Path, value: Any) -> None:
    *parents, last = path
    try:
        for key in parents:
            document = document[key]
        if value is _GONE:
            del document[last]
        else:
            document[last] = value
    except (TypeError, LookupError):
        # An earlier change has removed the parent of this field.
        return


_PATHS: Final = [path for path in _paths(POD) if path]
_CHANGES: Final = st.lists(st.tuples(st.sampled_from(_PATHS), JSON | st.just(_GONE)), min_size=1, max_size=3)
PODS: Final = _CHANGES.map(_changed)
"""Pods in which some fields are replaced by arbitrary values or removed."""

_POINTERS: Final = st.sampled_from(["/" + "/".join(map(str, path)) for path in _PATHS]) | _TEXTS
_OPERATIONS: Final = st.fixed_dictionaries(
    {"op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test"]), "path": _POINTERS},
    optional={"value": JSON, "from": _POINTERS},
)
JSON_PATCHES: Final = st.lists(_OPERATIONS | JSON, max_size=3)


def written(value: Any) -> bytes:
    """Return JSON in ASCII, so that unpaired surrogates can be encoded."""
    return json.dumps(value).encode()
