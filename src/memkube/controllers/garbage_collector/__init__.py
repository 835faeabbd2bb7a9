"""Deletes what has lost its owners (``pkg/controller/garbagecollector``)."""
