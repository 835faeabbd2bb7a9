"""Kinds that ask the server a question: created by POST, answered, never stored."""

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.registry.connect import Creator
from memkube.registry.resource import Resource
from memkube.registry.strategy import Strategy
from memkube.registry.table import NAME_AND_AGE


def review_resource(
    *, group: str, version: str, plural: str, model: type[ApiObject], review: Creator, namespaced: bool = True
) -> Resource:
    """A kind, named as its model is, whose objects `review` answers."""
    return Resource(
        group=group,
        version=version,
        kind=model.__name__,
        plural=plural,
        singular=model.__name__.lower(),
        namespaced=namespaced,
        verbs=("create",),
        model=model,
        strategy=Strategy[ApiObject](),
        printer=NAME_AND_AGE,
        create=review,
    )
