"""The content of snapshots, for comparisons in tests."""

from typing import Any

import memkube
from memkube.registry.objects.stored import StoredObject


def config_map(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def texts(snapshot: memkube.Snapshot) -> dict[str, bytes]:
    """Return every object of a snapshot as bytes, and the other state, as in a snapshot file."""
    objects: dict[str, StoredObject] = dict(snapshot.objects.objects)
    return {key: stored.data for key, stored in objects.items()}
