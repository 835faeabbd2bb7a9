"""The REST verbs on objects of any kind. No HTTP, and no single kind, may be known here."""
