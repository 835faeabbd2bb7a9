"""NetworkPolicies: who may talk to pods."""
