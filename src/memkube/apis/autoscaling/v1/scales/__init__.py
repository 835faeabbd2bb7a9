"""Scales: how many pods there are to be, whatever makes them."""
