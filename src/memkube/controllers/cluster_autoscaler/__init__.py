"""The cluster autoscaler, which changes the number of nodes in pools (https://github.com/kubernetes/autoscaler).

It decides by the scheduler's filter plugins, and changes nodes through `SimulatedNodes` only.
"""
