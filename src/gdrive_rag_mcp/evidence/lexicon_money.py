"""Currencies by their codes, signs and everyday names, in the languages questions are asked in.

Codes are those of ISO 4217, signs those of the Unicode CLDR. Several countries' dollars, pesos or
rupees have one everyday name, so each name stands for itself. Folded where it is used.
"""

from collections.abc import Mapping

MONEY: Mapping[str, str] = {
    "dollar": """$, usd, us$, cad, aud, hkd, sgd, dollar, dollars, dólar, dólares, dollaro, dollari,
        dolar, dolari, doları, đô la, đô-la, δολάριο, δολάρια, δολαρίων, доллар, доллара,
        долларов, долларах, دولار, دولارات, دلار, डॉलर, ดอลลาร์, 美元, 美金, ドル, 米ドル, 달러""",
    "cent": "cent, cents, ¢, centavos, центов, 美分, セント, 센트",
    "euro": "€, eur, euro, euros, eurolar, ευρώ, евро, يورو, یورو, यूरो, ยูโร, 欧元, 歐元, ユーロ, 유로",
    "pound": """£, gbp, sterling, bảng anh, pound sterling, λίρες, фунтов стерлингов, جنيه, पाउंड,
        英镑, 英鎊, ポンド, 파운드""",
    "yen": "jpy, yen, yens, yên, γιεν, иен, иена, йен, ين, ین, येन, เยน, 日元, 日圓, 円, 엔, 엔화",
    "yuan": """cny, rmb, yuan, renminbi, nhân dân tệ, γιουάν, юань, юаней, يوان, یوآن, युआन, หยวน,
        人民币, 元, 人民元, 위안""",
    "won": "₩, krw, won, wons, вон, وون, वॉन, วอน, 韩元, ウォン, 원",
    "rupee": """₹, inr, rupee, rupees, rupien, roupies, rupias, roepies, rupi, ρουπίες, рупий, рупия,
        روبية, روپیه, रुपये, रुपए, रुपया, รูปี, 卢比, ルピー, 루피""",
    "rupiah": "idr, rp, rupiah, рупий, 印尼盾, ルピア",
    "rouble": """₽, rub, ruble, rubles, rouble, roubles, rubel, rublos, rubli, roebel, rúp, ρούβλια,
        рубль, рубля, рублей, руб, روبل, रूबल, รูเบิล, 卢布, ルーブル, 루블""",
    "dong": "₫, vnd, đồng, dong, вьетнамских донгов, 越南盾, ドン",
    "baht": "฿, thb, baht, бат, บาท, 泰铢, バーツ, 바트",
    "lira": "₺, try, lira, lire, liras, lirası, tl, λίρα, лир, ليرة, लीरा, ลีรา, 里拉, リラ, 리라",
    "rial": "irr, sar, rial, rials, riyal, toman, риалов, ريال, ریال, تومان, 里亚尔, リヤル, 리얄",
    "dinar": "dinar, dinars, dinare, динаров, دينار, दीनार, 第纳尔, ディナール, 디나르",
    "dirham": "aed, dirham, dirhams, درهم, 迪拉姆",
    "franc": "chf, franc, francs, franken, francos, franchi, frank, φράγκα, франков, فرنك, 法郎, フラン",
    "mark": "mark, marks, marcos, marchi, марок, 马克, マルク, 마르크",
    "peso": "mxn, peso, pesos, песо, بيزو, 比索, ペソ, 페소",
    "real": "r$, brl, real, reais, reales, реалов, レアル",
    "leu": "ron, leu, lei, леев",
}
