"""A number that an option cannot take is answered with itself and with what it could be."""

import pytest
from typer.testing import CliRunner

from gdrive_rag_mcp.errors import SettingsError
from gdrive_rag_mcp.frontends.cli.running import app
from gdrive_rag_mcp.settings import load_settings

SECONDS = "a whole number from 1 to 604800"
PASSAGES = "a whole number from 1 to 50"
PORT = "a whole number from 0 to 65535"
WAIT = "a number from 1 to 86400"
MANY = "9" * 200


@pytest.fixture(autouse=True)
def _wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors are drawn in a box, whose lines are to hold them whole."""
    monkeypatch.setenv("COLUMNS", "1000")


@pytest.mark.parametrize(
    ("words", "option", "value", "wanted"),
    [
        (("sync",), "--watch", "0", SECONDS),
        (("sync",), "--watch", "-1", SECONDS),
        (("sync",), "--watch", "604801", SECONDS),
        (("sync",), "--watch", "soon", SECONDS),
        (("sync",), "--watch", "", SECONDS),
        (("sync",), "--watch", "1e3", SECONDS),
        (("search", "leave"), "--limit", "0", PASSAGES),
        (("search", "leave"), "--limit", "51", PASSAGES),
        (("search", "leave"), "--limit", "1.5", PASSAGES),
        (("auth-google",), "--port", "-1", PORT),
        (("auth-google",), "--port", "http", PORT),
        (("auth-google",), "--timeout", "nan", WAIT),
        (("auth-google",), "--timeout", "0.5", WAIT),
        (("auth-google",), "--timeout", "1e9", WAIT),
    ],
)
def test_a_number_out_of_range_is_answered_with_itself_and_the_range(
    words: tuple[str, ...], option: str, value: str, wanted: str
) -> None:
    ran = CliRunner().invoke(app, [*words, f"{option}={value}"])

    assert ran.exit_code == 2
    assert f"'{option}': {value!r} is not {wanted}" in " ".join(ran.output.split())


def test_a_very_long_value_is_shown_in_part() -> None:
    ran = CliRunner().invoke(app, ["sync", "--watch", MANY])

    assert ran.exit_code == 2
    assert MANY[:70] in ran.output
    assert MANY not in ran.output
    assert SECONDS in ran.output


def test_what_is_wrong_with_an_option_that_is_no_number_is_told_as_ever() -> None:
    ran = CliRunner().invoke(app, ["status", "--state", "sideways"])

    assert "'sideways' is not one of" in ran.output


@pytest.mark.parametrize("pace", ["0.0000001", "0.009", "1e-300"])
def test_a_pace_that_never_gets_anywhere_is_refused(pace: str) -> None:
    with pytest.raises(SettingsError, match=r"from 0\.01 to 10000") as caught:
        load_settings(environ={"GDRIVE_RAG_DRIVE_QPS": pace})

    assert pace in caught.value.message
    assert "0 sets no limit" in caught.value.hint


@pytest.mark.parametrize(("pace", "taken"), [("0", 0), ("0.01", 0.01), ("10000", 10000)])
def test_no_limit_and_the_slowest_pace_are_paces(pace: str, taken: float) -> None:
    assert load_settings(environ={"GDRIVE_RAG_DRIVE_QPS": pace}).drive_qps == taken
