"""What goes wrong in a sync: answers that fail, the end of the process, and people who go on."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Self

from gdrive_rag_mcp.sources.drive import DriveSource
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.fake_drive import FakeDrive


class KilledError(BaseException):
    """The process ended here."""


@dataclass
class Moments:
    """Counts the moments at which a process may end: calls, and beginnings and ends of commits."""

    last: int | None = None
    passed: int = 0

    def __call__(self) -> None:
        self.passed += 1
        if self.passed == self.last:
            raise KilledError


def mortal(source: DriveSource, moments: Moments) -> DriveSource:
    """The same source, whose process may end before or after any call."""
    transport = source._transport

    def wrapped(call: Callable[..., object]) -> Callable[..., object]:
        def made(*parameters: object, **named: object) -> object:
            moments()
            answer = call(*parameters, **named)
            moments()
            return answer

        return made

    for name in ("metadata", "stream"):
        setattr(transport, name, wrapped(getattr(transport, name)))
    return source


def mortal_store(store: Store, moments: Moments) -> Store:
    """The same store, whose process may end before or after any transaction."""
    whole = store.transaction

    @contextmanager
    def transaction() -> Iterator[None]:
        moments()
        with whole():
            yield
        moments()

    vars(store)["transaction"] = transaction
    return store


LISTING = "GET /drive/v3/files?"


def _lies_about(line: str) -> bool:
    """Whether a refusal here would say something of a folder that is not true, and no more."""
    return line.startswith(LISTING)


@dataclass
class Weather:
    """Faults and deeds at the numbers of requests where they are due, drawn from one number."""

    drive: FakeDrive
    seed: int
    faults: int = 0
    deeds: int = 0
    do: Callable[[random.Random], object] = lambda _: None
    problems: list[BaseException] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    done: int = 0

    def __post_init__(self) -> None:
        self._draw = random.Random(self.seed)  # noqa: S311 - made up, not kept secret
        reach = self._draw.choice([6, 15, 40])
        self._faults = {self._draw.randrange(1, reach) for _ in range(self.faults)}
        self._deeds = {self._draw.randrange(1, reach) for _ in range(self.deeds)}
        self._count = 0

    def __enter__(self) -> Self:
        self.drive.on_request = self._before
        return self

    def __exit__(self, *_: object) -> None:
        self.drive.on_request = None
        self.drive.faults.clear()
        self.drive.api.incomplete_folders.clear()
        if self.problems:
            raise self.problems[0]

    def _before(self, _: int, line: str) -> None:
        self._count += 1
        try:
            if self._count in self._deeds:
                self.done += 1
                self.do(self._draw)
            if self._count in self._faults:
                self._fail(line)
        except BaseException as error:  # noqa: BLE001 - raised again in the test's own thread
            self.problems.append(error)

    def _fail(self, line: str) -> None:
        drive, draw = self.drive, self._draw
        fault = draw.choice(FAULTS)
        if fault in (refused, not_found) and not _lies_about(line):
            fault = broken
        self.said.append(f"{self._count} {fault.__name__} {line[:100]}")
        fault(drive, draw)


def broken(drive: FakeDrive, draw: random.Random) -> None:
    drive.fail(".", draw.choice([500, 502, 503]), times=draw.choice([1, 2, 5, 10]))


def too_fast(drive: FakeDrive, draw: random.Random) -> None:
    reason = draw.choice(["userRateLimitExceeded", "rateLimitExceeded", "RATE_LIMIT_EXCEEDED"])
    drive.fail(".", draw.choice([403, 429]), reason, times=draw.choice([1, 2, 10]))


def far_too_fast(drive: FakeDrive, _: random.Random) -> None:
    drive.fail(".", 429, "rateLimitExceeded", retry_after="900")


def used_up(drive: FakeDrive, _: random.Random) -> None:
    drive.fail(".", 403, "dailyLimitExceeded")


def unauthorized(drive: FakeDrive, _: random.Random) -> None:
    drive.fail(".", 401, "authError", times=3)


def refused(drive: FakeDrive, _: random.Random) -> None:
    drive.fail(".", 403, "insufficientFilePermissions")


def not_found(drive: FakeDrive, _: random.Random) -> None:
    drive.fail(".", 404, "notFound")


def reset(drive: FakeDrive, draw: random.Random) -> None:
    drive.reset(".", times=draw.choice([1, 2, 10]))


def cut(drive: FakeDrive, draw: random.Random) -> None:
    drive.cut(".", times=draw.choice([1, 2, 10]))


def nonsense(drive: FakeDrive, draw: random.Random) -> None:
    body = draw.choice([b"<html>", b"{}", b"[]", b'{"files": 3}', b""])
    drive.fail(".", 200, body=body, times=draw.choice([1, 5]))


def bad_request(drive: FakeDrive, _: random.Random) -> None:
    drive.fail(".", 400, "invalid", message="Invalid Value: pageToken")


def expired_tokens(drive: FakeDrive, _: random.Random) -> None:
    drive.api.expire_list_tokens()


def incomplete(drive: FakeDrive, _: random.Random) -> None:
    drive.api.incomplete_folders |= {"user", "drive", *drive.files.world.drives}


FAULTS = (
    broken, too_fast, far_too_fast, used_up, unauthorized, refused, not_found, reset, cut,
    nonsense, bad_request, expired_tokens, incomplete,
)  # fmt: skip
