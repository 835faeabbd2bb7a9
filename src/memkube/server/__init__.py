"""One server: its settings, the composition root that wires all layers, the objects of a new cluster, and its socket.

Only this package constructs the parts of a server. Nothing below it may import it.
"""
