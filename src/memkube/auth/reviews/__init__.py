"""Reviews by webhooks: of tokens, and of requests. What an answer means is decided elsewhere."""
