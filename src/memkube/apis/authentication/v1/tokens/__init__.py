"""Tokens of service accounts: signing them (``pkg/serviceaccount``), asking for one, and finding out whose one is."""
