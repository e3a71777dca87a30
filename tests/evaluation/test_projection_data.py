"""Questions become examples: what answers them first, and what a search finds besides."""

import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from gdrive_rag_mcp.domain import EVERYTHING, Query
from gdrive_rag_mcp.embedding.token_projection import TokenProjection, TokenStates
from gdrive_rag_mcp.evaluation.corpus_indexes import CorpusIndex
from gdrive_rag_mcp.evaluation.projection_data import (
    OpenIndex,
    Rarity,
    SetData,
    ask,
    examples,
    sets_to_ask,
)
from gdrive_rag_mcp.evaluation.projection_report import FOLDS, fold_of, table, told_apart
from gdrive_rag_mcp.evaluation.question_sets import HandedSet, Question, Text
from gdrive_rag_mcp.protocols import EmbedRole
from gdrive_rag_mcp.retrieval import Retriever
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.small_index import index_texts
from gdrive_rag_mcp.testing.token_embedder import HashingTokenEmbedder

WIDTH = 32
