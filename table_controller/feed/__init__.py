"""The feed: topics, envelopes, a durable outbox and the MQTT client. See ``docs/feed.md``."""
