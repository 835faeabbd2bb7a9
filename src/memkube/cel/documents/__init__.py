"""Documents as values, by their schemas (apiserver ``pkg/cel/common/valuesunstructured.go``).

Nothing is copied: a part is looked at when an expression asks for it, and what does not fit its schema is an
EvaluationError then. Documents without a schema need none of this: they are values as they are.
"""

from memkube.cel.documents.shapes import Shape, shape_of

__all__ = ["Shape", "shape_of"]
