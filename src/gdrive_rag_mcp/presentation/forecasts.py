"""What embedding is ahead, in words and as a JSON object."""

from gdrive_rag_mcp.domain import Forecast
from gdrive_rag_mcp.presentation.counting import counted
from gdrive_rag_mcp.presentation.run_shapes import ForecastObject

_MINUTE = 60.0
_HOURS_FROM = 3 * 60.0


def forecast_object(forecast: Forecast | None) -> ForecastObject | None:
    """What is still to be embedded; null where there is nothing."""
    if forecast is None:
        return None
    return ForecastObject(
        chunks=forecast.chunks,
        tokens=forecast.tokens,
        calls=forecast.calls,
        minutes=None if forecast.seconds is None else round(forecast.seconds / _MINUTE, 1),
        estimated=forecast.estimated,
        again=forecast.again,
    )


def forecast_text(forecast: Forecast) -> str:
    """What is still to be embedded, in a line."""
    about = "about " if forecast.estimated else ""
    again = f" ({forecast.again} of them again, for token vectors)" if forecast.again else ""
    parts = [
        f"{about}{counted(forecast.chunks, 'chunk')}{again}",
        f"about {counted(forecast.tokens, 'token')}",
    ]
    if forecast.calls is not None:
        parts.append(
            f"about {counted(forecast.calls, 'call')} to the provider"
            if forecast.calls
            else "no calls to a provider"
        )
    parts.append(_duration(forecast))
    lead = "to embed, estimated from sizes and types" if forecast.estimated else "to embed"
    return f"{lead}: {', '.join(parts)}"


def _duration(forecast: Forecast) -> str:
    if forecast.calls is None:
        return "once an embedder is set"
    if forecast.seconds is None:
        return "how long is known once some are done"
    minutes = forecast.seconds / _MINUTE
    if minutes < 1:
        return "less than a minute"
    if minutes < _HOURS_FROM:
        return f"about {counted(round(minutes), 'minute')}"
    return f"about {counted(round(minutes / _MINUTE), 'hour')}"
