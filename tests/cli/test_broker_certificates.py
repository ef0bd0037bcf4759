"""A broker's certificate that is refused: what is wrong with it decides what a person is told to do."""

from __future__ import annotations

import contextlib
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from table_controller.feed.security import why_refused

CA = """
[ca]
default_ca = own
[own]
database = {folder}/index
new_certs_dir = {folder}
serial = {folder}/serial
default_md = sha256
policy = any
copy_extensions = copy
[any]
commonName = supplied
"""


def openssl(*words: object) -> None:
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An authority that signs for any time."""
    made = tmp_path_factory.mktemp("authority")
    (made / "ca.conf").write_text(CA.format(folder=made))
    (made / "index").touch()
    (made / "serial").write_text("01\n")
    for name in ("ours", "other"):
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 9000,
                "-subj", f"/CN={name}", "-keyout", made / f"{name}.key", "-out", made / f"{name}.pem")  # fmt: skip
    return made


def signed(folder: Path, name: str, address: str, begins: str, ends: str) -> Path:
    """Certificate and key in one file."""
    asked, key, made = (folder / f"{name}.{end}" for end in ("csr", "key", "crt"))
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
            "-addext", f"subjectAltName={address}", "-keyout", key, "-out", asked)  # fmt: skip
    openssl("ca", "-batch", "-notext", "-config", folder / "ca.conf", "-cert", folder / "ours.pem", "-keyfile",
            folder / "ours.key", "-startdate", begins, "-enddate", ends, "-in", asked, "-out", made)  # fmt: skip
    whole = folder / f"{name}.both"
    whole.write_text(made.read_text() + key.read_text())
    return whole


@contextlib.contextmanager
def listening(both: Path) -> Iterator[int]:
    """Something that speaks TLS with this certificate to whoever comes once."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(both)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def greet() -> None:
            with contextlib.suppress(OSError):
                line, _ = server.accept()
                line.settimeout(10)
                with line, contextlib.suppress(OSError), context.wrap_socket(line, server_side=True) as secured:
                    secured.recv(1)

        thread = threading.Thread(target=greet)
        thread.start()
        yield int(server.getsockname()[1])
        with contextlib.suppress(OSError):  # for one that nobody came to
            server.shutdown(socket.SHUT_RDWR)
        thread.join()


OLD, NOW_ON, FAR, FARTHER = "20200101000000Z", "20210101000000Z", "20480101000000Z", "20490101000000Z"


@pytest.mark.parametrize(
    ("name", "address", "begins", "ends", "ca", "words"),
    [
        ("good", "IP:127.0.0.1", OLD, FAR, "ours", ""),
        ("unknown", "IP:127.0.0.1", OLD, FAR, "other", "Set ca_file to the authority that signed it"),
        ("elsewhere", "DNS:broker.hall", OLD, FAR, "ours", "Set host to a name that stands in it"),
        ("another address", "IP:192.0.2.1", OLD, FAR, "ours", "Set host to a name that stands in it"),
        ("expired", "IP:127.0.0.1", OLD, NOW_ON, "ours", "the broker needs a new certificate"),
        ("clock of 1970", "IP:127.0.0.1", FAR, FARTHER, "ours", "Look at this machine's clock"),
    ],
)
def test_what_is_wrong_with_a_certificate_is_said_with_its_own_way_out(
    folder: Path, name: str, address: str, begins: str, ends: str, ca: str, words: str
) -> None:
    with listening(signed(folder, name.replace(" ", "-"), address, begins, ends)) as port:
        said = why_refused("127.0.0.1", port, str(folder / f"{ca}.pem"))
    assert (words in said) if words else said == ""
    assert ("is not believed" in said) == bool(words)
