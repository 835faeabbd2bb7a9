"""PodTemplates: pods to be made."""
