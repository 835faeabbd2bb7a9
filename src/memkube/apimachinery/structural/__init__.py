"""Structural schemas of custom kinds. Functions never modify schemas or values."""

from memkube.apimachinery.structural.numbers import with_whole_numbers
from memkube.apimachinery.structural.schema import StructuralSchema

__all__ = ["StructuralSchema", "with_whole_numbers"]
