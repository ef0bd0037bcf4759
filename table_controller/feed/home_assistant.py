"""Optional: a table shows itself in Home Assistant, by its MQTT discovery (one retained document for the device).

The document only says where the table's own topics are and what to show of them; nothing else is published for it.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from table_controller import __version__
from table_controller.feed.topics import Topics

PREFIX = "homeassistant"
_SENSORS: dict[str, tuple[str, str, str]] = {
    "phase": ("Phase", "mdi:cards-playing-outline", "{{ value_json.data.phase }}"),
    "levels": ("Levels EW : NS", "mdi:stairs", "{{ value_json.data.levels.EW }} : {{ value_json.data.levels.NS }}"),
    "deal": ("Deal", "mdi:counter", "{{ value_json.data.deal }}"),
    "turn": ("Turn", "mdi:account-arrow-right", "{{ value_json.data.turn or '' }}"),
    "incidents": ("Open incidents", "mdi:whistle-outline", "{{ value_json.data.incidents | count }}"),
}
"""Name in the document: words, icon, what of the state."""
_CALLED = "{{ 'ON' if value_json.data.incidents | selectattr('kind', 'in', ['td_call', 'stop']) | list else 'OFF' }}"
_CAMERA = "{{ 'ON' if value_json.data.camera_lost else 'OFF' }}"


def node_of(topics: Topics) -> str:
    """The device's name in topics and identifiers: letters, digits, - and _ alone, and no two tables' the same."""
    named = f"guandan_{topics.venue}_{topics.table}"
    made = re.sub(r"[^A-Za-z0-9_-]", "_", named)
    return made if made == named else f"{made}_{hashlib.sha256(named.encode()).hexdigest()[:8]}"


def discovery_topic(topics: Topics) -> str:
    """Where Home Assistant looks for it."""
    return f"{PREFIX}/device/{node_of(topics)}/config"


def discovery(topics: Topics, http: str) -> bytes:
    """The document, as https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload describes it."""
    node = node_of(topics)
    device: dict[str, Any] = {
        "identifiers": [node],
        "name": f"Guandan table {topics.table}",
        "manufacturer": "table-controller",
        "sw_version": __version__,
        "suggested_area": topics.venue,
    }
    if http.startswith(("http://", "https://")):
        device["configuration_url"] = http
    components: dict[str, Any] = {
        name: {"platform": "sensor", "name": words, "icon": icon, "value_template": template}
        for name, (words, icon, template) in _SENSORS.items()
    }
    components["called"] = {"platform": "binary_sensor", "name": "Referee called", "value_template": _CALLED}
    components["camera"] = {
        "platform": "binary_sensor", "name": "Camera", "device_class": "problem", "value_template": _CAMERA,
    }  # fmt: skip
    for name, component in components.items():
        component |= {"unique_id": f"{node}_{name}", "state_topic": topics.state}
    document: dict[str, Any] = {
        "device": device,
        "origin": {"name": "table-controller", "sw_version": __version__},
        "components": components,
        "availability": [
            {
                "topic": topics.availability,
                "value_template": "{{ 'online' if value_json.state == 'ready' else 'offline' }}",
            }
        ],
        "availability_mode": "latest",
        "qos": 1,
    }
    return json.dumps(document, ensure_ascii=False).encode()
