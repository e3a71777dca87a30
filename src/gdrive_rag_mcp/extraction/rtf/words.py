"""What the control words of RTF open: which groups hold text, and which are passed over."""

from collections.abc import Mapping

# Groups that hold no text of the document, and need no `\*` in front to say so.
PASSED_OVER = frozenset(
    {
        "colortbl", "pict", "objdata", "objclass", "objname", "objalias", "objsect", "fldinst",
        "ffname", "xe", "tc", "rxe", "txe", "bkmkstart", "bkmkend", "nonshppict", "shprslt",
        "nonesttables", "sp", "listtable", "listoverridetable", "rsidtbl", "nextfile", "template",
        "mmathPict", "filetbl", "revtbl", "ftnsep", "ftnsepc", "ftncn", "aftnsep", "aftnsepc",
        "aftncn", "author", "operator", "subject", "keywords", "comment", "doccomm", "company",
        "category", "manager", "hlinkbase", "creatim", "revtim", "printim", "buptim",
    }
)  # fmt: skip
# Groups with text, although programs that do not know them are told to pass over them.
OPENED = frozenset({"shpinst", "moMath", "moMathPara", "ud", "nesttableprops", "background"})
TABLES = frozenset({"fonttbl", "stylesheet"})
# Groups with text that stands beside the body.
ASIDES: Mapping[str, str] = {
    "footnote": "note",
    "annotation": "comment",
    "atnauthor": "author",
    "shptxt": "box",
    "dptxbxtext": "box",
    "header": "header",
    "headerl": "header",
    "headerr": "header",
    "headerf": "header",
    "footer": "footer",
    "footerl": "footer",
    "footerr": "footer",
    "footerf": "footer",
    "title": "title",
}
