"""TLS to the broker: whom to believe, and in plain words why a connection was refused."""

from __future__ import annotations

import socket
import ssl

import paho.mqtt.client as mqtt

from table_controller.errors import ConfigError

PROBE_S = 3.0


def secure(client: mqtt.Client, ca_file: str) -> None:
    """Let a client speak TLS, believing ``ca_file`` (PEM) or, where it is empty, the system's authorities.

    Raises ConfigError when the file cannot be read or holds no certificate.
    """
    client.tls_set_context(context_of(ca_file))


def context_of(ca_file: str) -> ssl.SSLContext:
    """The context of ``secure``."""
    try:
        return ssl.create_default_context(cafile=ca_file or None)
    except (OSError, ssl.SSLError) as error:
        raise ConfigError(
            f"The authority's certificate {ca_file} cannot be read: {error}.",
            way_out="Name the PEM file of the authority that signed the broker's certificate.",
        ) from error


def why_refused(host: str, port: int, ca_file: str) -> str:
    """What a TLS handshake with this broker fails by, with the way out; empty where it does not. Blocks for seconds."""
    try:
        context = context_of(ca_file)
        line = socket.create_connection((host, port), PROBE_S)
    except (OSError, ConfigError):
        return ""
    try:
        with line, context.wrap_socket(line, server_hostname=host):
            return ""
    except ssl.SSLCertVerificationError as error:
        believed = ca_file or "the system's authorities"
        return f"its certificate is not believed ({error.verify_message}): by {believed}. {_way_out(error)}"
    except OSError as error:
        return f"it answers, but not in TLS ({error}): the port is one without TLS, or of another service"


def _way_out(error: ssl.SSLCertVerificationError) -> str:
    """What cures a certificate that is refused, by what is wrong with it (X509_V_ERR_…)."""
    if error.verify_code in (9, 10):  # not yet valid, expired
        return "Look at this machine's clock (timedatectl); if it is right, the broker needs a new certificate"
    if error.verify_code in (62, 64):  # another host name, another address
        return "Set host to a name that stands in it"
    return "Set ca_file to the authority that signed it"
