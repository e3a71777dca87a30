"""Numbers in words: small ones that answer "how many", and the magnitudes that multiply figures.

"One" is left out: in most languages it is the article. Folded by `terms.fold` where they are used.
"""

from collections.abc import Mapping

NUMBER_WORDS = """
    two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty
    seventy eighty ninety hundred dozen hundreds thousands millions twice half both third quarter
    zwei drei vier fünf sechs sieben acht neun zehn elf zwölf fünfzehn zwanzig dreißig vierzig fünfzig
    sechzig hundert dutzend beide beiden hälfte drittel viertel
    deux trois quatre cinq sept huit neuf dix onze douze quinze vingt trente quarante cinquante
    soixante cent douzaine moitié tiers quart
    dos tres cuatro cinco seis siete ocho nueve diez once doce quince veinte treinta cuarenta cincuenta
    sesenta cien cientos docena mitad tercio cuarto
    dois duas três quatro sete oito nove dez onze doze quinze vinte trinta quarenta cinquenta cem
    metade terço
    due tre quattro cinque sei sette otto nove dieci undici dodici quindici venti trenta quaranta
    cinquanta cento metà
    twee drie vijf zes zeven negen tien elf twaalf vijftien twintig dertig veertig vijftig honderd helft
    doi două trei patru cinci șase șapte opt nouă zece unsprezece doisprezece douăsprezece douăzeci
    treizeci sută jumătate
    hai ba bốn năm sáu bảy tám chín mười trăm nửa
    iki üç dört beş altı yedi sekiz dokuz on yirmi otuz kırk elli yüz yarım yarısı
    δύο δυο τρεις τρία τέσσερα τέσσερις πέντε έξι επτά εφτά οκτώ οχτώ εννέα δέκα έντεκα δώδεκα είκοσι
    τριάντα σαράντα πενήντα εκατό μισό μισά
    два две двух три трех трёх четыре четырех пять пяти шесть шести семь семи восемь восьми девять
    десять одиннадцать двенадцать двадцать тридцать сорок пятьдесят сто половина половину
    اثنان اثنين اثنتين ثلاثة ثلاث أربعة أربع خمسة خمس ستة ست سبعة سبع ثمانية ثماني تسعة تسع عشرة عشر
    عشرون عشرين ثلاثين مئة مائة نصف ثلث ربع
    دو سه چهار پنج شش هفت هشت نه ده یازده دوازده بیست سی چهل پنجاه صد نیمی نصف
    दो तीन चार पांच पाँच छह छः सात आठ नौ दस ग्यारह बारह बीस तीस चालीस पचास सौ आधा आधे
    dua tiga empat lima enam tujuh delapan sembilan sepuluh sebelas belas puluh ratus setengah
"""

NUMBERS_IN_RUNS = (
    "[二两兩三四五六七八九十百]+ ?[个個人名种種次倍年月日つ本枚台位座所]"
    "|(?:두|세|네|다섯|여섯|일곱|여덟|아홉|열) ?(?:개|명|번|가지|차례|곳|배|사람)"
    "|สอง|สาม|สี่|ห้า|หก|เจ็ด|แปด|เก้า|สิบ"
)
"""A regular expression of numbers in words in scripts without blanks, with what they count."""

MAGNITUDES: Mapping[str, int] = {
    "thousand tausend mille mil mila duizend mii nghìn ngàn bin χιλιάδες тысяч тысячи ألف آلاف هزار हजार หมื่น ribu": 1_000,
    "lakh लाख แสน": 100_000,
    """million millions millionen millones milhões milioni miljoen milioane triệu milyon εκατομμύρια
    εκατομμυρίων миллион миллиона миллионов млн مليون ملايين میلیون मिलियन ล้าน juta mio""": 1_000_000,
    "crore करोड़": 10_000_000,
    """billion billions milliarden milliarde milliards milliard miliardi miljard miliarde tỷ tỉ milyar
    δισεκατομμύρια миллиард миллиарда миллиардов млрд مليار میلیارد अरब พันล้าน miliar mrd bilhões""": 1_000_000_000,
    "万 萬 만": 10_000,
    "千 천 พัน": 1_000,
    "億 亿 억": 100_000_000,
    "兆 조": 1_000_000_000_000,
}
