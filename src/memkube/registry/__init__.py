"""The REST verbs on objects of any kind. Nothing here may know HTTP or a single kind."""
