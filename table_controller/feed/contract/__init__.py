"""The contract of the feed as data: a JSON Schema for every message, and the AsyncAPI document made from them."""
