"""The names of the months, by language, as they stand in a date."""

from collections.abc import Mapping

MONTHS: Mapping[str, tuple[str, ...]] = {
    language: tuple(names.split())
    for language, names in {
        "en": """january february march april may june july august september october november
            december""",
        "de": """januar februar märz april mai juni juli august september oktober november
            dezember""",
        "fr": """janvier février mars avril mai juin juillet août septembre octobre novembre
            décembre""",
        "es": """enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre
            diciembre""",
        "pt": """janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro
            dezembro""",
        "it": """gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre
            novembre dicembre""",
        "nl": """januari februari maart april mei juni juli augustus september oktober november
            december""",
        "sv": """januari februari mars april maj juni juli augusti september oktober november
            december""",
        "da": """januar februar marts april maj juni juli august september oktober november
            december""",
        "no": """januar februar mars april mai juni juli august september oktober november
            desember""",
        "fi": """tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta
            elokuuta syyskuuta lokakuuta marraskuuta joulukuuta""",
        "pl": """stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października
            listopada grudnia""",
        "cs": """ledna února března dubna května června července srpna září října listopadu
            prosince""",
        "hu": """január február március április május június július augusztus szeptember október
            november december""",
        "ro": """ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie
            noiembrie decembrie""",
        "tr": """ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık""",
        "id": """januari februari maret april mei juni juli agustus september oktober november
            desember""",
        "ru": """января февраля марта апреля мая июня июля августа сентября октября ноября
            декабря""",
        "el": """ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου
            σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου""",
        "ar": """يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر""",
        "fa": """ژانویه فوریه مارس آوریل مه ژوئن ژوئیه اوت سپتامبر اکتبر نوامبر دسامبر""",
        "hi": """जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर""",
        "th": """มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม
            พฤศจิกายน ธันวาคม""",
    }.items()
}
SHORT_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
"""As English, and many a stamp, shortens them."""
