"""R15: every key with five kinds of wrong values, unknown keys, and a file cut at every byte: exit status 78, named."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from table_controller import cli
from table_controller.config import Config, parse_config
from table_controller.errors import EX_CONFIG, ConfigError

KEYS = [
    (section.name, item)
    for section in fields(Config)
    for item in fields(section.default_factory)  # type: ignore[arg-type]
]
WRONG = ("[1]", "{}", "1979-05-27", "-1.5", "'\\u0000/+#'")
"""A list, a table, a date, a fraction, and a text that names nothing."""


@pytest.mark.parametrize(("section", "item"), KEYS, ids=lambda value: getattr(value, "name", value))
def test_a_wrong_value_names_file_key_and_what_is_allowed(section: str, item: object) -> None:
    name, low, high = item.name, item.metadata["low"], item.metadata["high"]  # type: ignore[attr-defined]
    wrong = [*WRONG[:4]]
    if low is not None:
        wrong += [str(low - 1), str(high + 1), "true", '"text"']
    elif isinstance(item.default, bool):  # type: ignore[attr-defined]
        wrong += ["1", '"yes"']
    else:
        wrong += ["true", "7"]
    for value in wrong:
        with pytest.raises(ConfigError) as caught:
            parse_config(f"[{section}]\n{name} = {value}\n", "t.toml")
        line = caught.value.line()
        assert "t.toml" in line
        assert f"{section}.{name}" in line
        assert caught.value.way_out
        if low is not None:
            assert f"{low} to {high}" in line


@pytest.mark.parametrize("section", [section.name for section in fields(Config)])
def test_an_unknown_key_is_an_error_and_a_missing_one_has_a_default(section: str) -> None:
    with pytest.raises(ConfigError, match="unknown key 'colour'"):
        parse_config(f"[{section}]\ncolour = 1\n", "t.toml")
    assert parse_config(f"[{section}]\n", "t.toml") == Config()


def test_a_file_cut_at_any_byte_is_read_or_refused_in_words(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "systemd" / "table.toml").read_text(encoding="utf-8")
    text += '[web]\nport = 8080\nurl = "http://10.0.0.7:8080"  # 主控\n'
    data, refused = text.encode(), 0
    for cut in range(len(data)):
        try:
            parse_config(data[:cut].decode(errors="strict"), "t.toml")
        except UnicodeDecodeError:
            (tmp_path / "t.toml").write_bytes(data[:cut])
            assert cli.main(["run", "--config", str(tmp_path / "t.toml")]) == EX_CONFIG
        except ConfigError as error:
            refused += 1
            assert error.exit_status == EX_CONFIG
            assert "t.toml" in error.line()
            assert error.way_out
    assert refused > 100


@pytest.mark.parametrize("source", ["x", "usb:0", "", "frames", "v4l2:", "pi:0", "http://cam"])
def test_what_names_no_camera_is_a_wrong_setting(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.toml"
    path.write_text(f"[camera]\nsource = '{source}'\n[dealer]\nport = 'none'\n[feed]\nhost = ''\n")
    assert cli.main(["run", "--config", str(path)]) == EX_CONFIG
    assert source in capsys.readouterr().err
