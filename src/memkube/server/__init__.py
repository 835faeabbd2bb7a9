"""A whole server: its settings, the composition root that connects all parts, the initial objects, and the socket.

Only this package creates the parts of a server. No other package of the server may import it.
"""
