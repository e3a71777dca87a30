"""Names of months and weekdays in the languages questions are asked in.

Facts of the Unicode CLDR (dates/calendars/gregorian, wide names); scripts that number their months
are read by `dates`. Folded by `terms.fold` where they are used.
"""

from collections.abc import Sequence

MONTHS: Sequence[str] = (
    """january, januar, janvier, enero, janeiro, gennaio, januari, ianuarie, ocak, ιανουαρίου,
    ιανουάριος, января, январь, يناير, ژانویه, जनवरी, มกราคม""",
    """february, februar, février, febrero, fevereiro, febbraio, februari, februarie, şubat,
    φεβρουαρίου, φεβρουάριος, февраля, февраль, فبراير, فوریه, फ़रवरी, กุมภาพันธ์""",
    """march, märz, mars, marzo, março, maart, martie, mart, μαρτίου, μάρτιος, марта, март,
    مارس, मार्च, มีนาคม, maret""",
    """april, avril, abril, aprile, aprilie, nisan, απριλίου, απρίλιος, апреля, апрель, أبريل,
    آوریل, अप्रैल, เมษายน""",
    """may, mai, mayo, maio, maggio, mei, mayıs, μαΐου, μάιος, мая, май, مايو, مه, मई, พฤษภาคม""",
    """june, juni, juin, junio, junho, giugno, iunie, haziran, ιουνίου, ιούνιος, июня, июнь,
    يونيو, ژوئن, जून, มิถุนายน""",
    """july, juli, juillet, julio, julho, luglio, iulie, temmuz, ιουλίου, ιούλιος, июля, июль,
    يوليو, ژوئیه, जुलाई, กรกฎาคม""",
    """august, août, agosto, augustus, ağustos, αυγούστου, αύγουστος, августа, август, أغسطس,
    اوت, अगस्त, สิงหาคม, agustus""",
    """september, septembre, septiembre, setembro, settembre, septembrie, eylül, σεπτεμβρίου,
    σεπτέμβριος, сентября, сентябрь, سبتمبر, سپتامبر, सितंबर, กันยายน""",
    """october, oktober, octobre, octubre, outubro, ottobre, octombrie, ekim, οκτωβρίου,
    οκτώβριος, октября, октябрь, أكتوبر, اکتبر, अक्टूबर, ตุลาคม""",
    """november, novembre, noviembre, novembro, noiembrie, kasım, νοεμβρίου, νοέμβριος, ноября,
    ноябрь, نوفمبر, نوامبر, नवंबर, พฤศจิกายน""",
    """december, dezember, décembre, diciembre, dezembro, dicembre, decembrie, aralık,
    δεκεμβρίου, δεκέμβριος, декабря, декабрь, ديسمبر, دسامبر, दिसंबर, ธันวาคม, desember""",
)
"""January to December, all languages together."""

WEEKDAYS = """
    monday, tuesday, wednesday, thursday, friday, saturday, sunday, montag, dienstag, mittwoch,
    donnerstag, freitag, samstag, sonntag, lundi, mardi, mercredi, jeudi, vendredi, samedi,
    dimanche, lunes, martes, miércoles, jueves, viernes, sábado, domingo, segunda-feira,
    terça-feira, quarta-feira, quinta-feira, sexta-feira, lunedì, martedì, mercoledì, giovedì,
    venerdì, sabato, domenica, maandag, dinsdag, woensdag, donderdag, vrijdag, zaterdag, zondag,
    luni, marți, miercuri, joi, vineri, sâmbătă, duminică, thứ hai, thứ ba, thứ tư, thứ năm,
    thứ sáu, thứ bảy, chủ nhật, pazartesi, salı, çarşamba, perşembe, cuma, cumartesi, pazar,
    δευτέρα, τρίτη, τετάρτη, πέμπτη, παρασκευή, σάββατο, κυριακή, понедельник, вторник, среда,
    четверг, пятница, суббота, воскресенье, الاثنين, الثلاثاء, الأربعاء, الخميس, الجمعة, السبت,
    الأحد, دوشنبه, سه‌شنبه, چهارشنبه, پنجشنبه, جمعه, شنبه, یکشنبه, सोमवार, मंगलवार, बुधवार,
    गुरुवार, शुक्रवार, शनिवार, रविवार, วันจันทร์, วันอังคาร, วันพุธ, วันพฤหัสบดี, วันศุกร์,
    วันเสาร์, วันอาทิตย์, 星期一, 星期二, 星期三, 星期四, 星期五, 星期六, 星期日, 月曜日, 火曜日, 水曜日, 木曜日, 金曜日, 土曜日, 日曜日,
    월요일, 화요일, 수요일, 목요일, 금요일, 토요일, 일요일, senin, selasa, rabu, kamis, jumat, sabtu, minggu
"""
