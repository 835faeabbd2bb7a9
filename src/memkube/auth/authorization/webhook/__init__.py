"""The authorizer that asks a webhook (apiserver ``plugin/pkg/authorizer/webhook``)."""
