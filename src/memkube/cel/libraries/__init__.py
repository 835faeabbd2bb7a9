"""The functions that expressions may call, by library; what they do is not told here."""
