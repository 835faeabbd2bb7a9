"""What becomes of pods on nodes that they do not tolerate (``pkg/controller/tainteviction``)."""
