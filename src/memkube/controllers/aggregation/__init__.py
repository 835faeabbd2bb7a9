"""APIServices: kube-aggregator's controllers, which are part of the API server.

They run even if the user selects other controllers or none.
"""
