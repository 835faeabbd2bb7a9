"""APIServices: kube-aggregator's controllers, which are part of the API server.

They run whichever controllers are chosen.
"""
