"""What a question asks for: checked at the border, then read into terms."""

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import QueryTerm
from gdrive_rag_mcp.errors import QueryError
from gdrive_rag_mcp.retrieval.thesaurus import NO_SYNONYMS, Thesaurus
from gdrive_rag_mcp.terms import query_terms, tokens

MAX_QUESTION_CHARACTERS = 4_000


def checked_question(text: str) -> str:
    """Bring a question to the form that is searched for; operators of any search syntax are text.

    Raises:
        QueryError: nothing in it can be searched for, or it is too long.
    """
    question = clean(text).strip()
    if len(question) > MAX_QUESTION_CHARACTERS:
        raise QueryError(
            f"The question has {len(question):,} characters; the limit is"
            f" {MAX_QUESTION_CHARACTERS:,}.",
            hint="Ask in one or two sentences, and leave out pasted documents.",
        )
    if not tokens(question):
        raise QueryError(
            "The question holds no word or number to search for.",
            hint="Ask in words, such as: How many days of leave does a new employee get?",
        )
    return question


def analyse(text: str, thesaurus: Thesaurus = NO_SYNONYMS) -> tuple[QueryTerm, ...]:
    """Read a question into its distinct terms, in order; function words are marked.

    >>> [(term.token, term.key) for term in analyse("Who signs the lease?")]
    [('who', False), ('signs', True), ('the', False), ('lease', True)]
    """
    return thesaurus.applied(text, query_terms(text))
