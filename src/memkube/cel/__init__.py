"""Common Expression Language (CEL) with Kubernetes' libraries: type checking, evaluation and error messages.

The subpackage `parsing` is a parser of its own, because Kubernetes shows the messages of cel-go's parser to its users.
This package implements type checking, because Kubernetes takes types from OpenAPI schemas instead of protocol buffers
and adds its own libraries. It implements evaluation, because Kubernetes limits the cost, reads JSON data without
copying it, and shows error messages to users. This package contains no code for particular kinds and modifies no
object.
"""
