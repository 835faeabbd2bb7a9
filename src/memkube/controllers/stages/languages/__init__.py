"""The languages in Stages: a subset of jq, and a subset of Go's ``text/template``.

Programs outside of the subsets are refused when they are compiled. This package does not depend on Kubernetes, and does
no input or output.
"""
