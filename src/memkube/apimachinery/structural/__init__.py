"""Custom kinds by their schemas. No schema is changed here, and no value: what differs is made anew."""

from memkube.apimachinery.structural.numbers import with_whole_numbers
from memkube.apimachinery.structural.schema import StructuralSchema

__all__ = ["StructuralSchema", "with_whole_numbers"]
