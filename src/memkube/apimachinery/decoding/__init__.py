"""Decoding of request bodies into models, with the results and errors of kube-apiserver.

This package does no I/O and contains no code for particular kinds.
"""

from memkube.apimachinery.decoding.decode import Decoded, decode, decode_document, duplicate_fields
from memkube.apimachinery.decoding.errors import DecodeError
from memkube.apimachinery.decoding.json_body import body_summary, parse_json, probe_type, type_meta_error
from memkube.apimachinery.decoding.unstructured import convert_document
from memkube.apimachinery.decoding.yaml_body import YamlBody, parse_yaml, read_yaml

__all__ = [
    "DecodeError",
    "Decoded",
    "YamlBody",
    "body_summary",
    "convert_document",
    "decode",
    "decode_document",
    "duplicate_fields",
    "parse_json",
    "parse_yaml",
    "probe_type",
    "read_yaml",
    "type_meta_error",
]
