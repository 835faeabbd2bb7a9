"""Namespaces: in each, the names of namespaced objects of one resource are unique."""
