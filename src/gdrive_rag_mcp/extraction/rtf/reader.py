"""Follows the tokens of an RTF file: which text is shown, in which code page, and what it is."""

import codecs
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from gdrive_rag_mcp.domain import Document
from gdrive_rag_mcp.extraction.rtf.body import Aside, Body
from gdrive_rag_mcp.extraction.rtf.tokens import CHARACTER_SETS, CHARACTERS, Token, Tokens
from gdrive_rag_mcp.extraction.rtf.words import ASIDES, OPENED, PASSED_OVER, TABLES

_UTF_8_PAGE = 65001
_CODE_UNITS = 0x10000
_MAX_STAND_IN = 16


@dataclass(frozen=True, slots=True)
class _State:
    """What holds until the group at hand ends; `holder` is the table or aside that takes text."""

    codec: str
    after_unicode: int = 1
    table: str = ""
    aside: Aside | None = None
    deleted: bool = False
    hidden: bool = False
    level: int | None = None
    style: int = 0
    in_cell: bool = False

    def takes_text_as(self, other: "_State") -> bool:
        """Whether bytes that the other began to collect go on here."""
        return (self.codec, self.table, self.aside, self.deleted, self.hidden) == (
            other.codec, other.table, other.aside, other.deleted, other.hidden,
        )  # fmt: skip


class RtfReader:
    """Takes the tokens one by one; bytes are held back until their code page or place changes."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._body = Body()
        self._ansi = "cp1252"
        self._fonts: dict[int, str] = {}
        self._default_font = self._font = 0
        self._state = _State(self._ansi)
        self._stack: list[_State] = []
        self._held = bytearray()
        self._style_name: list[str] = []
        self._left_out = 0
        self._opens = self._starred = self._passes = False

    def run(self) -> Document:
        for token in self._tokens:
            if token.kind == "text":
                self._take_bytes(token.content)
            elif token.kind == "{":
                self._begin_group()
            elif token.kind == "}":
                self._end_group()
            elif token.kind == "word":
                self._take_word(token)
            else:
                self._take_symbol(token.name)
        self._flush()
        return self._body.finish(whole=not self._stack)

    # ── groups ───────────────────────────────────────────────────────────────

    def _begin_group(self) -> None:
        self._stack.append(self._state)
        self._left_out = 0
        self._opens, self._starred = True, False
        if self._passes:
            self._passes = False
            self._tokens.skip_group()

    def _end_group(self) -> None:
        self._left_out = 0
        self._opens = False
        ended = self._state
        if ended.table == "stylesheet":
            self._end_style()
        outer = self._stack.pop() if self._stack else ended
        self._change_to(outer)
        if ended.aside and ended.aside is not outer.aside:
            self._body.end_aside(ended.aside)

    def _end_style(self) -> None:
        self._flush()
        name = "".join(self._style_name).strip().rstrip(";")
        self._style_name.clear()
        self._body.styles.describe(self._state.style, self._state.level, name)

    def _change_to(self, state: _State) -> None:
        if not state.takes_text_as(self._state):
            self._flush()
        self._state = state

    def _enters(self, name: str, *, starred: bool) -> bool:
        """Whether a word that begins a group says what the group is for."""
        if name in ASIDES:
            aside = Aside(ASIDES[name])
            self._flush()
            self._write(self._body.begin_aside(aside))
            self._change_to(replace(self._state, aside=aside))
        elif name in TABLES:
            self._change_to(replace(self._state, table=name))
        elif name == "upr":
            self._passes = True  # what follows is said once more, in Unicode
        elif name in PASSED_OVER or (starred and name not in OPENED):
            self._tokens.skip_group()
        else:
            return starred
        return True

    # ── text ─────────────────────────────────────────────────────────────────

    def _take_bytes(self, content: bytes) -> None:
        self._opens = False
        if self._left_out:
            left = min(self._left_out, len(content))
            self._left_out -= left
            content = content[left:]
        self._held += content

    def _take_symbol(self, symbol: str) -> None:
        if symbol == "*":
            self._starred = self._opens  # amid a group it marks nothing
        elif self._left_out:
            self._left_out -= 1
        elif symbol in "{}\\":
            self._held += symbol.encode()
        elif symbol in "\r\n":
            self._end_paragraph()
        else:
            self._say(CHARACTERS.get(symbol, ""))

    def _say(self, text: str) -> None:
        self._flush()
        self._write(text)

    def _flush(self) -> None:
        if self._held:
            text = self._held.decode(self._state.codec, "replace")
            self._held.clear()
            self._write(text)

    def _write(self, text: str) -> None:
        state = self._state
        if state.table == "stylesheet":
            self._style_name.append(text)
        elif state.hidden:
            return
        elif state.aside:
            state.aside.pieces.append(text)
        elif not state.deleted and not state.table:
            self._body.write(text)

    # ── control words ────────────────────────────────────────────────────────

    def _take_word(self, token: Token) -> None:
        begins, starred = self._opens or self._starred, self._starred
        self._opens = self._starred = False
        if self._left_out:
            self._left_out -= 1
        elif begins and self._enters(token.name, starred=starred):
            return
        elif token.name in CHARACTERS:
            self._say(CHARACTERS[token.name])
        elif token.name in _HANDLERS:
            _HANDLERS[token.name](self, token.number)

    def _set_code_page(self, number: int | None) -> None:
        name = "utf-8" if number == _UTF_8_PAGE else f"cp{number}"
        try:
            self._ansi = codecs.lookup(name).name
        except LookupError:
            return
        self._change_to(replace(self._state, codec=self._ansi))

    def _set_default_font(self, number: int | None) -> None:
        self._default_font = number or 0

    def _set_font(self, number: int | None) -> None:
        self._font = number or 0
        if self._state.table != "fonttbl":
            self._change_to(replace(self._state, codec=self._codec_of(self._font)))

    def _set_character_set(self, number: int | None) -> None:
        self._fonts[self._font] = CHARACTER_SETS.get(number or 0, self._ansi)

    def _codec_of(self, font: int) -> str:
        return self._fonts.get(font, self._ansi)

    def _plain(self, _: int | None) -> None:
        codec = self._codec_of(self._default_font)
        self._change_to(replace(self._state, codec=codec, deleted=False, hidden=False))

    def _set_deleted(self, number: int | None) -> None:
        self._change_to(replace(self._state, deleted=number != 0))

    def _set_hidden(self, number: int | None) -> None:
        self._change_to(replace(self._state, hidden=number != 0))

    def _set_unicode_count(self, number: int | None) -> None:
        self._state = replace(self._state, after_unicode=min(max(0, number or 0), _MAX_STAND_IN))

    def _say_unicode(self, number: int | None) -> None:
        """Code units of UTF-16, negative above 0x7FFF; a stand-in for old programs follows."""
        self._say(chr((number or 0) % _CODE_UNITS))
        self._left_out = self._state.after_unicode

    def _begin_paragraph(self, _: int | None) -> None:
        self._state = replace(self._state, level=None, style=0, in_cell=False)

    def _set_level(self, number: int | None) -> None:
        self._state = replace(self._state, level=number)

    def _set_style(self, number: int | None) -> None:
        self._state = replace(self._state, style=number or 0)

    def _set_in_cell(self, _: int | None) -> None:
        self._state = replace(self._state, in_cell=True)

    def _end_paragraph(self, _: int | None = None) -> None:
        self._flush()
        state = self._state
        if state.aside:
            state.aside.pieces.append("\n")
        elif state.in_cell:
            self._body.end_line_of_cell()
        elif not state.table:
            level = self._body.styles.level(state.style, state.level)
            self._body.end_paragraph(level)

    def _end_cell(self, _: int | None) -> None:
        self._flush()
        if self._state.aside:
            self._state.aside.pieces.append(" ")
        else:
            self._body.end_line_of_cell()
            self._body.table.end_cell()

    def _end_row(self, _: int | None) -> None:
        self._flush()
        if not self._state.aside:
            self._body.table.end_row()


_Handler = Callable[[RtfReader, int | None], None]
# ruff: noqa: SLF001 - the table is part of the class, and stands below it as it names its methods
_HANDLERS: Mapping[str, _Handler] = {
    "ansicpg": RtfReader._set_code_page,
    "deff": RtfReader._set_default_font,
    "f": RtfReader._set_font,
    "fcharset": RtfReader._set_character_set,
    "plain": RtfReader._plain,
    "deleted": RtfReader._set_deleted,
    "v": RtfReader._set_hidden,
    "uc": RtfReader._set_unicode_count,
    "u": RtfReader._say_unicode,
    "pard": RtfReader._begin_paragraph,
    "outlinelevel": RtfReader._set_level,
    "s": RtfReader._set_style,
    "intbl": RtfReader._set_in_cell,
    "par": RtfReader._end_paragraph,
    "sect": RtfReader._end_paragraph,
    "page": RtfReader._end_paragraph,
    "cell": RtfReader._end_cell,
    "nestcell": lambda reader, _: reader._say(", "),
    "row": RtfReader._end_row,
    "nestrow": lambda reader, _: reader._say("; "),
    "trowd": lambda reader, _: reader._body.table.begin_row(),
    "trhdr": lambda reader, _: reader._body.table.mark_header(),
    "clvmrg": lambda reader, _: reader._body.table.mark_merged(),
    "cellx": lambda reader, _: reader._body.table.end_description(),
}
