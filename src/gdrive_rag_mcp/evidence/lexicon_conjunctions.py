"""What joins the parts of a question in each language: conjunctions, and what announces a range.

Regular expressions of running text without regard to case. `JOINING` words stand by themselves in
scripts with blanks; in the others they are found inside a run, and only forms that no longer word
holds by chance are listed.
"""

from collections.abc import Mapping

JOINING: Mapping[str, str] = {
    "en": "as well as|and also|and|or|plus|versus|vs\\.?|compared (?:to|with)",
    "de": "sowie|und auch|und|oder|bzw\\.?|vs\\.?|beziehungsweise|im vergleich zu",
    "fr": "ainsi que|et aussi|et|ou bien|ou(?! *(?:est|se|sont|se trouve))|par rapport à|vs\\.?",
    "es": "así como|y también|y|e|o|u|frente a|vs\\.?",
    "pt": "assim como|bem como|e também|e|ou|vs\\.?",
    "it": "nonché|così come|e anche|e|ed|oppure|o|vs\\.?",
    "nl": "evenals|en ook|en|of|alsmede|vs\\.?",
    "ro": "precum și|precum şi|și|şi|ori|sau|vs\\.?",
    "vi": "và cả|cũng như|và|hoặc|hay|so với",
    "tr": "ve ayrıca|ve|ile|veya|ya da|ayrıca|vs\\.?",
    "el": "καθώς και|και|κι|ή|έναντι",
    "ru": "а также|и|или|а|по сравнению с",
    "ar": "وكذلك|وأيضا|وأيضًا|أو|و",
    "fa": "و همچنین|همچنین|و|یا",
    "hi": "और साथ ही|और|तथा|एवं|या",
    "id": "serta|dan juga|dan|atau",
    "th": "และ|รวมถึง|รวมทั้ง|หรือ",
    "zh": "以及|還有|还有|并且|並且|而且|和|及|与|與|或者|或",
    "ja": "、?(?:および|及び|ならびに|並びに|または|そして|それから|また(?!は)|と、)|(?<=[\u4e00-\u9fff\u30a0-\u30ffー])と(?=[\u4e00-\u9fff\u30a0-\u30ff])",
    "ko": "그리고|및|또는|혹은|또한|이랑|하고(?= )|(?<=[\uac00-\ud7a3])[와과](?= )",
}
"""Longest first where one begins with another."""

PREFIXED: Mapping[str, str] = {
    "ar": r"(?<!\w)و(?=(?:ال|من|ما|كم|متى|أين|اين|كيف|لماذا|هل|أي|بكم|لمن|إلى|في|عدد|مدة|قيمة)\w*)",
}
"""Conjunctions written as one word with what follows."""

RANGES: Mapping[str, str] = {
    "en": "between|from",
    "de": "zwischen",
    "fr": "entre",
    "es": "entre",
    "pt": "entre",
    "it": "tra|fra",
    "nl": "tussen",
    "ro": "între",
    "vi": "giữa|từ",
    "el": "μεταξύ|ανάμεσα",
    "ru": "между",
    "ar": "بين",
    "fa": "بین|ميان|میان",
    "id": "antara",
}
"""Words after which a conjunction joins the two ends of one thing: between 2019 and 2021."""
