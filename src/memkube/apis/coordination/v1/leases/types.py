from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, MicroTime


class LeaseSpec(ApiModel):
    """Holder, duration and renewal times of a Lease."""

    holderIdentity: str | None = Field(default=None, description="Identity of the client that holds the lease.")
    leaseDurationSeconds: Int32 | None = Field(
        default=None, description="Seconds after the renewal for which other candidates must wait."
    )
    acquireTime: MicroTime | None = Field(default=None, description="Time when the holder acquired the lease.")
    renewTime: MicroTime | None = Field(default=None, description="Time when the holder last renewed the lease.")
    leaseTransitions: Int32 | None = Field(
        default=None, description="Number of times that the lease has passed to another holder."
    )
    strategy: Annotated[str | None, Named("v1.CoordinatedLeaseStrategy")] = Field(
        default=None, description="Strategy by which coordinated leader election chooses the holder."
    )
    preferredHolder: str | None = Field(
        default=None,
        description="Identity of the candidate that should hold the lease next, in coordinated leader election.",
    )


class Lease(ApiObject):
    """A lock that expires unless it is renewed."""

    spec: LeaseSpec = Field(
        default_factory=LeaseSpec, description="Holder of the lease, its duration, and the times of its renewals."
    )
