"""Plays the Stages of KWOK (``kwok.x-k8s.io/v1alpha1``) on the objects of a resource.

The languages of Stages, jq and Go's templates, are in ``languages``, which knows neither Kubernetes nor the registry.
"""
