"""Function words and question words, by language: they say how is asked, not what about.

Written as people write them; `terms` folds them. For scripts without blanks there are pairs,
those of question words that are rare within other words.
"""

from collections.abc import Mapping

STOP_WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": """a about after all also am an and any are as at be because been before being between
            both but by can could did do does doing down during each else ever few for from further
            get got had has have having he her here hers him his how i if in into is isn it its just
            kind let long many may me might more most much must my no nor not of off often on once one only or
            other our out over own per please same shall she should so some such tell than that the
            their them then there these they this those through to too type under until up us very
            was we were what whats when where whether which while who whom whose why will with
            within without would yes you your s t d ll m re ve""",
        "de": """aber alle allem allen aller alles als also am an andere anderen auch auf aus bei bin
            bis bist da damit dann das dass dem den denn der des dessen die dies diese diesem
            diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es etwas
            für gab gibt habe haben hat hatte hatten ich ihm ihn ihnen ihr ihre ihrem ihren ihrer
            im in ins ist ja jede jedem jeden jeder kann können lang lange konnte man mehr mein
            mit muss müssen nach nicht oft noch nun nur ob oder ohne sehr sein seine seinem seinen
            seiner seit sich sie sind so soll sollen sollte über um und uns unser unter vom von
            vor wann war waren warum was welche welchem welchen welcher welches wem wen wenn wer
            werden wessen wie wieso wird wir wo wofür woher wohin womit worden wurde wurden zu zum
            zur zwischen viel viele vielen heißt hieß heißen hießen wovon wozu woran worauf woraus
            wodurch worüber wogegen lautet lauten neben""",
        "fr": """à ai au aucun aussi autre aux avait avant avec avoir c ce cela ces cet cette ceux
            chez combien comme comment d dans de des donc dont du elle elles en encore entre est et
            étaient était être eu fait faut il ils j je l la le les leur leurs lequel laquelle lui m
            ma mais me même mes moi mon n ne nos notre nous on ont ou où par pas pendant peut peuvent
            plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se selon ses
            si soit son sont sous sur t ta te tes ton tous tout toute toutes très tu un une vers vos
            votre vous y""",
        "es": """a al algo algunos ante antes como cómo con contra cual cuál cuáles cuando cuándo
            cuánta cuántas cuánto cuántos de del desde donde dónde durante e el él ella ellas ellos en
            entre era eran es esa esas ese eso esos esta está están estas este esto estos fue fueron
            ha había han hasta hay la las le les lo los más me mi mis mucho muy nada ni no nos o os
            otra otro para pero por porque puede pueden qué que quien quién quiénes se según ser si sí
            sin sobre son su sus también tan te tiene tienen todo todos tu un una uno unos y ya""",
        "pt": """a ao aos as até com como da das de dela dele do dos e é ela elas ele eles em entre
            era essa esse esta está este eu foi foram há isso isto já lhe mais mas me mesmo meu minha
            muito na não nas nem no nos nós o os ou para pela pelas pelo pelos pode podem por porque
            qual quais quando quanta quantas quanto quantos que quem se sem ser seu seus são só sobre
            sua suas também te tem têm um uma você onde""",
        "it": """a agli ai al alla alle allo anche c che chi ci come con cosa cui d da dagli dai dal
            dalla dalle dei del della delle dello di dove e è ed era erano essere fra gli ha hanno i
            il in io l la le lei lo loro lui ma mi nei nel nella nelle noi non o per perché più può
            qual quale quali quando quanta quante quanti quanto quella quello questa questo se sei si
            sono su sua sue sul sulla suo suoi ti tra tu un una uno vi voi""",
        "nl": """aan al alle als bij dan dat de deze die dit door een en er haar had hebben heeft het
            hem hier hij hoe hoeveel hun ik in is je kan kunnen maar me meer men met mijn moet na naar
            niet nog nu of om omdat onder ons ook op over te tegen toch toen tot uit uw van veel voor
            waar waarom wanneer was wat we welk welke werd werden wie wij wordt worden zal ze zich zij
            zijn zo zonder""",
        "vi": """ai anh bao bị bởi các cái cần chỉ cho có còn của cùng cũng đã đang đâu đây để đến
            được do đó gì giữa hay hãy hơn khi không là lại làm mà mấy mỗi một nào này nên nếu ở ra
            rằng rất sẽ sau tại thì theo thế trên trong trước từ tới và vào vẫn về với việc vì xin
            như nhiêu nhiều những sao lúc điều""",
        "tr": """ama ancak bana bazı ben bir biri bu bunu bunun çok da daha de değil diye dolayı en
            gibi göre hangi hangisi hem her hiç için ile ise kaç kadar kez ki kim kimin mı mi mu
            mü ne neden nasıl nerede nereye olan olarak oldu olduğu olduğunu olur o onu onun sonra
            şu tarafından tüm ve veya ya yani zaman var vardı mıdır midir mudur müdür nedir kimdir
            nerededir neydi neyi neyin neye neler nelerdir neyle kimdi kimler kimi kime kaçı
            kaçıncı kadarı tane in nin nın ın un ün nun nün ye yi yı yu yü den dan te ta ten tan""",
        "ro": """a acest acesta această ai al ale am are as au ca care ce cea cei cel cele cine cu cum
            când cât câte câți câtă că dar de despre din după e ea ei el ele era este eu fi fost
            iar în îi îl îşi la le lor lui mai nu o ori pe pentru poate prin s sa sau se şi și
            sunt un una unde unei unui va cui cărui cărei căror dintre acestui acestei sale săi
            său""",
        "ru": """а без более бы был была были было быть в вам вас во вот все всех вы где да для до его
            ее её если есть еще ещё же за и из или им их к как какая какие какого каком какой
            какую когда кого кому который которая которые ко кто куда ли между меня мне может
            можно на над нам нас не него нее ней нет ни них но о об однако он она они оно от
            откуда по под после почему при про с сколько со так также там то тогда того тоже
            только том тот ты у уже чего чем что чтобы чья чьё это этого этой этом эту я какова
            каково каковы каким каких какому какими чему кем ком скольких сколькими скольким этот
            эти этим этих этому является являются назовите приведите""",
        "el": """αν από απο αυτά αυτές αυτή αυτό αυτός για δεν ε εάν είναι ενώ ένα ένας επί η ήταν θα
            κάθε και κατά κι μας με μετά μη μην μια μία μου μπορεί να ο οι όπως όταν ότι οποία
            οποίο οποίος παρά πιο ποια ποιά ποιες ποιο ποιοι ποιον ποιος ποιός που πού πόσα πόσες
            πόσο πόσοι πότε προς πως πώς σαν σας σε στη στην στης στις στο στον στους στα τα τη
            την της τι τί τις το τον του τους των ως έχει έχουν είχε τίνος ποιου ποιους ποιας
            ποιων ποιανού ποιανής όσον πόσων πόσους πόσης""",
        "ar": """أم أن أنا أنت أو أي أية أين إذا إلى إن التي الذي الذين ألا أما بعد بعض بين به بها تلك
            ثم حتى حيث ذلك عبر عن عند على غير في فيه فيها قبل قد كان كانت كل كم كما كيف لا لكن لم
            لن لماذا له لها ليس ما ماذا متى مثل مع من منذ منها منه مما هذا هذه هل هم هما هو هي و
            هناك يكون تكون فماذا بماذا لما بم وما ومن وهل بأي لأي إليها إليه تم يتم يمكن كيفية""",
        "fa": """از است اما ان او ای ایا ایشان این آن آنها آیا اگر با باید برای بر بود بودند به بی تا
            تر چرا چقدر چگونه چند چه چیست چیزی خود در را شد شده شود کجا کدام کرد کرده کند که کی
            کیست ما می من نیز و ولی هر هم همه های هست هستند یا یک کسی چندمین کجای کجاست چیستند
            دارد داشت داشته""",
        "hi": """और अपने अब आप इस इसके इसे उन उनके उस उसके उसे एक एवं ऐसे का कब कहाँ कहां कि कितना
            कितनी कितने किया किस किसका किसके किसने किसी किसे की के को कोई कौन कौनसा क्या क्यों गया
            गई जब जहाँ जा जो तक तथा तो था थी थे द्वारा न नहीं ने पर भी में यह या ये रहा रही रहे
            लिए व वह वे से सकता सकते सकती हम ही हुआ हुई हुए है हैं हो होता होती होते सा सी थीं किन
            किनके किनकी किसकी किससे कितनों कैसे कैसा कैसी जाता जाती जाते करने करना करता करती करते
            दिया दी दिए वाले वाली वाला बताइए""",
        "id": """yang dan di ke dari ini itu untuk dengan pada adalah dalam oleh tidak atau juga akan
            telah sudah ada bisa dapat sebagai karena kepada antara apa apakah siapa siapakah
            kapan kapankah dimana mana manakah berapa berapakah bagaimana bagaimanakah mengapa
            kenapa kah saja pun lah nya sebuah seorang para itulah merupakan tersebut bagi serta
            agar jika bila maka saat setelah sebelum hingga sampai kami kita mereka dia ia saya
            anda""",
        "sv": """och att det som en ett på är av för med till den har de inte om han men var jag sig
            från vi så kan man när år säger hon under också efter eller nu sin där vid mot ska
            skulle kommer ut får finns vara hade alla andra mycket än här då vad vem vilken vilket
            vilka vems varför hur många vart varifrån blev blir blivit denna detta dessa""",
        "da": """og at det som en et på er af for med til den har de ikke om han men var jeg sig fra vi
            så kan man når hun under også efter eller nu sin der ved mod skal skulle kommer ud får
            findes være havde alle andre meget end her da hvad hvem hvilken hvilket hvilke hvis
            hvorfor hvordan hvor mange hvornår blev bliver blevet denne dette disse""",
        "no": """og at det som en et på er av for med til den har de ikke om han men var jeg seg fra vi
            så kan man når hun under også etter eller nå sin der ved mot skal skulle kommer ut får
            finnes være hadde alle andre mye enn her da hva hvem hvilken hvilket hvilke hvorfor
            hvordan hvor mange ble blir blitt denne dette disse""",
        "fi": """ja on ei se että oli hän mutta ovat joka kun myös tai jos niin kuin ole olla ollut
            olivat mikä mitä mitkä missä mistä mihin milloin miksi miten kuka ketkä kenen ketä
            kuinka monta montako paljonko millainen mille minkä jonka jotka sekä vain jo nyt ne
            nämä tämä tuo hänen sen niiden vaan vai onko""",
        "pl": """i w na z do się nie jest to że o jak od za po jako przez dla tego są ale był była było
            były co czy ten ta te tym oraz lub który która które którzy jego jej ich kto kiedy
            gdzie dlaczego ile jaki jaka jakie jakiego jakiej jakim kogo komu czego czym ilu skąd
            dokąd być może więc jeszcze już tylko także również aby żeby przed przy pod nad między
            bez""",
        "cs": """a v na se je že s z do o i to za by ve pro jako po jak od ale byl byla bylo byly k co
            jsou při nebo který která které kteří jeho její jejich kdo kdy kde proč kolik jaký
            jaká jaké jakého jakým koho komu čeho čím čí odkud kam být může již také však než jen
            aby před mezi bez pod nad u""",
        "hu": """a az és hogy nem is egy meg van volt csak de ez el már mint még ha vagy ki mi mit
            mikor hol hová honnan miért hogyan hány mennyi melyik milyen kit kinek kié minek kell
            lehet lesz amely amelyek azt ezt ezek azok után között szerint által pedig majd
            illetve""",
    }.items()
}

STOP_PAIRS = frozenset(
    """哪种 哪種 何处 何處 哪位 哪一 谁在 叫什 几年 几月 什么 甚麼 什麼 多少 是什 么是 哪个 哪個 哪些 哪里 哪裡 如何 怎么 怎麼 怎样 為何 为何 为什 是谁 是誰 谁是 何时 何時 几个
    是多 少是 有多 有什 是哪 的是 了什 么时 時候 时候 是否 可以 能否 请问 請問 有哪 在哪 是在 于什 被称 称为 是由 以及 么样
    誰か は誰 第何 何年 何人 何月 何回 何と いた まし だっ どち ちら てい して です ます すか でし した した なに 何で 何が どこ どの どれ どん んな いつ だれ 誰が 誰で なぜ いく くら らで れは
    った って いる ある する され れた れて から まで より こと もの の何 は何 には では ので たの のは とい いう
    어떻 떻게 뭔가 누가 였는 했습 주세 세요 해주 는지 몇년 몇명 무엇 엇인 인가 가요 누구 구인 언제 제인 어디 디에 어느 어떤 얼마 마나 몇개 하는 했는 있는 는가 습니 니까 입니 니다
    나요 까요 은무 무슨 왜는 되는 된것 하나 것은 것이
    ไร ใน ใด""".split()
)

MEASURES_ASKED: Mapping[str, tuple[str, frozenset[str]]] = {
    language: (question, frozenset(words.split()))
    for language, (question, words) in {
        "en": (
            "how",
            """big close common deep expensive far fast hard heavy high large late long old
            quickly soon strong tall wide""",
        ),
        "de": (
            "wie",
            """alt breit groß häufig hoch lang lange schnell schwer spät stark teuer tief
            weit""",
        ),
        "nl": ("hoe", "breed diep duur groot hoog lang laat oud snel sterk vaak ver zwaar"),
        "sv": (
            "hur",
            "dyr djup gammal hög högt lång långt länge ofta snabb snabbt stor stort tung",
        ),
        "da": (
            "hvor",
            "dyr dyb gammel høj højt lang langt længe ofte hurtig hurtigt stor stort tung",
        ),
        "no": ("hvor", "dyr dyp gammel høy høyt lang langt lenge ofte rask raskt stor stort tung"),
        "es": ("qué", "ancho alto antiguo caro grande largo lejos profundo rápido tan"),
        "vi": ("bao", "lâu nhiêu xa giờ"),
        "fa": ("چه", "زمانی سالی کسی چیزی قدر مدت"),
    }.items()
}
"""Words that say what kind of answer is wanted where they follow a question word: "Wie hoch ist"."""
