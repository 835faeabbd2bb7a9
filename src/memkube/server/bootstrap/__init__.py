"""What stands in a new server: the objects that the reference's API server makes itself (``pkg/controlplane``).

They are the server's own, whichever controllers run, and are made through the verbs of the store.
"""
