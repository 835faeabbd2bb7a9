"""Shared base of all controllers: client, informers, work queues and the event recorder (client-go's ``tools``).

This package must not depend on any single controller.
"""
