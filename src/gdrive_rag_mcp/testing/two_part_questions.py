"""Questions that ask for two things, each with a passage for either, in many languages."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TwoPartQuestion:
    """`first` and `second` are words that only that part of the question has.

    Each passage answers the part of its place, and says nothing of the other one.
    """

    language: str
    question: str
    first: str
    second: str
    passages: tuple[str, str]


def _read(table: str) -> tuple[TwoPartQuestion, ...]:
    rows = [row.split(" | ") for row in table.strip().splitlines()]
    return tuple(TwoPartQuestion(row[0], row[1], row[2], row[3], (row[4], row[5])) for row in rows)


TWO_PART_QUESTIONS = _read("""
en | What is the notice period of the lease and who signs the renewal? | notice | renewal | The notice period of the lease is three months. | The renewal of the lease is signed by Mara Lind.
en | How long does the warranty of the pump last, and where is the pump repaired? | warranty | repaired | The warranty of the pump lasts two years. | The pump is repaired in the workshop at Basel.
en | What are the deposit as well as the monthly rent of the depot? | deposit | rent | The deposit of the depot is 4,000 euros. | The monthly rent of the depot is 900 euros.
de | Wie lang ist die Kündigungsfrist des Mietvertrags und wer unterschreibt die Verlängerung? | Kündigungsfrist | Verlängerung | Die Kündigungsfrist des Mietvertrags beträgt drei Monate. | Die Verlängerung des Mietvertrags unterschreibt Frau Lind.
de | Wann beginnt die Garantie der Pumpe, und wo wird die Pumpe repariert? | Garantie | repariert | Die Garantie der Pumpe beginnt am Tag der Lieferung. | Die Pumpe wird in der Werkstatt in Basel repariert.
de | Wie hoch sind die Kaution sowie die Monatsmiete der Halle? | Kaution | Monatsmiete | Die Kaution der Halle beträgt 4000 Euro. | Die Monatsmiete der Halle beträgt 900 Euro.
fr | Quel est le préavis du bail et qui signe le renouvellement ? | préavis | renouvellement | Le préavis du bail est de trois mois. | Le renouvellement du bail est signé par Mara Lind.
fr | Quand commence la garantie de la pompe, et où la pompe est-elle réparée ? | garantie | réparée | La garantie de la pompe commence à la livraison. | La pompe est réparée dans un atelier à Bâle.
fr | Quels sont la caution ainsi que le loyer mensuel du dépôt ? | caution | loyer | La caution du dépôt est de 4000 euros. | Le loyer mensuel du dépôt est de 900 euros.
es | ¿Cuál es el preaviso del contrato y quién firma la renovación? | preaviso | renovación | El preaviso del contrato es de tres meses. | La renovación del contrato la firma Mara Lind.
es | ¿Cuándo empieza la garantía de la bomba y dónde se repara la bomba? | garantía | repara | La garantía de la bomba empieza con la entrega. | La bomba se repara en el taller de Basilea.
es | ¿Cuánto son la fianza y el alquiler mensual del almacén? | fianza | alquiler | La fianza del almacén es de 4000 euros. | El alquiler mensual del almacén es de 900 euros.
ro | Care este preavizul contractului și cine semnează prelungirea? | preavizul | prelungirea | Preavizul contractului este de trei luni. | Prelungirea contractului o semnează Mara Lind.
ro | Când începe garanția pompei și unde este reparată pompa? | garanția | reparată | Garanția pompei începe la livrare. | Pompa este reparată în atelierul din Basel.
ro | Cât sunt depozitul precum și chiria halei? | depozitul | chiria | Depozitul halei este de 4000 de euro. | Chiria halei este de 900 de euro.
tr | Sözleşmenin ihbar süresi ne kadar ve yenilemeyi kim imzalıyor? | ihbar | yenilemeyi | Sözleşmenin ihbar süresi üç aydır. | Sözleşmenin yenilemeyi imzalayan kişisi Mara Lind.
tr | Pompanın garantisi ne zaman başlıyor ve pompa nerede onarılıyor? | garantisi | onarılıyor | Pompanın garantisi teslimat günü başlıyor. | Pompa Basel'deki atölyede onarılıyor.
tr | Deponun depozitosu ve aylık kirası ne kadar? | depozitosu | kirası | Deponun depozitosu 4000 avrodur. | Deponun aylık kirası 900 avrodur.
el | Ποια είναι η προθεσμία της μίσθωσης και ποιος υπογράφει την ανανέωση; | προθεσμία | ανανέωση | Η προθεσμία της μίσθωσης είναι τρεις μήνες. | Την ανανέωση της μίσθωσης υπογράφει η Μάρα Λιντ.
el | Πότε αρχίζει η εγγύηση της αντλίας και πού επισκευάζεται η αντλία; | εγγύηση | επισκευάζεται | Η εγγύηση της αντλίας αρχίζει με την παράδοση. | Η αντλία επισκευάζεται στο εργαστήριο της Βασιλείας.
el | Πόσο είναι η προκαταβολή καθώς και το ενοίκιο της αποθήκης; | προκαταβολή | ενοίκιο | Η προκαταβολή της αποθήκης είναι 4000 ευρώ. | Το ενοίκιο της αποθήκης είναι 900 ευρώ.
ru | Каков срок уведомления по договору и кто подписывает продление? | уведомления | продление | Срок уведомления по договору составляет три месяца. | Продление по договору подписывает Мара Линд.
ru | Когда начинается гарантия на насос и где ремонтируют насос? | гарантия | ремонтируют | Гарантия на насос начинается в день поставки. | Насос ремонтируют в мастерской в Базеле.
ru | Каковы залог, а также арендная плата за склад? | залог | арендная | Залог за склад составляет 4000 евро. | Арендная плата за склад составляет 900 евро.
ar | ما هي مدة الإشعار في العقد ومن يوقع التجديد؟ | الإشعار | التجديد | مدة الإشعار في العقد ثلاثة أشهر. | يوقع التجديد في العقد السيد لند.
ar | متى يبدأ ضمان المضخة وأين يتم إصلاح المضخة؟ | ضمان | إصلاح | يبدأ ضمان المضخة في يوم التسليم. | يتم إصلاح المضخة في ورشة بازل.
ar | كم تبلغ قيمة التأمين والإيجار الشهري للمستودع؟ | التأمين | الإيجار | تبلغ قيمة التأمين للمستودع 4000 يورو. | الإيجار الشهري للمستودع 900 يورو.
fa | مدت اخطار قرارداد چقدر است و چه کسی تمدید را امضا می‌کند؟ | اخطار | تمدید | مدت اخطار قرارداد سه ماه است. | تمدید قرارداد را خانم لیند امضا می‌کند.
fa | ضمانت پمپ چه زمانی شروع می‌شود و پمپ کجا تعمیر می‌شود؟ | ضمانت | تعمیر | ضمانت پمپ از روز تحویل شروع می‌شود. | پمپ در کارگاه بازل تعمیر می‌شود.
fa | ودیعه و اجاره ماهانه انبار چقدر است؟ | ودیعه | اجاره | ودیعه انبار چهار هزار یورو است. | اجاره ماهانه انبار نهصد یورو است.
hi | पट्टे की सूचना अवधि कितनी है और नवीनीकरण पर कौन हस्ताक्षर करता है? | सूचना | नवीनीकरण | पट्टे की सूचना अवधि तीन महीने है। | पट्टे के नवीनीकरण पर मारा लिंड हस्ताक्षर करती है।
hi | पंप की वारंटी कब शुरू होती है और पंप की मरम्मत कहाँ होती है? | वारंटी | मरम्मत | पंप की वारंटी डिलीवरी के दिन शुरू होती है। | पंप की मरम्मत बासेल की कार्यशाला में होती है।
hi | गोदाम की जमानत तथा मासिक किराया कितना है? | जमानत | किराया | गोदाम की जमानत 4000 यूरो है। | गोदाम का मासिक किराया 900 यूरो है।
id | Berapa lama masa pemberitahuan sewa dan siapa yang menandatangani perpanjangan? | pemberitahuan | perpanjangan | Masa pemberitahuan sewa adalah tiga bulan. | Perpanjangan sewa harus menandatangani Mara Lind.
id | Kapan garansi pompa dimulai dan di mana pompa diperbaiki? | garansi | diperbaiki | Garansi pompa dimulai pada hari pengiriman. | Pompa diperbaiki di bengkel Basel.
id | Berapa uang jaminan serta sewa bulanan gudang? | jaminan | bulanan | Uang jaminan gudang adalah 4000 euro. | Sewa bulanan gudang adalah 900 euro.
vi | Thời hạn báo trước của hợp đồng là bao lâu và ai ký gia hạn? | báo trước | gia | Thời hạn báo trước của hợp đồng là ba tháng. | Bà Lind ký gia hạn hợp đồng.
vi | Bảo hành máy bơm bắt đầu khi nào và máy bơm được sửa chữa ở đâu? | Bảo hành | sửa chữa | Bảo hành máy bơm bắt đầu từ ngày giao hàng. | Máy bơm được sửa chữa tại xưởng Basel.
vi | Tiền đặt cọc và giá thuê nhà kho là bao nhiêu? | đặt cọc | thuê | Tiền đặt cọc nhà kho là 4000 euro. | Giá thuê nhà kho là 900 euro mỗi tháng.
th | ระยะเวลาบอกกล่าวนานเท่าไหร่ และใครเป็นผู้ต่ออายุสัญญา | บอกกล่าว | ต่ออายุ | ระยะเวลาบอกกล่าวคือสามเดือน | ผู้ต่ออายุสัญญาคือมารา ลินด์
th | การรับประกันปั๊มน้ำเริ่มเมื่อไหร่และปั๊มน้ำซ่อมแซมที่ไหน | รับประกัน | ซ่อมแซม | การรับประกันปั๊มน้ำเริ่มในวันส่งมอบ | ปั๊มน้ำซ่อมแซมที่โรงงานบาเซิล
th | เงินมัดจำและค่าเช่าโกดังเท่าไหร่ | เงินมัดจำ | ค่าเช่า | เงินมัดจำของโกดังคือ 4000 ยูโร | ค่าเช่าโกดังคือ 900 ยูโร
zh | 租约的通知期限是多久，谁签署续约文件？ | 通知期限 | 续约 | 租约的通知期限是三个月。 | 续约文件由林德女士签署。
zh | 水泵的保修什么时候开始以及水泵在哪里维修？ | 保修 | 维修 | 水泵的保修从交货日开始。 | 水泵在巴塞尔车间维修。
zh | 仓库的押金和每月租金是多少？ | 押金 | 租金 | 仓库的押金为四千欧元。 | 每月租金为九百欧元。
ja | 契約の解約予告期間はどのくらいで、更新には誰が署名しますか。 | 解約予告 | 更新 | 契約の解約予告期間は三か月です。 | 更新にはリンド氏が署名します。
ja | ポンプの保証はいつ始まりますか。また、ポンプはどこで修理されますか。 | 保証 | 修理 | ポンプの保証は納品日に始まります。 | ポンプはバーゼルの工場で修理されます。
ja | 倉庫の敷金と家賃はいくらですか。 | 敷金 | 家賃 | 倉庫の敷金は四千ユーロです。 | 家賃は毎月九百ユーロです。
ko | 계약의 해지 통보 기간은 얼마이고 갱신에는 누가 서명합니까? | 해지 | 갱신 | 계약의 해지 통보 기간은 삼 개월입니다. | 갱신에는 린드 부인이 서명합니다.
ko | 펌프의 보증은 언제 시작합니까? 그리고 펌프는 어디에서 수리합니까? | 보증 | 수리 | 펌프의 보증은 납품일에 시작합니다. | 펌프는 바젤 공장에서 수리합니다.
ko | 창고의 보증금과 월세는 얼마입니까? | 보증금 | 월세 | 창고의 보증금은 사천 유로입니다. | 창고의 월세는 구백 유로입니다.
""")
"""Each row: language, question, words of either part, and a passage for either."""

OTHER_PASSAGES: dict[str, str] = {
    "en": "The canteen opens at eleven. Visitors wear a badge.",
    "de": "Die Kantine öffnet um elf Uhr. Besucher tragen einen Ausweis.",
    "fr": "La cantine ouvre à onze heures. Les visiteurs portent un badge.",
    "es": "El comedor abre a las once. Los visitantes llevan una tarjeta.",
    "ro": "Cantina se deschide la ora unsprezece. Vizitatorii poartă un ecuson.",
    "tr": "Yemekhane saat on birde açılır. Ziyaretçiler kart takar.",
    "el": "Το κυλικείο ανοίγει στις έντεκα. Οι επισκέπτες φορούν κάρτα.",
    "ru": "Столовая открывается в одиннадцать. Посетители носят пропуск.",
    "ar": "يفتح المطعم في الساعة الحادية عشرة. يحمل الزوار بطاقة.",
    "fa": "غذاخوری ساعت یازده باز می‌شود. بازدیدکنندگان کارت دارند.",
    "hi": "भोजनालय ग्यारह बजे खुलता है। आगंतुक बिल्ला पहनते हैं।",
    "id": "Kantin buka pukul sebelas. Tamu memakai kartu.",
    "vi": "Nhà ăn mở cửa lúc mười một giờ. Khách đeo thẻ.",
    "th": "โรงอาหารเปิดเวลาสิบเอ็ดโมง ผู้มาเยือนติดบัตร",
    "zh": "食堂十一点开门。访客佩戴胸牌。",
    "ja": "食堂は十一時に開きます。来客は名札を付けます。",
    "ko": "식당은 열한 시에 문을 엽니다. 방문객은 명찰을 답니다.",
}
"""What each corpus has besides, about something else."""
