"""Label selectors: parsing, representation and evaluation (apimachinery's ``labels``)."""

from memkube.apimachinery.labels.parser import parse
from memkube.apimachinery.labels.selector import LabelSelector, Requirement, from_model

__all__ = ["LabelSelector", "Requirement", "from_model", "parse"]
