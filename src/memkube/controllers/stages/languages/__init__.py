"""The languages in Stages: CEL, a subset of jq, and a subset of Go's ``text/template``.

A program with any other syntax or function is refused when it is compiled. This package does not depend on Kubernetes,
and does no input or output.
"""
