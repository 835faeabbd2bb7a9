"""The cluster autoscaler, which changes the number of nodes in node pools (https://github.com/kubernetes/autoscaler).

It uses the scheduler's filter plugins to decide on which nodes pods fit. It adds and removes nodes only through
`SimulatedNodes`.
"""
