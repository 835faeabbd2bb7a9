"""Field numbers of the autoscaling/v1 messages. Source: the protobuf tags of the reference's types."""

from collections.abc import Mapping
from typing import Final

FIELDS: Final[Mapping[str, str]] = {
    "Scale": "metadata=1 spec=2 status=3",
    "ScaleSpec": "replicas=1",
    "ScaleStatus": "replicas=1 selector=2",
}
