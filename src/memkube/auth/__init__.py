"""Authentication and authorization of requests. This package knows neither HTTP libraries nor storage."""
