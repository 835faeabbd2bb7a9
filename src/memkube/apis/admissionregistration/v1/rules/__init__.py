"""Types and validation of the rules that select admission requests; webhooks and policies share them."""
