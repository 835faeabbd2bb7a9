"""API priority and fairness (KEP-1040): classes of requests by FlowSchemas, and shares of priority levels.

Nothing here depends on which endpoint answers a request.
"""
