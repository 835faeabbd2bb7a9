"""Field numbers of the coordination.k8s.io/v1 messages. Source: the protobuf tags of the reference's types."""

from collections.abc import Mapping
from typing import Final

FIELDS: Final[Mapping[str, str]] = {
    "Lease": "metadata=1 spec=2",
    "LeaseSpec": (
        "holderIdentity=1 leaseDurationSeconds=2 acquireTime=3 renewTime=4 leaseTransitions=5 strategy=6 "
        "preferredHolder=7"
    ),
}
