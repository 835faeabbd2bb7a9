"""What tests of saved clusters look at."""

from typing import Any

import memkube
from memkube.registry.objects.stored import StoredObject


def config_map(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def texts(snapshot: memkube.Snapshot) -> dict[str, bytes]:
    """Every object as bytes, and the world, as a file has them."""
    objects: dict[str, StoredObject] = dict(snapshot.objects.objects)
    return {key: stored.data for key, stored in objects.items()}
