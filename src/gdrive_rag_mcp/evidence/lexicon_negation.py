"""Words of negation and exclusion, by language; in scripts without blanks, parts of words.

Written as people write them, in lower case, parted by commas.
"""

from collections.abc import Mapping

NEGATIONS: Mapping[str, str] = {
    "en": """not, no, never, neither, nor, none, nobody, nothing, nowhere, without, except, excluding, unless,
        cannot, isn, aren, wasn, weren, don, doesn, didn, hasn, haven, hadn, wouldn, couldn, shouldn, lack,
        lacks, lacked, lacking, refuse, refused, fail, failed""",
    "de": """nicht, kein, keine, keinen, keinem, keiner, keines, nie, niemals, niemand, nichts, nirgends, weder,
        ohne, außer, ausgenommen""",
    "fr": "ne, n, pas, jamais, aucun, aucune, personne, rien, ni, sans, sauf, excepté, hormis",
    "es": "no, nunca, jamás, ningún, ninguna, ninguno, nadie, nada, ni, tampoco, sin, excepto, salvo",
    "pt": "não, nunca, jamais, nenhum, nenhuma, ninguém, nada, nem, sem, exceto, salvo",
    "it": "non, mai, nessun, nessuna, nessuno, niente, nulla, né, senza, tranne, eccetto",
    "nl": "niet, geen, nooit, niemand, niets, nergens, noch, zonder, behalve",
    "ro": "nu, niciodată, niciun, nicio, nimeni, nimic, nici, fără",
    "vi": "không, chưa, chẳng, đừng, trừ",
    "tr": "değil, değildir, değildi, hiç, hiçbir, asla, hariç, olmayan, olmadı, olmadığı, yok, yoktur, yoktu",
    "el": "δεν, δε, μη, μην, όχι, κανείς, κανένας, καμία, κανένα, τίποτα, ούτε, χωρίς, εκτός",
    "ru": """не, нет, ни, никогда, никто, никого, ничего, нигде, нельзя, без, кроме""",
    "ar": "لا, لم, لن, ليس, ليست, ليسوا, غير, دون, بدون, سوى, عدا",
    "fa": "نه, نیست, نیستند, نبود, نبودند, نشد, نشده, ندارد, نداشت, نکرد, نمی, هیچ, هرگز, بدون, بجز, جز",
    "hi": "नहीं, न, नही, मत, बिना, सिवाय, छोड़कर",
    "id": "tidak, bukan, tak, belum, jangan, tanpa, kecuali",
}

NEGATED_PARTS: Mapping[str, str] = {
    "zh": """不是, 不能, 不会, 不會, 不可, 不得, 不再, 不存在, 不需, 不包, 不属, 不屬, 不在, 没, 沒, 未,
        无法, 無法, 非, 除了, 除外, 除""",
    "ja": "ない, なかった, なく, ません, ず、, ずに, 以外, 除い, 除く, せず, 無い",
    "ko": "지 않, 지않, 없, 아닌, 아니, 못하, 못한, 못했, 지 못, 제외",
    "th": "ไม่, มิได้, ยกเว้น, ปราศจาก",
}

CASE_ENDINGS: Mapping[str, str] = {
    "tr": "mayan, meyen, madı, medi, madığı, mediği, maz, mez, mıyor, miyor, muyor, müyor, mamış, memiş",
}
"""Endings that negate the word they stand at or in."""

OPENINGS: Mapping[str, str] = {"fa": "نمی, نخواه"}
"""Openings that negate the word they stand at."""
