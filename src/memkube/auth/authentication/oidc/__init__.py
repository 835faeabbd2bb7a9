"""Authentication by the tokens of OpenID Connect providers (apiserver ``plugin/pkg/authenticator/token/oidc``)."""
