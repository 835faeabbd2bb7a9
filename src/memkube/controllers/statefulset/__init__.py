"""Manages StatefulSets: pods with stable names, in order, and rolling updates between revisions of the template."""
