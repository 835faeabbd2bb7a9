"""Executes the Stages of KWOK (``kwok.x-k8s.io/v1alpha1``), which change objects step by step.

The languages in Stages, jq and Go's templates, are in ``languages``, which depends neither on Kubernetes nor on the
registry.
"""
