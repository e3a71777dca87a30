"""The tokenizer of multilingual-e5-small as the library `tokenizers` makes it, vocabulary and all.

What the project's own is held to, which takes a thirtieth of the memory.
"""

from tokenizers import AddedToken, Regex, Tokenizer, normalizers
from tokenizers import pre_tokenizers as pre
from tokenizers.models import Unigram

from gdrive_rag_mcp.embedding.packed_model import PackedModel

_DROPPED = "[\x01-\x08\x0b\x0e-\x1f\x7f\x8f\x9f]"
_BLANKS = "[\t\n\x0c\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]"


def reference_tokenizer(packed: PackedModel) -> Tokenizer:
    """It adds no tokens for the start and the end of a text."""
    vocabulary = list(zip(packed.pieces, packed.scores, strict=True))
    tokenizer = Tokenizer(Unigram(vocabulary, unk_id=packed.special.unknown))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Replace(Regex(_DROPPED), ""),
            normalizers.Replace(Regex(_BLANKS), " "),
            normalizers.NFKC(),
            normalizers.Replace(Regex(" {2,}"), " "),
        ]
    )
    metaspace = pre.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.pre_tokenizer = pre.Sequence([pre.WhitespaceSplit(), metaspace])
    tokenizer.add_special_tokens(
        [
            AddedToken(word, special=True, normalized=False)
            for word in ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
        ]
    )
    return tokenizer
