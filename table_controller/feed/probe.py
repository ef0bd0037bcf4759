"""Whether a broker takes a table's name and password: asked once, by whoever sets a table up."""

from __future__ import annotations

import threading

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from table_controller.feed.client import Broker
from table_controller.feed.security import secure, why_refused

ANSWER_S = 5.0


def why_not(broker: Broker) -> str:
    """Why this broker would not let the table in, in plain words; empty where it does. Blocks for seconds.

    Raises ConfigError where ``ca_file`` cannot be read.
    """
    not_believed = why_refused(broker.host, broker.port, broker.ca_file) if broker.tls else ""
    if not_believed:
        return not_believed
    said, done = [""], threading.Event()
    client = mqtt.Client(CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5, reconnect_on_failure=False)
    if broker.username:
        client.username_pw_set(broker.username, broker.password)
    if broker.tls:
        secure(client, broker.ca_file)

    def answered(reason: object, is_failure: bool) -> None:
        said[0] = f"it refuses the table: {reason}. Check feed.username and feed.password_file" if is_failure else ""
        done.set()

    client.on_connect = lambda c, u, flags, reason, props: answered(reason, reason.is_failure)
    try:
        client.connect(broker.host, broker.port, keepalive=10)
    except (OSError, ValueError) as error:
        return str(error)
    client.loop_start()
    if not done.wait(ANSWER_S):
        said[0] = "it takes the connection and says nothing: it is no MQTT broker, or speaks TLS only (feed.tls)"
    client.disconnect()
    client.loop_stop()
    return said[0]
