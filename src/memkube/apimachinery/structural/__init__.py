"""Structural schemas of custom kinds. Functions never modify schemas or values."""

from memkube.apimachinery.structural.numbers import has_whole_float, with_whole_numbers
from memkube.apimachinery.structural.schema import StructuralSchema

__all__ = ["StructuralSchema", "has_whole_float", "with_whole_numbers"]
