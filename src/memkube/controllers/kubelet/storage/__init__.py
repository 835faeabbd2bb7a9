"""Volumes of pods: their files, mounts and claims, and the tokens in them."""
