"""Questions with what a right verdict on them is, what came back, and what that amounts to."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from gdrive_rag_mcp.domain.evidence import Duplicate


class Expect(StrEnum):
    """What the documents do with a question."""

    ANSWER = "answer"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class Case:
    """A question, and what a right verdict on it is.

    `gold` are the documents that answer it, by id or path; `keywords` are words that what is cited
    must hold. `group` is what cases have in common that say nearly the same thing, if anything.
    """

    id: str
    question: str
    expect: Expect
    kind: str
    lang: str
    gold: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    group: str | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage as far as an evaluation looks at it; `reading` has its wrapped lines run on.

    `copies` are the passages that say the same and are listed with it.
    """

    document_id: str
    path: str
    reading: str
    copies: tuple[Duplicate, ...] = ()

    @property
    def document_ids(self) -> tuple[str, ...]:
        """The documents that a reader is told to look in: its own first."""
        return self.document_id, *(copy.document_id for copy in self.copies)


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for a question; `passages` are cited only where evidence is sufficient."""

    sufficient: bool
    reason: str
    confidence: float
    threshold: float
    mode: str
    passages: tuple[FoundPassage, ...] = ()
    missing_terms: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class Fault(StrEnum):
    """Why a case failed; the first that applies."""

    REFUSED = "refused"
    ACCEPTED = "accepted"
    WRONG_CITATION = "wrong_citation"
    KEYWORDS_MISSING = "keywords_missing"


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What became of a case.

    `gold_rank` is the place of the first passage from a gold document, or with a copy in one, from
    1, whether or not it was cited; None where there is none.
    """

    case: Case
    reply: Reply
    latency_ms: float
    gold_rank: int | None = None
    missing_keywords: tuple[str, ...] = ()
    fault: Fault | None = None

    @property
    def passed(self) -> bool:
        return self.fault is None

    @property
    def judged_rightly(self) -> bool:
        """Whether the verdict is right, whatever was cited."""
        return self.reply.sufficient is (self.case.expect is Expect.ANSWER)

    @property
    def cited(self) -> tuple[str, ...]:
        """The ids of the documents cited, best first, each once; copies after what they copy."""
        passages = self.reply.passages if self.reply.sufficient else ()
        return tuple(dict.fromkeys(one for found in passages for one in found.document_ids))


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure with its interval; all three are NaN where there is nothing to measure."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class EvaluationRow:
    """What the cases of one kind and language amount to; `lang` None: of all, and so `kind`.

    `right` is the share judged rightly. The share of right citations is that of accepted cases
    with gold; `hit_at_5` is NaN where fewer passages were asked for. `auroc` is of the confidence
    of the answerable cases of the language, or of all, against that of the row.
    """

    expect: Expect
    kind: str | None
    lang: str | None
    n: int
    accepted: int
    right: Measured
    right_citation: Measured
    right_first: float
    hit_at_1: float
    hit_at_5: float
    mrr: float
    auroc: Measured

    @property
    def refused(self) -> int:
        return self.n - self.accepted


@dataclass(frozen=True, slots=True)
class Floor:
    """The least share of a kind's cases that must be judged rightly, and what it is."""

    kind: str
    least: float
    reached: float

    @property
    def met(self) -> bool:
        return self.reached >= self.least


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All cases with what became of them, and what that amounts to.

    Cases of a kind with a floor may fail as far as that allows; every other one must pass.
    """

    results: tuple[CaseResult, ...]
    rows: tuple[EvaluationRow, ...]
    floors: tuple[Floor, ...]
    limit: int
    scope_id: str | None = None

    @property
    def passed(self) -> int:
        return sum(result.passed for result in self.results)

    @property
    def modes(self) -> Mapping[str, int]:
        """How many questions each kind of search was made for."""
        modes = [result.reply.mode for result in self.results]
        return {mode: modes.count(mode) for mode in dict.fromkeys(modes)}

    @property
    def warnings(self) -> tuple[str, ...]:
        said = (warning for result in self.results for warning in result.reply.warnings)
        return tuple(dict.fromkeys(said))

    @property
    def succeeded(self) -> bool:
        floored = {floor.kind for floor in self.floors}
        others = (result for result in self.results if result.case.kind not in floored)
        return all(floor.met for floor in self.floors) and all(one.passed for one in others)
