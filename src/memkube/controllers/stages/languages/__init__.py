"""The languages in which Stages are written: a subset of jq, and a subset of Go's ``text/template``.

A program outside of the subset is refused when it is compiled. This package knows no object of Kubernetes, and does no
input or output.
"""
