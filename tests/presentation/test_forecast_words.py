"""What embedding is ahead, in words and as JSON."""

from dataclasses import replace

import pytest

from gdrive_rag_mcp import presentation as present
from gdrive_rag_mcp.domain import EmbeddingIdentity, Forecast, ReindexReport
from gdrive_rag_mcp.presentation import forecast_object, forecast_text, reindex_text
from tests.presentation.test_runs import PLAN, REPORT

AHEAD = Forecast(chunks=12_340, tokens=3_100_000, calls=772, seconds=1_500.0)
FORMER = EmbeddingIdentity("embedded", "small", 384, "ab" * 32)
CURRENT = EmbeddingIdentity("gemini", "large", 768, "cd" * 32)


def test_a_forecast_is_a_line_with_chunks_tokens_calls_and_time() -> None:
    assert forecast_text(AHEAD) == (
        "to embed: 12340 chunks, about 3100000 tokens, about 772 calls to the provider, "
        "about 25 minutes"
    )


def test_an_estimate_says_that_it_is_one() -> None:
    said = forecast_text(replace(AHEAD, estimated=True, calls=0, seconds=None))

    assert said.startswith("to embed, estimated from sizes and types: about 12340 chunks, ")
    assert "no calls to a provider" in said
    assert said.endswith("how long is known once some are done")


def test_texts_that_are_embedded_again_are_told_apart() -> None:
    said = forecast_text(replace(AHEAD, again=40))

    assert "12340 chunks (40 of them again, for token vectors), " in said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (3.0, "less than a minute"),
        (89.0, "about 1 minute"),
        (10_000.0, "about 167 minutes"),
        (20_000.0, "about 6 hours"),
    ],
)
def test_a_time_is_told_in_the_unit_that_fits(seconds: float, said: str) -> None:
    assert forecast_text(replace(AHEAD, seconds=seconds)).endswith(said)


def test_without_an_embedder_neither_calls_nor_time_are_made_up() -> None:
    said = forecast_text(replace(AHEAD, calls=None, seconds=None))

    assert "call" not in said
    assert "minute" not in said
    assert forecast_object(replace(AHEAD, calls=None, seconds=None)) == {
        "chunks": 12_340,
        "tokens": 3_100_000,
        "calls": None,
        "minutes": None,
        "estimated": False,
        "again": 0,
    }


def test_reports_and_plans_carry_the_forecast() -> None:
    assert present.sync_object(REPORT)["forecast"] is None
    done = present.sync_object(replace(REPORT, forecast=AHEAD))["forecast"]
    assert done
    assert (done["chunks"], done["minutes"]) == (12_340, 25.0)
    planned = replace(PLAN, forecast=replace(AHEAD, estimated=True))
    assert present.plan_object(planned)["forecast"]
    assert "to embed, estimated" in present.plan_text(planned)


def test_where_nothing_is_ahead_a_plan_says_nothing_of_it() -> None:
    nothing = replace(PLAN, forecast=None)

    assert present.plan_object(nothing)["forecast"] is None
    assert "to embed" not in present.plan_text(nothing)


def test_a_reindex_is_told_in_a_line_and_as_an_object() -> None:
    report = ReindexReport(FORMER, CURRENT, embedded=40, reused=2, waiting=3, forecast=AHEAD)

    assert reindex_text(report) == (
        "40 texts embedded, 3 without a vector; from embedded small, 384 dimensions, abababababab "
        "to gemini large, 768 dimensions, cdcdcdcdcdcd"
    )
    shown = present.reindex_object(report)
    assert (shown["embedded"], shown["reused"], shown["waiting"], shown["flipped"]) == (
        40,
        2,
        3,
        True,
    )
    assert shown["current"]
    assert shown["current"]["provider"] == "gemini"


def test_a_reindex_that_is_not_done_says_that_the_former_vectors_serve() -> None:
    report = ReindexReport(FORMER, CURRENT, 40, flipped=False, waiting=60, warnings=("so it is",))

    assert "40 texts embedded, 60 waiting; search goes on with the former vectors" in (
        reindex_text(report)
    )
    assert "warning: so it is" in reindex_text(report)


def test_a_planned_reindex_says_what_it_takes() -> None:
    planned = ReindexReport(FORMER, CURRENT, 0, flipped=False, forecast=AHEAD)

    assert reindex_text(planned).splitlines()[1] == forecast_text(AHEAD)
    known = replace(planned, forecast=None)
    assert reindex_text(known).endswith("nothing to embed")


def test_a_reindex_to_the_same_embedder_has_nothing_to_do() -> None:
    assert reindex_text(ReindexReport(FORMER, FORMER, 0)).startswith("nothing to do: ")
