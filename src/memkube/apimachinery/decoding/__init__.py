"""Decoding of request bodies into models, with the results and errors of kube-apiserver.

This package does no I/O and contains no code for particular kinds. The module for YAML is imported with the first YAML
body.
"""

from memkube.apimachinery.decoding.decode import decode_document, duplicate_fields
from memkube.apimachinery.decoding.errors import DecodeError
from memkube.apimachinery.decoding.json_body import (
    Pairs,
    body_summary,
    first_infinity,
    parse_json,
    plain,
    probe_type,
    type_meta_error,
)
from memkube.apimachinery.decoding.unstructured import convert_document

__all__ = [
    "DecodeError",
    "Pairs",
    "body_summary",
    "convert_document",
    "decode_document",
    "duplicate_fields",
    "first_infinity",
    "parse_json",
    "plain",
    "probe_type",
    "type_meta_error",
]
