"""Locks with an end."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, MicroTime


class LeaseSpec(ApiModel):
    """Who holds a lease, and since when."""

    holderIdentity: str | None = Field(default=None, description="Who holds the lease.")
    leaseDurationSeconds: Int32 | None = Field(
        default=None, description="Seconds after the renewal for which others must wait."
    )
    acquireTime: MicroTime | None = Field(default=None, description="When the holder got the lease.")
    renewTime: MicroTime | None = Field(default=None, description="When the holder renewed the lease last.")
    leaseTransitions: Int32 | None = Field(default=None, description="How often the holder changed.")
    strategy: Annotated[str | None, Named("v1.CoordinatedLeaseStrategy")] = Field(
        default=None, description="How a coordinated election chooses the holder."
    )
    preferredHolder: str | None = Field(
        default=None, description="Who should hold the lease instead, in a coordinated election."
    )


class Lease(ApiObject):
    """A lock that ends unless it is renewed."""

    spec: LeaseSpec = Field(default_factory=LeaseSpec, description="Who holds the lease, and since when.")
