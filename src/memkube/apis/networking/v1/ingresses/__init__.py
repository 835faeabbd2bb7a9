"""Ingresses: how services are reached from outside."""
