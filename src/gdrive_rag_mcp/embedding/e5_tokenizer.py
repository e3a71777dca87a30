"""The tokenizer of multilingual-e5-small as an ordinary `tokenizers` object."""

from tokenizers import AddedToken, Regex, Tokenizer, decoders, normalizers
from tokenizers import pre_tokenizers as pre
from tokenizers.models import Unigram
from tokenizers.processors import TemplateProcessing

from gdrive_rag_mcp.embedding.packed_model import PackedModel

# What SentencePiece's `nmt_nfkc` rule does besides NFKC: it drops some characters and takes others,
# the joiners and the replacement character among them, for a blank.
_DROPPED = "[\x01-\x08\x0b\x0e-\x1f\x7f\x8f\x9f]"
_BLANKS = "[\t\n\x0c\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]"
_MARK = "▁"


def build_tokenizer(packed: PackedModel) -> Tokenizer:
    """Build it from the pieces and scores of the weights file."""
    special, pieces = packed.special, packed.pieces
    vocabulary = list(zip(pieces, packed.scores, strict=True))
    tokenizer = Tokenizer(Unigram(vocabulary, unk_id=special.unknown))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Replace(Regex(_DROPPED), ""),
            normalizers.Replace(Regex(_BLANKS), " "),
            normalizers.NFKC(),
            normalizers.Replace(Regex(" {2,}"), " "),
        ]
    )
    metaspace = pre.Metaspace(replacement=_MARK, prepend_scheme="always")
    tokenizer.pre_tokenizer = pre.Sequence([pre.WhitespaceSplit(), metaspace])
    tokenizer.decoder = decoders.Metaspace(replacement=_MARK, prepend_scheme="always")
    start, end = pieces[special.start], pieces[special.end]
    tokenizer.post_processor = TemplateProcessing(
        single=f"{start} $A {end}", special_tokens=[(start, special.start), (end, special.end)]
    )
    tokenizer.add_special_tokens(
        [
            AddedToken(piece, special=True, normalized=False)
            for piece in (start, pieces[special.padding], end, pieces[special.unknown], "<mask>")
        ]
    )
    return tokenizer
