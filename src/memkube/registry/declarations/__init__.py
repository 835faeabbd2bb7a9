"""The declaration of a kind (its resource, strategy, columns and hooks), and the catalog of all served resources.

Nothing here reads or writes storage.
"""
