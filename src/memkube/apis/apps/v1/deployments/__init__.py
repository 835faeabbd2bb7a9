"""Deployments: templates of pods that change in steps."""
