"""Which requests webhooks and policies are about: types and rules that their kinds share."""
