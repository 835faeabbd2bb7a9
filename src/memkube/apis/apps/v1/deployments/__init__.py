"""Deployments: replicated pods with rolling updates."""
