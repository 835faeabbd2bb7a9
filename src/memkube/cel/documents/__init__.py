"""JSON documents as CEL values, typed by their schemas (apiserver ``pkg/cel/common/valuesunstructured.go``).

Documents are not copied: a part is converted when an expression reads it, and an EvaluationError is raised then if it
does not match its schema. A document without a schema needs no conversion: its Python value is its CEL value.
"""

from memkube.cel.documents.shapes import Shape, shape_of

__all__ = ["Shape", "shape_of"]
