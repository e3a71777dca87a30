"""Words that change what a sentence claims: number words, months and weekdays, negations.

They are listed by language, since `on` is ten in Turkish and `mai` never in Italian, and compared
as `fold` leaves them. In scripts without blanks a run of characters that holds one of the signs
counts. What is not listed is reported as a difference all the same, only not by its kind.
"""

from collections.abc import Mapping
from functools import cache

from gdrive_rag_mcp.terms import fold

_NUMBERS: Mapping[str, str] = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    " fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty"
    " ninety hundred thousand million billion trillion dozen half third quarter once twice double"
    " triple first second fourth fifth sixth seventh eighth ninth tenth",
    "de": "null eins ein eine einen einem einer eines zwei drei vier fünf sechs sieben acht neun"
    " zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig"
    " dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert tausend million millionen"
    " milliarde milliarden halb hälfte drittel viertel doppelt erste ersten zweite zweiten dritte"
    " dritten vierte vierten",
    "fr": "zéro un une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze"
    " quinze seize vingt trente quarante cinquante soixante cent mille million millions milliard"
    " milliards moitié tiers quart premier première deuxième troisième",
    "es": "cero un uno una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce"
    " quince veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien ciento mil"
    " millón millones mitad tercio cuarto primero segundo tercero",
    "it": "zero uno una due tre quattro cinque sei sette otto nove dieci undici dodici tredici"
    " quindici venti trenta quaranta cinquanta sessanta settanta ottanta novanta cento mille mila"
    " milione milioni metà terzo primo secondo",
    "pt": "zero um uma dois duas três quatro cinco seis sete oito nove dez onze doze quinze vinte"
    " trinta quarenta cinquenta sessenta setenta oitenta noventa cem cento mil milhão milhões"
    " metade terço primeiro segundo terceiro",
    "nl": "nul een één twee drie vier vijf zes zeven acht negen tien elf twaalf vijftien twintig"
    " dertig veertig vijftig zestig zeventig tachtig negentig honderd duizend miljoen miljard helft"
    " derde kwart eerste tweede",
    "tr": "sıfır bir iki üç dört beş altı yedi sekiz dokuz on yirmi otuz kırk elli altmış yetmiş"
    " seksen doksan yüz bin milyon milyar yarım yarısı birinci ikinci üçüncü",
    "ro": "zero un unu una doi două trei patru cinci șase șapte opt nouă zece unsprezece"
    " doisprezece douăzeci treizeci patruzeci cincizeci șaizeci sută sute mie mii milion milioane"
    " miliarde jumătate",
    "vi": "không một hai ba bốn năm sáu bảy tám chín mười mươi trăm nghìn ngàn triệu tỷ nửa rưỡi",
    "": "один одна одно два две три четыре пять шесть семь восемь девять десять одиннадцать"
    " двенадцать пятнадцать двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят"
    " девяносто сто двести тысяча тысяч миллион миллионов миллиард половина треть четверть первый"
    " второй третий μηδέν ένα μία δύο τρία τρεις τέσσερα πέντε έξι επτά οκτώ εννέα δέκα έντεκα"
    " δώδεκα είκοσι τριάντα σαράντα πενήντα εξήντα εβδομήντα ογδόντα ενενήντα εκατό χίλια"
    " εκατομμύρια واحد اثنان اثنين ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة عشر عشرون عشرين"
    " ثلاثون ثلاثين أربعون أربعين خمسون خمسين ستون ستين سبعون سبعين ثمانون ثمانين تسعون تسعين مائة"
    " مئة ألف مليون مليار نصف ثلث یک دو سه چهار پنج شش هفت هشت نه ده یازده دوازده بیست سی چهل پنجاه"
    " شصت هفتاد هشتاد نود صد هزار میلیون एक दो तीन चार पांच पाँच छह सात आठ नौ दस बारह पंद्रह बीस"
    " तीस चालीस पचास साठ सत्तर अस्सी नब्बे सौ हज़ार हजार लाख करोड़ आधा אחד אחת שניים שתיים שני שתי"
    " שלושה שלוש ארבעה ארבע חמישה חמש שישה שש שבעה שבע שמונה תשעה תשע עשרה עשר עשרים שלושים ארבעים"
    " חמישים שישים שבעים שמונים תשעים מאה אלף מיליון חצי",
}
_DATES: Mapping[str, str] = {
    "en": "january february march april may june july august september october november december"
    " jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday"
    " saturday sunday today tomorrow yesterday",
    "de": "januar jänner februar märz april mai juni juli august september oktober november"
    " dezember montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
    " lundi mardi mercredi jeudi vendredi samedi dimanche",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
    " lunes martes miércoles jueves viernes sábado domingo",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre"
    " dicembre lunedì martedì mercoledì giovedì venerdì sabato domenica",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro"
    " sábado domingo",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december"
    " maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    "tr": "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık pazartesi"
    " salı çarşamba perşembe cuma cumartesi pazar",
    "ro": "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie"
    " decembrie luni marți miercuri joi vineri sâmbătă duminică",
    "": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря"
    " понедельник вторник среда четверг пятница суббота воскресенье ιανουαρίου φεβρουαρίου μαρτίου"
    " απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου δευτέρα"
    " τρίτη τετάρτη πέμπτη παρασκευή σάββατο κυριακή يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس"
    " سبتمبر أكتوبر نوفمبر ديسمبر الاثنين الثلاثاء الأربعاء الخميس الجمعة السبت الأحد जनवरी फरवरी"
    " मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर ינואר פברואר מרץ אפריל מאי יוני"
    " יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר",
}
_NEGATIONS: Mapping[str, str] = {
    "en": "not no never none neither nor without nothing nobody nowhere cannot can't don't doesn't"
    " didn't isn't aren't wasn't weren't won't wouldn't shouldn't couldn't mustn't hasn't haven't"
    " hadn't unless except hardly",
    "de": "nicht kein keine keinen keinem keiner keines nie niemals ohne weder noch niemand nichts"
    " außer",
    "fr": "ne n pas jamais aucun aucune sans ni non rien personne sauf",
    "es": "no nunca jamás sin ni ningún ninguna ninguno nada nadie tampoco salvo excepto",
    "it": "non mai senza né nessun nessuno nessuna niente nulla tranne",
    "pt": "não nunca sem nem nenhum nenhuma ninguém jamais exceto salvo",
    "nl": "niet geen nooit zonder noch niemand niets behalve",
    "tr": "değil yok hiç hiçbir asla ne hariç",
    "ro": "nu nici fără niciun nicio niciodată nimic nimeni",
    "vi": "không chẳng chưa đừng chớ trừ",
    "": "не нет ни никогда без нельзя никто ничего кроме δεν δε μη μην όχι χωρίς ούτε ποτέ κανείς"
    " κανένας καμία τίποτα εκτός لا ليس ليست لم لن غير بدون دون عدم إلا نیست نمی هیچ هرگز مگر नहीं"
    " न मत बिना सिवाय לא אין אינו אינה בלי ללא אל מעולם פרט",
}
_NUMBER_SIGNS = (
    *"零〇一二三四五六七八九十百千万萬亿億兆两兩半壹贰叁肆伍陆柒捌玖拾佰仟",
    *(
        "하나",
        "둘",
        "셋",
        "넷",
        "다섯",
        "여섯",
        "일곱",
        "여덟",
        "아홉",
        "열흘",
        "스물",
        "서른",
        "마흔",
    ),
    *("หนึ่ง", "สอง", "สาม", "สี่", "ห้า", "หก", "เจ็ด", "แปด", "เก้า", "สิบ", "ร้อย", "พัน", "ล้าน"),
)
_DATE_SIGNS = (*"年月", "요일", "曜日", "星期")
_NEGATION_SIGNS = (
    *"不没沒無无非未勿莫否",
    *("ない", "なかっ", "ません", "않", "안", "못", "없", "아니", "ไม่", "ไร้", "ບໍ່", "មិន"),
)
_NEGATING_STARTS = (
    *("un", "in", "im", "ir", "il", "non", "dis", "mis", "nicht", "des", "de"),
    *("не", "без", "α", "αν", "نا", "غير", "अ"),
)
_NEGATING_ENDS = ("less", "free", "los", "frei", "suz", "siz")


@cache
def _listed(table: str, language: str) -> frozenset[str]:
    lists = {"numbers": _NUMBERS, "dates": _DATES, "negations": _NEGATIONS}[table]
    return frozenset(fold(word) for key in (language, "") for word in lists.get(key, "").split())


def is_number(word: str, language: str) -> bool:
    """Whether a word, or a run of a script without blanks, counts something."""
    folded = fold(word)
    return (
        any(map(str.isnumeric, folded))
        or folded in _listed("numbers", language)
        or any(sign in word for sign in _NUMBER_SIGNS)
    )


def is_date(word: str, language: str) -> bool:
    """Whether a word names a month or a weekday."""
    return fold(word) in _listed("dates", language) or any(sign in word for sign in _DATE_SIGNS)


def is_negation(word: str, language: str) -> bool:
    """Whether a word denies or excepts."""
    straight = fold(word).replace("\u2019", "'")
    return straight in _listed("negations", language) or any(
        sign in word for sign in _NEGATION_SIGNS
    )


def denies(one: str, other: str) -> bool:
    """Whether one of two words is the other with an affix of denial, as in lawful, unlawful."""
    shorter, longer = sorted((fold(one), fold(other)), key=len)
    if not shorter or shorter == longer:
        return False
    start = longer.removesuffix(shorter) if longer.endswith(shorter) else ""
    end = longer.removeprefix(shorter) if longer.startswith(shorter) else ""
    return start.rstrip("-") in _NEGATING_STARTS or end.lstrip("-") in _NEGATING_ENDS
