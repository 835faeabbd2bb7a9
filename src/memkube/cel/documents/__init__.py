"""JSON data as CEL values, typed by a schema (apiserver ``pkg/cel/common/valuesunstructured.go``).

JSON data is not copied: a part is converted when an expression reads it. EvaluationError is raised then if the part
does not match its schema. JSON data without a schema is used as a CEL value unchanged.
"""

from memkube.cel.documents.shapes import Shape, shape_of

__all__ = ["Shape", "shape_of"]
