"""PodTemplates: stored templates for pods."""
