"""Common Expression Language (CEL) with Kubernetes' libraries: type checking, evaluation and error messages.

Google's C++ parser in the ``cel-expr-python`` package parses expressions; it has the grammar and messages of cel-go.
This package implements type checking, because Kubernetes takes types from OpenAPI schemas instead of protocol buffers
and adds its own libraries. It implements evaluation, because Kubernetes limits the cost, reads JSON data without
copying it, and shows error messages to users. This package contains no code for particular kinds and modifies no
object.
"""
