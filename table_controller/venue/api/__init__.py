"""The HTTP API of the venue's service: routes as data, from which the OpenAPI document is made too."""
