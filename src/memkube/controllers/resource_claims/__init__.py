"""ResourceClaims: which claims pods use, and the controller that creates and releases them."""
