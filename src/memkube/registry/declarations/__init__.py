"""Declarations of kinds (resource, strategy, table columns and hooks), and the catalog of all served resources.

Modules of this package neither read nor write storage.
"""
