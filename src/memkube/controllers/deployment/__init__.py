"""The Deployment controller. It replaces the pods of a Deployment through ReplicaSets when the pod template changes."""
