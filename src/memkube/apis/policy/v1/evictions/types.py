"""The request to remove a pod with respect for its disruption budgets."""

from pydantic import Field

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions


class Eviction(ApiObject):
    """Asks for the removal of a pod if its disruption budgets allow it."""

    deleteOptions: DeleteOptions | None = Field(default=None, description="How to delete the pod.")
