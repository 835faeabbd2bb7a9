"""API priority and fairness (KEP-1040): FlowSchemas classify requests, and priority levels limit how many run at once.

Modules of this package must not depend on which endpoint serves a request.
"""
