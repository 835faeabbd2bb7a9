"""Authentication and authorization of requests. Modules here know neither HTTP libraries nor storage."""
