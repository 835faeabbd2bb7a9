"""Groups and versions that other servers serve: kube-aggregator's controllers, which belong to the API server.

They run whichever controllers are chosen.
"""
