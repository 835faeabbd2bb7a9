"""Common Expression Language (CEL) with Kubernetes' libraries: type checking, evaluation and error messages.

Expressions are parsed by the ``cel-expr-python`` package, Google's C++ parser, whose grammar and messages are those of
cel-go. Type checking and evaluation are implemented here. Checking, because the reference's types come from OpenAPI
schemas instead of protocol buffers, and its libraries are its own. Evaluation, because the reference limits its cost,
documents are read in place, and its errors are shown to users. This package knows no API kind and changes no object.
"""
