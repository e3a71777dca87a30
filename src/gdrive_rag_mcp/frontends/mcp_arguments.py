"""The types of arguments that several MCP tools take."""

from typing import Annotated

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

# A local file is known by its path, of which every byte may have to be written as three characters.
_LONGEST_ID = 3 * 4096
DocumentId = Annotated[
    str,
    Field(
        min_length=1,
        max_length=_LONGEST_ID,
        description="From search results or list_documents.",
    ),
]
SomeId = Annotated[str, Field(max_length=_LONGEST_ID)] | SkipJsonSchema[None]
SomeWord = Annotated[str, Field(max_length=200)] | SkipJsonSchema[None]
SomeCursor = Annotated[str, Field(max_length=8_000)] | SkipJsonSchema[None]
SomeScope = Annotated[
    SomeId, Field(description="Only below this folder id, or in this document id.")
]
Question = Annotated[str, Field(min_length=1, description="The question, in any language.")]
