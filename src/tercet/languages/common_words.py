"""Common words and greetings of languages that share a writing system with others: what people type when they type one word.

The lists are our own, and go by what is said: hello, thanks, yes, no, please, good day, I, you, who, what, where, today,
water, house, love, one, two, three. A word may be in the lists of several languages. The lists need not be complete: a word
that is in no list is judged by its letters alone.
"""

from functools import cache

_LISTS = """
eng_Latn
    hello hi hey bye goodbye welcome thanks thank you please sorry excuse yes no maybe okay good morning afternoon evening
    night day great nice bad fine cheers congratulations help love like want need know think see come go make take give
    get say tell the and but with from for this that these those what where when who why how which i my me your he she it
    its we our they their his her is are was were am be been have has had do does did will would can could should not name
    friend mother father brother sister family child children man woman boy girl people water food bread milk house home
    school work book city country world time year week today tomorrow yesterday now here there one two three four five ten
    first money cat dog sun beautiful happy birthday christmas new old big small very much more quick brown car tree sea
    monday tuesday wednesday thursday friday saturday sunday red blue green black white yellow coffee tea beer wine cheese
    apple fish meat hand heart head eye door window street fire moon star sky rain snow wind music doctor teacher student
    king queen train hospital phone computer question answer without before after always never again

deu_Latn
    hallo guten gute guter morgen tag abend nacht tschüss wiedersehen danke dankeschön bitte bitteschön ja nein vielleicht
    entschuldigung verzeihung willkommen servus moin prost gesundheit ich du er sie es wir ihr mein meine dein der die das
    den dem ein eine und oder aber nicht auch mit von für ist sind war bin bist haben habe hat wie was wo wer wann warum
    heute gestern jetzt hier dort gut schlecht schön groß klein sehr viel liebe freund freundin mutter vater bruder
    schwester familie kind kinder mann frau mädchen junge wasser brot milch essen haus schule arbeit buch stadt land welt
    zeit jahr woche leben eins zwei drei vier fünf zehn geld hund katze sonne baum straße name heiße herzlichen
    glückwunsch geburtstag frohe weihnachten wunderbar genau natürlich deutsch montag dienstag mittwoch donnerstag freitag
    samstag sonntag rot blau grün schwarz weiß gelb kaffee tee bier wein käse apfel fisch fleisch hand herz kopf auge tür
    fenster feuer mond stern himmel regen schnee musik arzt lehrer schüler könig zug bahnhof auto frage antwort freiheit
    immer nie wieder

fra_Latn
    bonjour bonsoir salut bonne nuit soirée journée au revoir merci beaucoup oui non peut-être pardon excusez excuse moi
    s'il vous plaît bienvenue bravo félicitations je tu il elle nous ils elles mon ma mes ton ta le la les un une des et
    ou mais ne pas avec pour dans est sont suis être avoir ai avez comment quoi où qui quand pourquoi aujourd'hui demain
    hier maintenant ici bon bien mauvais beau belle grand petit très amour aimer ami amie mère père frère sœur famille
    enfant enfants homme femme fille garçon eau pain lait maison école travail livre ville pays monde temps année semaine
    vie deux trois quatre cinq dix argent chien chat soleil arbre rue nom appelle joyeux anniversaire noël voilà d'accord
    français lundi mardi mercredi jeudi vendredi samedi dimanche rouge bleu vert noir blanc jaune café thé bière vin
    fromage pomme poisson viande main cœur tête œil porte fenêtre feu lune étoile ciel pluie neige musique médecin
    professeur élève roi train gare voiture question réponse toujours jamais encore monsieur madame liberté enchanté

spa_Latn
    hola buenos buenas días dias tardes noches adiós adios gracias muchas por favor sí si no quizás perdón perdon disculpe
    lo siento bienvenido bienvenidos salud felicidades yo tú él ella nosotros ellos mi tu su el la los las un una y o pero
    con para en es son soy eres está están estoy ser estar tener tengo qué que cómo como dónde donde quién quien cuándo
    cuando porque hoy mañana manana ayer ahora aquí bueno bien malo bonito hermoso grande pequeño muy mucho más amor amigo
    amiga madre padre hermano hermana familia niño niña niños hombre mujer agua pan leche comida casa escuela trabajo
    libro ciudad país mundo tiempo año semana vida uno dos tres cuatro cinco diez dinero perro gato sol árbol calle nombre
    llamo feliz cumpleaños navidad español señor señora luego hasta usted vamos también lunes martes miércoles jueves
    viernes sábado domingo rojo azul verde negro blanco amarillo café té cerveza vino queso manzana pescado carne mano
    corazón cabeza ojo puerta ventana fuego luna estrella cielo lluvia nieve música médico maestro rey tren coche playa
    pregunta respuesta siempre nunca otra libertad encantado

por_Latn
    olá ola oi bom boa dia tarde noite tchau adeus obrigado obrigada por favor sim não nao talvez desculpe desculpa
    licença bem-vindo parabéns saúde eu você voce ele ela nós eles elas meu minha seu sua o a os as um uma e ou mas com
    para em no na do da é são sou está estou ser ter tenho que como onde quem quando porque hoje amanhã ontem agora aqui
    mau bonito bonita grande pequeno muito mais amor amigo amiga mãe pai irmão irmã família criança crianças homem mulher
    menino menina água pão leite comida casa escola trabalho livro cidade país mundo tempo ano semana vida dois três
    quatro cinco dez dinheiro cachorro cão gato sol árvore rua nome feliz aniversário natal até logo também senhor senhora
    saudade segunda terça quarta quinta sexta sábado domingo vermelho azul verde preto branco amarelo café chá cerveja
    vinho queijo maçã peixe carne mão coração cabeça olho porta janela fogo lua estrela céu chuva neve música médico
    professor rei trem carro praia pergunta resposta sempre nunca outra liberdade prazer tudo bem

ita_Latn
    ciao buongiorno buonasera buonanotte salve arrivederci grazie mille prego per favore piacere sì si no forse scusa
    scusi scusate benvenuto benvenuti auguri salute io tu lui lei noi voi loro mio mia tuo tua il lo la gli le un una e o
    ma con in di è sono sei siamo essere avere ho hai ha che come dove chi quando perché cosa oggi domani ieri adesso ora
    qui buono bene cattivo bello bella grande piccolo molto più amore amico amica madre padre fratello sorella famiglia
    bambino bambini uomo donna ragazzo ragazza acqua pane latte cibo casa scuola lavoro libro città paese mondo tempo anno
    settimana vita uno due tre quattro cinque dieci soldi cane gatto sole albero strada nome chiamo buon compleanno natale
    giorno sera notte mattina signore signora anche mamma italiano lunedì martedì mercoledì giovedì venerdì sabato
    domenica rosso blu azzurro verde nero bianco giallo caffè tè birra vino formaggio mela pesce carne mano cuore testa
    occhio porta finestra fuoco luna stella cielo pioggia neve musica medico insegnante re treno macchina spiaggia domanda
    risposta sempre mai ancora libertà

nld_Latn
    hallo hoi dag goedemorgen goedemiddag goedenavond goedendag welterusten doei tot ziens dank je bedankt dankjewel
    alstublieft alsjeblieft ja nee misschien sorry pardon welkom proost gefeliciteerd ik jij hij zij wij jullie mijn jouw
    de het een en of maar niet ook met van voor is zijn ben bent hebben heb heeft hoe wat waar wie wanneer waarom vandaag
    morgen gisteren nu hier goed slecht mooi groot klein heel veel liefde vriend vriendin moeder vader broer zus familie
    kind kinderen man vrouw meisje jongen water brood melk eten huis school werk boek stad land wereld tijd jaar week
    leven twee drie vier vijf tien geld hond kat zon boom straat naam heet fijne verjaardag gezellig lekker leuk graag
    nederlands maandag dinsdag woensdag donderdag vrijdag zaterdag zondag rood blauw groen zwart wit geel koffie thee bier
    wijn kaas appel vis vlees hand hart hoofd oog deur raam vuur maan ster hemel regen sneeuw muziek dokter leraar koning
    trein auto vraag antwoord altijd nooit weer goedenacht

afr_Latn
    hallo goeie môre goeiemôre dag middag aand nag totsiens dankie baie asseblief ja nee miskien jammer verskoon welkom ek
    jy hy sy ons julle hulle my die 'n en of maar nie met van vir is was het hoe wat waar wie wanneer hoekom vandag gister
    nou hier goed sleg mooi groot klein liefde lief vriend moeder vader broer suster familie kind kinders man vrou water
    brood melk kos huis skool werk boek stad land wêreld tyd jaar week lewe een twee drie vier vyf tien geld hond kat son
    boom naam lekker braai

swe_Latn
    hej hejsan tjena god morgon dag kväll natt godnatt adjö hejdå tack så mycket varsågod snälla ja nej kanske förlåt
    ursäkta välkommen skål grattis jag du han hon vi ni de min din en ett och eller men inte också med av för är var vara
    ha har hur vad står vem när varför idag imorgon igår nu här bra dålig vacker stor liten kärlek älskar vän mor mamma
    far pappa bror syster familj barn man kvinna flicka pojke vatten bröd mjölk mat hus skola arbete bok stad land värld
    tid år vecka liv två tre fyra fem tio pengar hund katt sol träd gata namn heter jul födelsedag svenska fika måndag
    tisdag onsdag torsdag fredag lördag söndag röd blå grön svart vit gul kaffe te öl vin ost äpple fisk kött hand hjärta
    huvud öga dörr fönster eld måne stjärna himmel regn snö musik läkare lärare kung tåg bil fråga svar alltid aldrig igen
    välkomna

dan_Latn
    hej goddag godmorgen godaften godnat farvel tak mange velbekomme venligst ja nej måske undskyld velkommen skål
    tillykke jeg du han hun vi de min din en et og eller men ikke også med af for er var være have har hvordan hvad hvor
    hvem hvornår hvorfor morgen aften nat dag nu her god godt dårlig smuk stor lille meget kærlighed elsker ven mor far
    bror søster familie barn børn mand kvinde pige dreng vand brød mælk mad hus skole arbejde bog by land verden tid år
    uge liv to tre fire fem ti penge hund kat sol træ gade navn hedder glædelig jul fødselsdag dansk hygge mandag tirsdag
    onsdag torsdag fredag lørdag søndag rød blå grøn sort hvid gul kaffe te øl vin ost æble fisk kød hånd hjerte hoved øje
    dør vindue ild måne stjerne himmel regn sne musik læge lærer konge tog bil spørgsmål svar altid aldrig igen

nob_Latn
    hei hallo morn god morgen dag kveld natt ha det farvel takk tusen mange vær så snill ja nei kanskje unnskyld beklager
    velkommen skål gratulerer jeg du han hun vi dere de min din en ei et og eller men ikke også med av for er var være har
    hvordan hva hvor hvem når hvorfor nå her bra dårlig vakker stor liten veldig kjærlighet elsker venn mor far bror
    søster familie barn mann kvinne jente gutt vann brød melk mat hus skole arbeid bok by land verden tid år uke liv to
    tre fire fem ti penger hund katt sol gate navn heter jul bursdag norsk koselig mandag tirsdag onsdag torsdag fredag
    lørdag søndag rød blå grønn svart hvit gul kaffe te øl vin ost eple fisk kjøtt hånd hjerte hode øye dør vindu ild måne
    stjerne himmel regn snø musikk lege lærer konge tog bil spørsmål svar alltid aldri igjen

nno_Latn
    hei god morgon dag kveld natt takk ja nei kanskje orsak velkomen eg du han ho vi de min ein ei eit og eller men ikkje
    òg med av er var vere har korleis kva kvar kven når kvifor no her bra kjærleik ven mor far bror syster familie born
    mann kvinne jente gut vatn brød mjølk mat hus skule arbeid bok by land verda tid år veke liv to tre fire fem ti namn
    heiter norsk

isl_Latn
    halló hæ góðan daginn dag góða nótt kvöld bless takk fyrir já nei kannski fyrirgefðu afsakið velkomin velkominn skál
    til hamingju ég þú hann hún við þið þeir minn og eða en ekki með er var vera hef hvernig hvað hvar hver hvenær af
    hverju í morgun núna hér gott vondur fallegur stór lítill mjög ást elska vinur móðir mamma faðir pabbi bróðir systir
    fjölskylda barn börn maður kona stelpa strákur vatn brauð mjólk matur hús skóli vinna bók borg land heimur tími ár
    vika líf einn tveir þrír hundur köttur sól nafn heiti gleðileg jól íslenska

fin_Latn
    hei moi terve moikka huomenta hyvää päivää iltaa yötä näkemiin kiitos paljon ole hyvä kyllä ei ehkä anteeksi
    tervetuloa kippis onnea minä sinä hän me te he minun sinun ja tai mutta myös on oli olen olet olla kuinka miten mikä
    mitä missä kuka milloin miksi tänään huomenna eilen nyt täällä hyvin huono kaunis suuri iso pieni rakkaus rakastan
    ystävä äiti isä veli sisko perhe lapsi lapset mies nainen tyttö poika vesi leipä maito ruoka talo koti koulu työ kirja
    kaupunki maa maailma aika vuosi viikko elämä yksi kaksi kolme neljä viisi kymmenen raha koira kissa aurinko puu katu
    nimi nimeni hauskaa joulua suomi maanantai tiistai keskiviikko torstai perjantai lauantai sunnuntai punainen sininen
    vihreä musta valkoinen keltainen kahvi tee olut viini juusto omena kala liha käsi sydän pää silmä ovi ikkuna tuli kuu
    tähti taivas sade lumi musiikki lääkäri opettaja kuningas juna auto kysymys vastaus aina koskaan

est_Latn
    tere hommikust päevast õhtust head ööd aega hüvasti nägemist aitäh tänan palun jah ei võib-olla vabandust vabandage
    teretulemast terviseks palju õnne mina sina tema meie teie nemad minu ja või aga ka on oli olen olla kuidas mis kus
    kes millal miks täna homme eile nüüd siin hea hästi halb ilus suur väike väga armastus armastan sõber ema isa vend õde
    perekond laps lapsed mees naine tüdruk poiss vesi leib piim toit maja kodu kool töö raamat linn maa maailm aeg aasta
    nädal elu üks kaks kolm neli viis kümme raha koer kass päike puu tänav nimi häid jõule eesti

lav_Latn
    sveiki čau labrīt labdien labvakar ar labu nakti uz redzēšanos paldies lūdzu jā nē varbūt piedodiet atvainojiet laipni
    lūdzam priekā es tu viņš viņa mēs jūs viņi mans un vai bet arī ir bija esmu būt kā kas kur kad kāpēc šodien rīt vakar
    tagad šeit labi slikti skaists liels mazs ļoti mīlestība mīlu draugs māte tēvs brālis māsa ģimene bērns bērni vīrs
    sieviete meitene zēns ūdens maize piens ēdiens māja skola darbs grāmata pilsēta zeme pasaule laiks gads nedēļa dzīve
    viens divi trīs četri pieci nauda suns kaķis saule koks iela vārds daudz laimes latviešu

lit_Latn
    labas sveiki sveikas rytas diena vakaras labanakt viso gero iki ačiū prašau taip ne galbūt atsiprašau atvykę į
    sveikatą sveikinu aš tu jis ji mes jūs jie mano ir arba bet pat yra buvo esu būti kaip kas kur kada kodėl šiandien
    rytoj vakar dabar čia gerai blogai gražus didelis mažas labai meilė myliu draugas motina mama tėvas brolis sesuo šeima
    vaikas vaikai vyras moteris mergaitė berniukas vanduo duona pienas maistas namas namai mokykla darbas knyga miestas
    šalis pasaulis laikas metai savaitė gyvenimas vienas du trys keturi penki pinigai šuo katė saulė medis gatvė vardas
    lietuvių

pol_Latn
    cześć czesc witaj witam dzień dobry dobranoc wieczór do widzenia pa dziękuję dziekuje dzięki proszę prosze tak nie
    może przepraszam na zdrowie gratulacje ja ty on ona my wy oni mój moja twój i lub ale też z w jest są był jestem
    jesteś być mam jak co gdzie kto kiedy dlaczego dzisiaj dziś jutro wczoraj teraz tutaj tu dobrze zły piękny duży mały
    bardzo miłość kocham przyjaciel matka mama ojciec tata brat siostra rodzina dziecko dzieci mężczyzna kobieta
    dziewczyna chłopiec woda chleb mleko jedzenie dom szkoła praca książka miasto kraj świat czas rok tydzień życie jeden
    dwa trzy cztery pięć dziesięć pieniądze pies kot słońce drzewo ulica imię nazywam się wesołych świąt sto lat urodziny
    polski poniedziałek wtorek środa czwartek piątek sobota niedziela czerwony niebieski zielony czarny biały żółty kawa
    herbata piwo wino ser jabłko ryba mięso ręka serce głowa oko drzwi okno ogień księżyc gwiazda niebo deszcz śnieg
    muzyka lekarz nauczyciel król pociąg samochód pytanie odpowiedź zawsze nigdy znowu babcia

ces_Latn
    ahoj čau dobrý den ráno večer dobrou noc nashledanou na shledanou děkuji děkuju díky prosím ano ne možná promiňte
    omlouvám se vítejte zdraví gratuluji já ty on ona my vy oni můj moje tvůj a nebo ale také s v je jsou byl jsem jsi být
    mám jak co kde kdo kdy proč dnes zítra včera teď tady dobře špatný krásný velký malý velmi láska miluji přítel matka
    máma otec táta bratr sestra rodina dítě děti muž žena dívka chlapec voda chléb mléko jídlo dům škola práce kniha město
    země svět čas rok týden život jeden dva tři čtyři pět deset peníze pes kočka slunce strom ulice jméno jmenuji veselé
    vánoce všechno nejlepší narozeniny čeština pondělí úterý středa čtvrtek pátek sobota neděle červený modrý zelený černý
    bílý žlutý káva čaj pivo víno sýr jablko ryba maso ruka srdce hlava oko dveře okno oheň měsíc hvězda nebe déšť sníh
    hudba lékař učitel král vlak auto otázka odpověď vždy nikdy

slk_Latn
    ahoj čau dobrý deň ráno večer dobrú noc dovidenia ďakujem vďaka prosím áno nie možno prepáčte vitajte na zdravie
    gratulujem ja ty on ona my vy oni môj moja a alebo ale tiež s v je sú bol som si byť mám ako čo kde kto kedy prečo
    dnes zajtra včera teraz tu dobre zlý krásny veľký malý veľmi láska milujem ľúbim priateľ matka mama otec brat sestra
    rodina dieťa deti muž žena dievča chlapec voda chlieb mlieko jedlo dom škola práca kniha mesto krajina svet čas rok
    týždeň život jeden dva tri štyri päť desať peniaze pes mačka slnko strom ulica meno volám veselé vianoce všetko
    najlepšie narodeniny slovenčina

slv_Latn
    zdravo živjo dober dan dobro jutro večer lahko noč nasvidenje adijo hvala prosim ja ne morda oprostite dobrodošli na
    zdravje čestitke jaz ti on ona mi vi oni moj moja in ali ampak tudi z v je so bil sem si biti imam kako kaj kje kdo
    kdaj zakaj danes jutri včeraj zdaj tukaj slab lep velik majhen zelo ljubezen ljubim prijatelj mati mama oče brat
    sestra družina otrok otroci moški ženska dekle fant voda kruh mleko hrana hiša šola delo knjiga mesto država svet čas
    leto teden življenje ena dva tri štiri pet deset denar pes mačka sonce drevo ulica ime vesel božič rojstni slovenščina

hrv_Latn
    bok zdravo dobar dan dobro jutro dobra večer laku noć doviđenja adio hvala molim da ne možda oprostite dobrodošli
    živjeli čestitam ja ti on ona mi vi oni moj moja i ili ali također s u je su bio sam si biti imam kako što gdje tko
    kada zašto danas sutra jučer sada ovdje loš lijep velik mali vrlo ljubav volim prijatelj majka mama otac tata brat
    sestra obitelj dijete djeca muškarac žena djevojka dječak voda kruh mlijeko hrana kuća škola posao knjiga grad zemlja
    svijet vrijeme godina tjedan život jedan dva tri četiri pet deset novac pas mačka sunce drvo ulica ime zovem sretan
    božić rođendan hrvatski ponedjeljak utorak srijeda četvrtak petak subota nedjelja crven plav zelen crn bijel žut kava
    čaj pivo vino sir jabuka riba meso ruka srce glava oko vrata prozor vatra mjesec zvijezda nebo kiša snijeg glazba
    liječnik učitelj kralj vlak auto pitanje odgovor uvijek nikad

srp_Latn
    zdravo ćao dobar dan dobro jutro veče laku noć doviđenja prijatno hvala molim da ne možda izvinite dobrodošli živeli
    čestitam ja ti on ona mi vi oni moj moja i ili ali takođe s u je su bio sam si biti imam kako šta gde ko kada zašto
    danas sutra juče sada ovde loš lep velik mali veoma ljubav volim prijatelj majka mama otac tata brat sestra porodica
    dete deca muškarac žena devojka dečak voda hleb mleko hrana kuća škola posao knjiga grad zemlja svet vreme godina
    nedelja život jedan dva tri četiri pet deset novac pas mačka sunce drvo ulica ime zovem srećan božić rođendan srpski
    ponedeljak utorak sreda četvrtak petak subota crven plav zelen crn beo žut kafa čaj pivo vino sir jabuka riba meso
    ruka srce glava oko vrata prozor vatra mesec zvezda nebo kiša sneg muzika lekar učitelj kralj voz auto pitanje odgovor
    uvek nikad

bos_Latn
    zdravo selam dobar dan dobro jutro dobra večer laku noć doviđenja hvala molim da ne možda izvinite dobrodošli čestitam
    ja ti on ona mi vi oni moj moja i ili ali također s u je su bio sam si biti imam kako šta gdje ko kada zašto danas
    sutra jučer sada ovdje loš lijep velik mali veoma ljubav volim prijatelj majka mama otac babo brat sestra porodica
    dijete djeca muškarac žena djevojka dječak voda hljeb mlijeko hrana kuća škola posao knjiga grad zemlja svijet vrijeme
    godina sedmica život jedan dva tri četiri pet deset novac pas mačka sunce drvo ulica ime zovem sretan rođendan kahva

hun_Latn
    szia sziasztok helló szervusz jó reggelt napot estét éjszakát viszontlátásra viszlát köszönöm köszi szépen kérem igen
    nem talán bocsánat elnézést üdvözlöm isten hozott egészségedre egészségére gratulálok én te ő mi ti ők az egy és vagy
    de is van volt vagyok lenni hogyan hogy ki hol mikor miért ma holnap tegnap most itt jól rossz szép nagy kicsi nagyon
    szerelem szeretet szeretlek barát anya apa testvér család gyerek gyerekek férfi nő lány fiú víz kenyér tej étel ház
    iskola munka könyv város ország világ idő év hét élet kettő három négy öt tíz pénz kutya macska nap fa utca név nevem
    boldog karácsony születésnapot magyar hétfő kedd szerda csütörtök péntek szombat vasárnap piros kék zöld fekete fehér
    sárga kávé tea sör bor sajt alma hal hús kéz szív fej szem ajtó ablak tűz hold csillag ég eső hó zene orvos tanár
    király vonat autó kérdés válasz mindig soha

ron_Latn
    bună buna salut ziua dimineața seara noapte la revedere pa mulțumesc multumesc mersi vă rog te da nu poate scuze
    scuzați iertare bine ați venit noroc felicitări eu tu el ea noi voi ei meu mea și sau dar cu pentru în este sunt era
    ești fi am cum ce unde cine când de astăzi azi mâine ieri acum aici bun rău frumos mare mic foarte dragoste iubire
    iubesc prieten mamă mama tată frate soră familie copil copii bărbat femeie fată băiat apă pâine lapte mâncare casă
    școală muncă carte oraș țară lume timp an săptămână viață unu doi trei patru cinci zece bani câine pisică soare copac
    stradă nume numesc crăciun fericit ani română luni marți miercuri joi vineri sâmbătă duminică roșu albastru verde
    negru alb galben cafea ceai bere vin brânză măr pește carne mână inimă cap ochi ușă fereastră foc lună stea cer ploaie
    zăpadă muzică doctor profesor rege tren mașină întrebare răspuns întotdeauna niciodată

cat_Latn
    hola bon dia bona tarda nit adéu adeu gràcies gracies merci si us plau sisplau sí no potser perdó disculpi benvingut
    benvinguts salut felicitats jo tu ell ella nosaltres vosaltres ells meu meva el la els les un una i o però amb per en
    és són soc sóc ets està ser estar tenir tinc com què on qui quan perquè avui demà ahir ara aquí bo bé dolent bonic
    gran petit molt més amor estimo amic amiga mare pare germà germana família nen nena nens home dona noia noi aigua pa
    llet menjar casa escola feina treball llibre ciutat país món temps any setmana vida dos tres quatre cinc deu diners
    gos gat sol arbre carrer nom dic nadal aniversari català dilluns dimarts dimecres dijous divendres dissabte diumenge
    vermell blau verd negre blanc groc cafè te cervesa vi formatge poma peix carn mà cor cap ull porta finestra foc lluna
    estrella cel pluja neu música metge rei tren cotxe sempre mai

eus_Latn
    kaixo egun on arratsalde gabon agur eskerrik asko mila esker mesedez bai ez agian barkatu ongi etorri topa zorionak ni
    zu hura gu zuek haiek nire eta edo baina ere da dira naiz zara izan dut nola zer non nor noiz zergatik gaur bihar atzo
    orain hemen ona txarra polita handia txikia oso maitasuna maite zaitut lagun ama aita anaia ahizpa arreba familia haur
    umea umeak gizon emakume neska mutil ur ura ogia esnea janaria etxe etxea eskola lan lana liburu hiri herri mundu
    denbora urte aste bizitza bat bi hiru lau bost hamar diru txakur katu eguzki zuhaitz kale izena euskara

glg_Latn
    ola bos días boas tardes noites adeus ata logo grazas moitas graciñas por favor si non quizais desculpa benvido
    benvidos parabéns eu ti el ela nós vós eles meu miña o a os as un unha e ou pero con para en é son estou ser ter teño
    como que onde quen cando porque hoxe mañá onte agora aquí bo boa ben mal fermoso grande pequeno moi máis amor quérote
    amigo nai pai irmán irmá familia neno nena nenos home muller auga pan leite comida casa escola traballo libro cidade
    país mundo tempo ano semana vida dous tres catro cinco dez cartos can gato sol árbore rúa nome chámome nadal galego

tur_Latn
    merhaba selam günaydın iyi günler akşamlar geceler güle hoşça kal hoşçakal teşekkürler teşekkür ederim sağol sağ ol
    lütfen rica evet hayır belki affedersiniz pardon özür dilerim hoş geldiniz hoşgeldiniz şerefe tebrikler ben sen o biz
    siz onlar benim senin ve veya ama de da ile için bir bu şu değil var yok nasıl nasılsın ne nerede kim zaman neden
    niçin bugün yarın dün şimdi burada güzel kötü büyük küçük çok aşk sevgi seviyorum seni arkadaş anne baba kardeş abla
    aile çocuk çocuklar adam erkek kadın kız su ekmek süt yemek ev okul iş kitap şehir ülke dünya yıl hafta hayat iki üç
    dört beş on para köpek kedi güneş ağaç sokak isim adım doğum günün kutlu olsun türkçe tamam pazartesi salı çarşamba
    perşembe cuma cumartesi pazar kırmızı mavi yeşil siyah beyaz sarı kahve çay bira şarap peynir elma balık et el kalp
    yürek baş göz kapı pencere ateş ay yıldız gök yağmur kar müzik doktor öğretmen kral tren araba soru cevap her asla

aze_Latn
    salam sabahınız xeyir axşamınız gecəniz xeyirə sağ ol sağol çox təşəkkür edirəm zəhmət olmasa xahiş bəli hə yox xeyr
    bəlkə bağışlayın üzr istəyirəm xoş gəlmisiniz mən sən o biz siz onlar mənim və ya amma da ilə üçün bir bu deyil var
    necə necəsən nə harada kim vaxt niyə gün sabah dünən indi burada yaxşı pis gözəl böyük kiçik sevgi sevirəm dost ana
    ata qardaş bacı ailə uşaq uşaqlar kişi qadın qız oğlan su çörək süd yemək ev məktəb iş kitab şəhər ölkə dünya il həftə
    həyat iki üç dörd beş pul it pişik günəş ağac küçə ad adım azərbaycan

uzb_Latn
    salom assalomu alaykum xayr rahmat iltimos ha yo'q balki kechirasiz xush kelibsiz men sen u biz siz ular mening va
    yoki lekin ham bilan uchun bir bu emas bor qanday nima qayerda kim qachon nega bugun ertaga kecha hozir yerda yaxshi
    yomon chiroyli katta kichik juda sevgi sevaman do'st ona ota aka uka opa oila bola bolalar erkak ayol qiz suv non sut
    ovqat uy maktab ish kitob shahar mamlakat dunyo vaqt yil hafta hayot ikki uch to'rt besh pul it mushuk quyosh daraxt
    ko'cha ism o'zbek

tuk_Latn
    salam sag boluň sagbol haýyş hawa ýok belki bagyşlaň hoş geldiňiz men sen ol biz siz olar meniň we ýa-da ýöne hem
    bilen üçin bir bu däl bar nähili näme nirede kim haçan şu gün ertir düýn häzir gowy ýaman owadan uly kiçi gaty söýgi
    dost ene kaka aga uýa maşgala çaga çagalar erkek aýal gyz oglan suw çörek süýt nahar öý mekdep iş kitap şäher ýurt
    dünýä wagt ýyl hepde durmuş iki üç dört bäş pul it pişik agaç köçe at türkmen

kur_Latn
    silav rojbaş êvarbaş şevbaş bi xatirê te spas zor ji kerema xwe erê belê na belkî bibore xêr hatî ez tu ew em hûn min
    û an lê jî bo di de ye ne heye çawa çi li ku kî kengî çima îro sibê duh niha vir baş xirab xweşik mezin biçûk gelek
    evîn hez dikim heval dê dayik bav bira xwişk malbat zarok mêr jin keç kur av nan şîr xwarin mal xanî dibistan kar
    pirtûk bajar welat cîhan dem sal hefte jiyan yek du sê çar pênc pere kûçik pisîk roj dar nav navê kurdî

sqi_Latn
    përshëndetje tungjatjeta mirëdita mirëmëngjes mirëmbrëma natën e mirë mirupafshim faleminderit ju lutem po jo ndoshta
    më fal falni se vini erdhët gëzuar urime unë ti ai ajo ne ata im ime dhe ose por edhe me për në është janë jam je të
    jesh kam si çfarë ku kush kur pse sot nesër dje tani këtu keq bukur madh vogël shumë dashuri dua shok mik nëna nënë
    babai baba vëlla motër familja fëmijë fëmijët burrë grua vajzë djalë ujë bukë qumësht ushqim shtëpi shkollë punë libër
    qytet vend botë kohë vit javë jetë një dy tre katër pesë para qen mace diell pemë rrugë emri shqip

vie_Latn
    xin chào tạm biệt cảm ơn cám nhiều làm vui lòng vâng dạ không có thể lỗi hoan nghênh chúc mừng tôi bạn anh chị em ông
    bà nó chúng ta họ của và hoặc nhưng cũng với cho là gì đâu ai khi nào tại sao thế hôm nay ngày mai qua bây giờ ở đây
    tốt xấu đẹp lớn nhỏ rất yêu tình bè mẹ bố cha gia đình con trẻ đàn phụ nữ gái trai nước bánh mì sữa thức ăn cơm nhà
    trường học việc sách thành phố giới thời gian năm tuần cuộc sống một hai ba bốn mười tiền chó mèo mặt trời cây đường
    tên sinh nhật buổi sáng tối ngủ ngon việt nam phở thứ bảy chủ đỏ xanh lá đen trắng vàng cà phê trà bia rượu táo cá
    thịt tay tim đầu mắt cửa sổ lửa trăng mưa tuyết nhạc bác sĩ giáo viên vua tàu xe hơi câu hỏi luôn

ind_Latn
    halo hai selamat pagi siang sore malam tidur tinggal jalan sampai jumpa terima kasih makasih tolong silakan silahkan
    sama ya iya tidak bukan mungkin maaf permisi datang saya aku kamu anda dia kami kita mereka dan atau tapi tetapi juga
    dengan dari untuk di ke yang ini itu adalah ada apa kabar bagaimana mana siapa kapan kenapa mengapa hari besok kemarin
    sekarang sini baik bagus buruk cantik indah besar kecil sangat banyak cinta suka teman ibu bapak ayah kakak adik
    keluarga anak pria laki wanita perempuan gadis air roti susu makanan makan rumah sekolah kerja buku kota negara dunia
    waktu tahun minggu hidup satu dua tiga empat lima sepuluh uang anjing kucing matahari pohon nama ulang indonesia bisa
    sudah belum enggak nggak gue senin selasa rabu kamis jumat sabtu merah biru hijau hitam putih kuning kopi teh bir
    anggur keju apel ikan daging tangan hati kepala mata pintu jendela api bulan bintang langit hujan salju musik dokter
    guru raja kereta mobil pertanyaan jawaban selalu pernah nasi

zsm_Latn
    helo hai selamat pagi petang malam tengah hari tinggal jalan jumpa lagi terima kasih tolong sila sama ya tidak tak
    bukan mungkin maaf tumpang tanya datang saya awak kamu anda dia kami kita mereka dan atau tetapi juga dengan dari
    untuk di ke yang ini itu ialah ada apa khabar bagaimana mana siapa bila kenapa mengapa esok semalam sekarang sini baik
    bagus buruk cantik besar kecil sangat banyak cinta suka kawan ibu emak bapa ayah kakak abang adik keluarga anak budak
    lelaki wanita perempuan air roti susu makanan makan rumah sekolah kerja buku bandar negara dunia masa tahun minggu
    hidup satu dua tiga empat lima sepuluh wang duit anjing kucing matahari pokok nama lahir melayu boleh isnin selasa
    rabu khamis jumaat sabtu ahad merah biru hijau hitam putih kuning kopi teh keju epal ikan daging tangan hati kepala
    mata pintu tingkap api bulan bintang langit hujan salji muzik doktor guru raja kereta soalan jawapan selalu nasi

tgl_Latn
    kumusta kamusta magandang umaga hapon gabi araw tanghali paalam salamat maraming walang anuman pakiusap oo opo hindi
    siguro baka paumanhin pasensya patawad maligayang pagdating mabuhay ako ikaw siya kami tayo kayo sila ko mo akin ang
    ng mga sa at o pero din rin kung para ay may mayroon wala paano ano saan sino kailan bakit ngayon bukas kahapon dito
    mabuti masama maganda malaki maliit mahal kita kaibigan nanay ina tatay ama kuya ate pamilya anak bata lalaki babae
    tubig tinapay gatas pagkain bahay paaralan trabaho aklat libro lungsod bansa mundo oras taon linggo buhay isa dalawa
    tatlo apat lima sampu pera aso pusa puno pangalan po naman lang na lunes martes miyerkules huwebes biyernes sabado
    pula asul berde itim puti dilaw kape tsaa keso mansanas isda karne kamay puso ulo mata pinto bintana apoy buwan bituin
    langit ulan musika doktor guro hari tren kotse tanong sagot palagi

jav_Latn
    sugeng enjing siyang sonten dalu matur nuwun suwun monggo mangga inggih nggih mboten ora nyuwun pangapunten rawuh aku
    kowe panjenengan dheweke kula lan utawa nanging uga karo kanggo ing iki iku ana piye kepriye apa ngendi sapa kapan
    ngapa dina sesuk wingi saiki kene apik elek ayu gedhe cilik tresna kanca ibu bapak kangmas adhi kulawarga bocah lanang
    wadon banyu omah griya sekolah gawe buku kutha negara donya wektu taun urip siji loro telu papat lima dhuwit asu
    kucing srengenge wit jeneng jawa

ceb_Latn
    kumusta maayong buntag hapon gabii adlaw palihog salamat daghang oo dili wala tingali pasayloa ako ikaw siya kami kita
    kamo sila nako nimo ang sa mga ug o pero usab alang adunay unsa unsay asa kinsa kanus-a ngano karon ugma gahapon dinhi
    diri maayo dautan gwapa dako gamay kaayo gugma gihigugma higala inahan mama amahan papa igsoon pamilya bata lalaki
    babaye tubig tinapay gatas pagkaon balay eskwelahan trabaho libro siyudad nasud kalibutan panahon tuig semana kinabuhi
    usa duha tulo upat lima kwarta iro iring kahoy ngalan bisaya

swa_Latn
    jambo habari hujambo sijambo mambo shikamoo karibu kwaheri kwa heri asante sana tafadhali ndiyo ndio hapana labda
    samahani pole hongera mimi wewe yeye sisi ninyi wao yangu na au lakini pia ya wa ni si kuwa nina jinsi gani nini wapi
    nani lini leo kesho jana sasa hapa nzuri mzuri mbaya kubwa ndogo upendo nakupenda rafiki mama baba kaka dada familia
    mtoto watoto mwanaume mwanamke msichana mvulana maji mkate maziwa chakula nyumba nyumbani shule kazi kitabu mji nchi
    dunia wakati mwaka wiki maisha moja mbili tatu nne tano kumi pesa mbwa paka jua mti jina langu kiswahili hakuna matata
    usiku mwema asubuhi njema safari simba lala salama jumatatu jumanne jumatano alhamisi ijumaa jumamosi jumapili
    nyekundu bluu kijani nyeusi nyeupe kahawa chai bia divai tufaha samaki nyama mkono moyo kichwa jicho mlango dirisha
    moto mwezi nyota mbingu mvua theluji muziki daktari mwalimu mwanafunzi mfalme gari swali jibu daima

hau_Latn
    sannu barka da safiya yamma dare ina kwana wuni sai anjima na gode nagode don allah eh ee a'a watakila yi hakuri
    maraba ni kai shi ita mu ku su ko amma kuma domin a ne ce yaya me mene wa wane yaushe yau gobe jiya yanzu nan mai kyau
    babba karami sosai soyayya so aboki uwa uba dan'uwa iyali yaro yara mutum mace yarinya ruwa burodi madara abinci gida
    makaranta aiki littafi gari kasa duniya lokaci shekara mako rayuwa daya biyu uku hudu biyar kudi kare rana itace suna
    hausa

yor_Latn
    bawo ẹ káàárọ̀ káàsán káalẹ́ o dabọ̀ ṣé jọ̀wọ́ bẹ́ẹ̀ni bẹẹni rárá boya pẹ̀lẹ́ kú kaabọ mo èmi ìwọ òun àwa àti tàbí
    ṣùgbọ́n fún ní jẹ́ kí ni níbo ta báwo lónìí ọ̀la àná báyìí dára burú ńlá kékeré ìfẹ́ ọ̀rẹ́ ìyá bàbá ẹ̀gbọ́n àbúrò ẹbí
    ọmọ ọkùnrin obìnrin omi búrẹ́dì wàrà oúnjẹ ilé ilé-ìwé iṣẹ́ ìwé ìlú ayé ọdún ọ̀sẹ̀ kan méjì mẹ́ta mẹ́rin owó ajá orúkọ
    yorùbá

ibo_Latn
    ndewo nnọọ ụtụtụ ọma ehihie mgbede ka ọ dị daalụ imela biko ee mba ma eleghị anya ndo m mụ gị ya anyị unu ha na bụ
    kama maka kedu gịnị ebee onye mgbe taa echi ụnyaahụ ugbu a ebe mma njọ ukwu nta ịhụnanya enyi nne nna nwanne ezinụlọ
    nwa ụmụ nwoke nwanyị mmiri achịcha nri ụlọ akwụkwọ ọrụ obodo ụwa oge afọ izu ndụ otu abụọ atọ anọ ise ego nkịta
    anyanwụ osisi aha igbo

som_Latn
    iska warran salaan subax wanaagsan galab habeen nabad gelyo nabadgelyo mahadsanid fadlan haa maya laga yaabaa iga
    raali ahow soo dhawow aniga adiga isaga iyada annaga iyaga iyo ama laakiin sidoo waa sidee maxay xagee yaa goorma
    maanta berri shalay hadda halkan fiican xun weyn yar aad jacayl saaxiib hooyo aabbe walaal qoys ilmo carruur nin naag
    gabadh wiil biyo rooti caano cunto guri dugsi shaqo buug magaalo dal dunida waqti sanad toddobaad nolol kow laba
    saddex afar shan lacag eey bisad qorrax geed magac soomaali

zul_Latn
    sawubona sanibonani unjani hamba kahle sala ngiyabonga siyabonga ngicela yebo cha mhlawumbe uxolo siyakwamukela halala
    mina wena yena thina nina bona futhi kodwa noma kanjani ini yini kuphi ubani nini kungani namhlanje kusasa izolo manje
    lapha kuhle kubi omkhulu omncane kakhulu uthando ngiyakuthanda umngane umama ubaba umfowethu udadewethu umndeni ingane
    izingane indoda umfazi owesifazane intombazane umfana amanzi isinkwa ubisi ukudla ikhaya indlu isikole umsebenzi
    incwadi idolobha izwe umhlaba isikhathi unyaka isonto ukuphila kunye kubili imali inja ikati ilanga isihlahla igama
    isizulu ubuntu

xho_Latn
    molo molweni unjani hamba kakuhle sala enkosi ndiyabulela nceda ewe hayi mhlawumbi uxolo wamkelekile mna wena yena
    thina nina bona kwaye kodwa okanye njani ntoni phi ngubani nini kutheni namhlanje ngomso izolo ngoku apha kulungile
    kubi enkulu encinci kakhulu uthando ndiyakuthanda umhlobo umama utata umntakwethu usapho umntwana abantwana indoda
    umfazi intombazana inkwenkwe amanzi isonka ubisi ukutya ikhaya indlu isikolo umsebenzi incwadi isixeko ilizwe
    ihlabathi ixesha unyaka iveki ubomi imali inja ikati ilanga umthi igama isixhosa

sna_Latn
    mhoro makadii mangwanani masikati manheru chisarai fambai zvakanaka ndatenda maita basa mazvita ndapota hongu kwete
    pamwe ndine urombo titambire ini iwe iye isu imi ivo uye asi kana sei chii kupi ndiani riinhi nhasi mangwana nezuro
    zvino pano zvakaipa hombe diki rudo ndinokuda shamwari amai baba mukoma hanzvadzi mhuri mwana vana murume mukadzi
    musikana mukomana mvura chingwa mukaka chikafu sadza imba musha chikoro bhuku guta nyika nguva gore vhiki hupenyu
    poshi piri tatu mari imbwa katsi zuva muti zita shona

sot_Latn
    lumela dumelang sala hantle tsamaea kea leboha ka kopo e tjhe mohlomong tshwarelo amohelehile nna wena yena rona lona
    bona mme empa kapa jwang eng kae mang neng hobaneng kajeno hosane maobane jwale mona mpe kgolo nyane haholo lerato
    motswalle mmè ntate abuti ausi lelapa ngwana bana monna mosadi ngwanana moshemane metsi bohobe lebese dijo ntlo sekolo
    mosebetsi buka motse naha lefatshe nako selemo beke bophelo nngwe pedi tharo tjhelete ntja katse letsatsi sefate
    lebitso sesotho

tsn_Latn
    dumela dumelang o kae sala sentle tsamaya ke a leboga tsweetswee ee nnyaa gongwe intshwarele amogelwa nna wena ene
    rona lona bona mme kgotsa jang eng mang leng goreng gompieno kamoso maabane jaanong fano maswe kgolo nnye thata lorato
    tsala rre abuti lelapa ngwana bana monna mosadi mosetsana mosimane metsi borotho mashi dijo ntlo sekolo tiro buka
    toropo naga lefatshe nako ngwaga beke botshelo nngwe pedi tharo madi ntša katse letsatsi setlhare leina setswana

tso_Latn
    avuxeni inhlikanhi riperile sala kahle famba khensile inkomu ndza khensa ndzi kombela ina ee e-e kumbexana khomeleni
    amukeriwile mina wena yena hina n'wina vona na kambe kumbe njhani yini kwihi mani rini hikokwalaho namuntlha mundzuku
    tolo sweswi laha bihile kulu tsongo ngopfu rirhandzu ku rhandza munghana manana tatana makwavo ndyangu n'wana vana
    wanuna wansati nhwanyana mfana mati xinkwa masi swakudya yindlu xikolo ntirho buku doroba tiko misava nkarhi lembe
    vhiki vutomi n'we mbirhi nharhu mali mbyana ximanga dyambu murhi vito xitsonga

lug_Latn
    gyebaleko oli otya mulembe wasuze osiibye weeraba sula bulungi webale nnyo weebale bambi ye yee nedda oba nsonyiwa
    tukusanyukidde nze ggwe ffe mmwe bo ne naye era ki wa ani ddi lwaki leero enkya jjo kati wano bubi nene ntono omukwano
    nkwagala mukwano maama taata muganda mwannyinaze famire omwana abaana omusajja omukazi omuwala omulenzi amazzi
    omugaati amata emmere ennyumba essomero omulimu ekitabo ekibuga ensi obudde omwaka wiiki obulamu emu bbiri ssatu
    ssente embwa kkapa enjuba omuti erinnya luganda

mri_Latn
    kia ora tēnā koe koutou mōrena ata mārie pō haere rā mai e noho koa āe kāo aroha whakapāha nau hoki ahau ia mātou
    tātou rātou taku me rānei engari mō ki te ngā pēhea aha hea wai āhea aianei āpōpō inanahi konei pai kino ātaahua nui
    iti hoa whaea matua tuakana tuahine whānau tamaiti tamariki tāne wahine kōtiro tama parāoa miraka kai whare kura mahi
    pukapuka tāone whenua ao wā tau wiki tahi rua toru whā rima moni kurī ngeru rākau ingoa māori aotearoa

cym_Latn
    helo shwmae sut mae bore da prynhawn nos noswaith hwyl fawr diolch yn os gwelwch dda ie oes na nage efallai mae'n
    ddrwg gen i sori croeso iechyd llongyfarchiadau fi ti ef hi ni chi nhw fy a neu ond hefyd gyda o am y yr ydy yw oedd
    dw bod beth ble pwy pryd pam heddiw yfory ddoe nawr yma drwg hardd mawr bach iawn cariad caru ffrind mam tad brawd
    chwaer teulu plentyn plant dyn menyw merch bachgen dŵr bara llaeth bwyd tŷ cartref ysgol gwaith llyfr dinas gwlad byd
    amser blwyddyn wythnos bywyd un dau tri pedwar pump arian ci cath haul coeden stryd enw cymraeg penblwydd hapus
    nadolig llawen

gle_Latn
    dia duit dhuit haigh maidin mhaith tráthnóna oíche slán go raibh maith agat le do thoil más é sea ní hea b'fhéidir
    gabh mo leithscéal brón orm fáilte sláinte comhghairdeas mé tú sé sí muid sinn sibh siad agus nó ach freisin leis ar
    an na is tá bhí bheith conas cad cá cé cathain cén fáth inniu amárach inné anois anseo olc álainn mór beag an-mhaith
    grá cara máthair athair deartháir deirfiúr teaghlach clann páiste páistí fear bean cailín buachaill uisce arán bainne
    bia teach baile scoil obair leabhar cathair tír domhan am bliain seachtain saol a haon dó trí ceathair cúig airgead
    madra cat grian crann sráid ainm gaeilge nollaig shona

gla_Latn
    halò madainn mhath feasgar oidhche mar sin leat slàn tapadh leibh mòran taing mas e do thoil ur seadh chan eil is
    dòcha gabh mo leisgeul tha mi duilich fàilte slàinte thu i sinn sibh iad agus no ach cuideachd le airson an am na bha
    ciamar a dè càite cò cuin carson an-diugh a-màireach an-dè a-nis seo math dona brèagha mòr beag glè gaol ghaoil caraid
    màthair athair bràthair piuthar teaghlach leanabh clann duine bean nighean gille uisge aran bainne biadh taigh
    dachaigh sgoil obair leabhar baile dùthaich saoghal ùine bliadhna seachdain beatha aon dà trì ceithir còig airgead cù
    cat grian craobh sràid ainm gàidhlig

mlt_Latn
    hello bonġu bonswa il-lejl it-tajjeb saħħa ċaw grazzi jekk jogħġbok iva le forsi skużani merħba prosit jien inti hu hi
    aħna intom huma tiegħi u jew imma ukoll ma' għal fi il kien hemm kif x' fejn min meta għaliex illum għada lbieraħ issa
    hawn tajjeb ħażin sabiħ kbir żgħir ħafna mħabba inħobbok ħabib omm missier ħu oħt familja tifel tifla tfal raġel mara
    ilma ħobż ħalib ikel dar skola xogħol ktieb belt pajjiż dinja ħin sena ġimgħa ħajja wieħed tnejn tlieta erbgħa flus
    kelb qattus xemx siġra triq isem malti

ltz_Latn
    moien moie gudde mëtteg owend nuecht äddi merci villmools wann ech gelift jo neen vläicht entschëllegt wëllkomm prost
    du hien hatt mir dir si mäin den dat eng an oder awer net och mat vun fir ass sinn war hunn wéi wat wou wien wéini
    firwat haut muer gëschter elo hei gutt schlecht schéin grouss kleng ganz vill léift frënd mamm papp brudder schwëster
    famill kand kanner mann fra meedchen jong waasser brout mëllech iessen haus doheem schoul aarbecht buch stad land welt
    zäit joer woch liewen eent zwee dräi véier fënnef geld hond kaz sonn bam strooss numm lëtzebuergesch

epo_Latn
    saluton bonan matenon tagon vesperon nokton ĝis revido la dankon multan bonvolu jes ne eble pardonu bonvenon gratulon
    mi vi li ŝi ni ili mia kaj aŭ sed ankaŭ kun por en estas estis esti havas kiel kio kie kiu kiam kial hodiaŭ morgaŭ
    hieraŭ nun ĉi tie bona bone malbona bela granda malgranda tre amo amas amiko patrino patro frato fratino familio
    infano infanoj viro virino knabino knabo akvo pano lakto manĝaĵo domo hejmo lernejo laboro libro urbo lando mondo
    tempo jaro semajno vivo unu du tri kvar kvin mono hundo kato suno arbo strato nomo esperanto

lat_Latn
    salve salvete ave vale valete gratias ago tibi quaeso ita minime non fortasse ignosce ego tu is ea nos vos et aut sed
    etiam cum in ad est sunt erat sum esse habeo quomodo quid ubi quis quando cur hodie cras heri nunc hic bonus bene
    malus pulcher magnus parvus valde amor amo amicus mater pater frater soror familia puer puella vir femina aqua panis
    lac cibus domus schola labor liber urbs terra mundus tempus annus vita unus duo tres quattuor quinque pecunia canis
    feles sol arbor via nomen carpe diem veni vidi vici ergo cogito alea iacta

rus_Cyrl
    привет здравствуй здравствуйте доброе утро добрый день вечер спокойной ночи до свидания пока спасибо большое
    пожалуйста да нет может извините простите добро пожаловать поздравляю я ты он она мы вы они мой моя твой и или но тоже
    с в на не это есть был быть как что где кто когда почему сегодня завтра вчера сейчас здесь тут хорошо плохо красивый
    большой маленький очень любовь люблю тебя друг подруга мать мама отец папа брат сестра семья ребёнок ребенок дети
    мужчина женщина девушка девочка мальчик вода хлеб молоко еда дом школа работа книга город страна мир время год неделя
    жизнь один два три четыре пять десять деньги собака кошка кот солнце дерево улица имя зовут рождения русский ладно
    конечно понедельник вторник среда четверг пятница суббота воскресенье красный синий зелёный чёрный белый жёлтый кофе
    чай пиво вино сыр яблоко рыба мясо рука сердце голова глаз дверь окно огонь луна звезда небо дождь снег музыка врач
    учитель король поезд машина вопрос ответ всегда никогда бабушка

ukr_Cyrl
    привіт вітаю доброго ранку добрий день вечір добраніч до побачення бувай дякую будь ласка прошу так ні можливо вибачте
    пробачте ласкаво просимо я ти він вона ми ви вони мій моя твій і й та або але також з у в на не це є був бути як що де
    хто коли чому сьогодні завтра вчора зараз тут добре погано гарний великий малий дуже любов кохання кохаю люблю тебе
    друг мати мама батько тато брат сестра сім'я родина дитина діти чоловік жінка дівчина хлопець вода хліб молоко їжа дім
    будинок школа робота книга місто країна світ час рік тиждень життя один два три чотири п'ять десять гроші собака кішка
    кіт сонце дерево вулиця ім'я звати народження українська слава україні понеділок вівторок середа четвер п'ятниця
    субота неділя червоний синій зелений чорний білий жовтий кава чай пиво вино сир яблуко риба м'ясо рука серце голова
    око двері вікно вогонь місяць зірка небо дощ сніг музика лікар вчитель король потяг машина питання відповідь завжди
    ніколи

bel_Cyrl
    прывітанне вітаю добрай раніцы добры дзень вечар дабранач да пабачэння дзякуй калі ласка так не магчыма прабачце
    выбачайце сардэчна запрашаем я ты ён яна мы вы яны мой мая і або але таксама з у на гэта ёсць быў быць як што дзе хто
    чаму сёння заўтра ўчора зараз тут добра дрэнна прыгожы вялікі малы вельмі любоў каханне кахаю сябар маці мама бацька
    тата брат сястра сям'я дзіця дзеці мужчына жанчына дзяўчына хлопец вада хлеб малако ежа дом школа праца кніга горад
    краіна свет час год тыдзень жыццё адзін два тры чатыры пяць грошы сабака кот сонца дрэва вуліца імя беларуская

bul_Cyrl
    здравей здравейте здрасти добро утро добър ден вечер лека нощ довиждане чао благодаря мерси моля да не може извинете
    съжалявам добре дошли наздраве честито аз ти той тя то ние вие те моят моя и или но също с за в на е са беше съм си
    имам как какво къде кой кога защо днес утре вчера сега тук лошо красив голям малък много любов обичам приятел майка
    мама баща татко брат сестра семейство дете деца мъж жена момиче момче вода хляб мляко храна къща дом училище работа
    книга град страна свят време година седмица живот едно две три четири пет десет пари куче котка слънце дърво улица име
    казвам рожден български понеделник вторник сряда четвъртък петък събота неделя червен син зелен черен бял жълт кафе
    чай бира вино сирене ябълка риба месо ръка сърце глава око врата прозорец огън луна звезда небе дъжд сняг музика лекар
    учител крал влак кола въпрос отговор винаги никога

mkd_Cyrl
    здраво добро утро добар ден добра вечер ноќ довидување чао благодарам фала молам да не можеби извинете добредојде
    добредојдовте на здравје честитки јас ти тој таа ние вие тие мојот моја и или но исто со за во е се беше сум си имам
    како што каде кој кога зошто денес утре вчера сега овде тука лошо убав голем мал многу љубов сакам пријател мајка мама
    татко брат сестра семејство дете деца маж жена девојка момче вода леб млеко храна куќа дом училиште работа книга град
    земја свет време година недела живот еден два три четири пет пари куче мачка сонце дрво улица име македонски

srp_Cyrl
    здраво ћао добар дан добро јутро вече лаку ноћ довиђења пријатно хвала молим да не можда извините добродошли живели
    честитам ја ти он она ми ви они мој моја и или али такође с са у је су био сам си бити имам како шта где ко када зашто
    данас сутра јуче сада овде лоше леп велик мали веома љубав волим пријатељ мајка мама отац тата брат сестра породица
    дете деца мушкарац жена девојка дечак вода хлеб млеко храна кућа школа посао књига град земља свет време година недеља
    живот један два три четири пет новац пас мачка сунце дрво улица име зовем срећан рођендан српски

kaz_Cyrl
    сәлем сәлеметсіз бе қайырлы таң күн кеш түн сау бол рахмет өтінемін иә ия жоқ мүмкін кешіріңіз кош келдіңіз қош
    келдіңіздер құттықтаймын мен сен ол біз сіз олар менің және немесе бірақ да де үшін бұл емес бар қалай қалайсың не
    қайда кім қашан неге бүгін ертең кеше қазір мұнда жақсы жаман әдемі үлкен кішкентай өте махаббат сүйемін дос ана әке
    аға апа отбасы бала балалар ер әйел қыз ұл су нан сүт тамақ үй мектеп жұмыс кітап қала ел әлем уақыт жыл апта өмір бір
    екі үш төрт бес ақша ит мысық ағаш көше ат атым қазақ

kir_Cyrl
    салам саламатсызбы кутман таң күн кеч түн жакшы кал рахмат ыракмат сураныч өтүнөм ооба жок мүмкүн кечириңиз кош
    келиңиз мен сен ал биз сиз алар менин жана же бирок да үчүн бул эмес бар кандай эмне кайда ким качан эмнеге бүгүн
    эртең кечээ азыр жерде жаман сулуу чоң кичине абдан сүйүү сүйөм дос апа эне ата байке эже үй-бүлө бала балдар эркек
    аял кыз суу нан сүт тамак үй мектеп иш китеп шаар өлкө дүйнө убакыт жыл апта өмүр бир эки үч төрт беш акча ит мышык
    дарак көчө ат кыргыз

mon_Cyrl
    сайн байна уу өглөөний мэнд оройн амарай баяртай баярлалаа та гуйя тийм үгүй магадгүй уучлаарай тавтай морил эрүүл
    баяр хүргэе би чи тэр бид нар тэд миний ба эсвэл гэхдээ бас энэ биш ямар юу хаана хэн хэзээ яагаад өнөөдөр маргааш
    өчигдөр одоо энд муу гоё том жижиг маш хайр хайртай найз ээж аав ах эгч гэр бүл хүүхэд эрэгтэй эмэгтэй охин ус талх
    сүү хоол байшин сургууль ажил ном хот улс дэлхий цаг жил долоо хоног амьдрал нэг хоёр гурав дөрөв тав мөнгө нохой муур
    мод гудамж нэр монгол

tgk_Cyrl
    салом субҳ ба хайр рӯз шаб ташаккур раҳмат лутфан ҳа бале не шояд бубахшед хуш омадед ман ту ӯ мо шумо онҳо ва ё аммо
    низ бо барои дар аст буд ҳаст чӣ тавр куҷо кӣ кай чаро имрӯз фардо дирӯз ҳоло ин ҷо хуб бад зебо калон хурд бисёр ишқ
    дӯст модар падар бародар хоҳар оила кӯдак бачаҳо мард зан духтар писар об нон шир хӯрок хона мактаб кор китоб шаҳр
    кишвар ҷаҳон вақт сол ҳафта зиндагӣ як ду се чор панҷ пул саг гурба офтоб дарахт кӯча ном тоҷикӣ

tat_Cyrl
    сәлам исәнмесез хәерле иртә көн кич тыныч йокы сау булыгыз рәхмәт зинһар әйе юк бәлки гафу итегез рәхим мин син ул без
    сез алар минем һәм яки ләкин дә өчен бу түгел бар ничек нәрсә кайда кем кайчан ник бүген иртәгә кичә хәзер монда яхшы
    начар матур зур кечкенә бик мәхәббәт яратам дус әни әти абый апа гаилә бала балалар ир хатын кыз малай су ипи сөт ашау
    өй мәктәп эш китап шәһәр ил дөнья вакыт ел атна тормыш бер ике өч дүрт биш акча эт мәче кояш агач урам исем татар

ara_Arab
    مرحبا مرحباً أهلا أهلاً اهلا وسهلا السلام سلام عليكم صباح الخير مساء النور تصبح على خير مع السلامة وداعا شكرا شكراً
    جزيلا عفوا من فضلك نعم لا ربما آسف عذرا مبروك أنا أنت انت هو هي نحن أنتم هم و أو لكن أيضا في إلى عن هذا هذه ليس كان
    كيف حالك ماذا ما أين متى لماذا اليوم غدا أمس الآن هنا جيد سيء جميل كبير صغير جدا حب أحبك احبك صديق حبيبي أم أب أخ أخت
    عائلة طفل أطفال رجل امرأة بنت ولد ماء خبز حليب طعام بيت مدرسة عمل كتاب مدينة بلد عالم وقت سنة أسبوع حياة واحد اثنان
    ثلاثة أربعة خمسة عشرة مال كلب قطة شمس شجرة شارع اسم اسمي عيد سعيد ميلاد العربية الله إن شاء الحمد لله يوم قلب الاثنين
    الثلاثاء الأربعاء الخميس الجمعة السبت الأحد أحمر أزرق أخضر أسود أبيض أصفر قهوة شاي خمر جبن تفاح تفاحة سمك لحم يد رأس
    عين باب نافذة نار قمر نجمة سماء مطر ثلج موسيقى طبيب معلم ملك قطار سيارة سؤال جواب دائما أبدا

fas_Arab
    سلام درود صبح بخیر روز عصر شب خداحافظ خدا حافظ ممنون ممنونم متشکرم مرسی سپاس لطفا لطفاً خواهش می‌کنم بله آره نه شاید
    ببخشید متاسفم خوش آمدید تبریک من تو او ما شما آنها و یا اما هم با برای در از به این آن است بود هست چطور چطوری چه چی
    کجا کی چرا امروز فردا دیروز الان حالا اینجا خوب بد زیبا بزرگ کوچک خیلی عشق دوست دارم مادر پدر برادر خواهر خانواده بچه
    کودک مرد زن دختر پسر آب نان شیر غذا خانه مدرسه کار کتاب شهر کشور جهان دنیا زمان سال هفته زندگی یک دو سه چهار پنج ده
    پول سگ گربه خورشید درخت خیابان نام اسم تولد مبارک فارسی نوروز دوشنبه شنبه جمعه قرمز آبی سبز سیاه سفید زرد قهوه چای
    پنیر سیب ماهی گوشت دست دل قلب سر چشم پنجره آتش ماه ستاره آسمان باران برف موسیقی پزشک معلم شاه قطار ماشین پرسش پاسخ
    همیشه هرگز

urd_Arab
    سلام السلام علیکم آداب صبح بخیر شب خدا حافظ اللہ شکریہ بہت مہربانی براہ کرم جی ہاں نہیں شاید معاف کیجیے معذرت خوش
    آمدید مبارک میں تم آپ وہ ہم یہ میرا میری اور یا لیکن بھی کے کی کا کو سے ہے ہیں تھا ہوں کیسے کیا کہاں کون کب کیوں آج کل
    ابھی یہاں اچھا برا خوبصورت بڑا چھوٹا محبت پیار دوست ماں باپ بھائی بہن خاندان بچہ بچے مرد عورت لڑکی لڑکا پانی روٹی دودھ
    کھانا گھر اسکول کام کتاب شہر ملک دنیا وقت سال ہفتہ زندگی ایک دو تین چار پانچ دس پیسہ کتا بلی سورج درخت گلی نام سالگرہ
    اردو

pus_Arab
    سلام ستړی مه شې سهار مو پخیر ماښام شپه مننه مهرباني هو نه ښايي بخښنه غواړم ښه راغلاست زه ته هغه موږ تاسو دوی زما او یا
    خو هم د په کې سره دی ده وو څنګه څه چیرته څوک کله ولې نن سبا پرون اوس دلته بد ښکلی لوی کوچنی ډېر مینه ملګری مور پلار
    ورور خور کورنۍ ماشوم سړی ښځه نجلۍ هلک اوبه ډوډۍ شیدې خواړه کور ښوونځی کار کتاب ښار هېواد نړۍ وخت کال اونۍ ژوند یو دوه
    درې څلور پنځه پیسې سپی پیشو لمر ونه نوم پښتو

ckb_Arab
    سڵاو سلاو چۆنی بەیانی باش ڕۆژ ئێوارە شەو خوات لەگەڵ سوپاس زۆر تکایە بەڵێ نەخێر نا ڕەنگە ببوورە بەخێربێیت من تۆ ئەو
    ئێمە ئێوە ئەوان و یان بەڵام هەروەها لە بۆ بە ئەم بوو هەیە چۆن چی کوێ کێ کەی بۆچی ئەمڕۆ سبەینێ دوێنێ ئێستا لێرە خراپ
    جوان گەورە بچووک خۆشەویستی هاوڕێ دایک باوک برا خوشک خێزان منداڵ پیاو ژن کچ کوڕ ئاو نان شیر خواردن ماڵ قوتابخانە کار
    کتێب شار وڵات جیهان کات ساڵ هەفتە ژیان یەک دوو سێ چوار پێنج پارە سەگ پشیلە خۆر دار ناو کوردی

snd_Arab
    سلام ڀلي ڪري آيا صبح بخير خدا حافظ مهرباني ها نه شايد معاف ڪجو مان تون هو اسان توهان اهي منهنجو ۽ يا پر پڻ جي جو ۾ کان
    آهي آهن ڪيئن ڇا ڪٿي ڪير ڪڏهن ڇو اڄ سڀاڻي ڪالهه هاڻي هتي سٺو خراب سهڻو وڏو ننڍو تمام گھڻو پيار دوست ماءُ پيءُ ڀاءُ ڀيڻ
    ٻار مرد عورت ڇوڪري ڇوڪرو پاڻي ماني کير گھر اسڪول ڪم ڪتاب شهر ملڪ دنيا وقت سال هفتو زندگي هڪ ٻه ٽي چار پنج پئسا ڪتو ٻلي
    سج وڻ نالو سنڌي

uig_Arab
    ياخشىمۇسىز سالام خەيرلىك ئەتىگەن كەچ خەير خوش رەھمەت كۆپ ھەئە ياق بەلكىم كەچۈرۈڭ مەن سەن ئۇ بىز سىز ئۇلار مېنىڭ ۋە
    ياكى ئەمما ھەم ئۈچۈن بۇ ئەمەس بار قانداق نېمە نەدە كىم قاچان نېمىشقا بۈگۈن ئەتە تۈنۈگۈن ھازىر ياخشى يامان چىرايلىق چوڭ
    كىچىك بەك مۇھەببەت دوست ئانا دادا ئاكا ئاچا ئائىلە بالا ئەر ئايال قىز ئوغۇل سۇ نان سۈت تاماق ئۆي مەكتەپ ئىش كىتاب
    شەھەر دۆلەت دۇنيا ۋاقىت يىل ھەپتە ھايات بىر ئىككى ئۈچ تۆت بەش پۇل ئىت مۈشۈك قۇياش دەرەخ كوچا ئىسىم ئۇيغۇر

hin_Deva
    नमस्ते नमस्कार सुप्रभात शुभ रात्रि दिन संध्या अलविदा धन्यवाद शुक्रिया कृपया हाँ हां जी नहीं शायद माफ़ माफ कीजिए क्षमा
    करें स्वागत बधाई मैं तुम तू आप वह हम वे ये यह मेरा मेरी और या लेकिन भी के की का को से में है हैं था हूँ कैसे कैसा क्या
    कहाँ कहां कौन कब क्यों आज कल अभी यहाँ अच्छा बुरा सुंदर बड़ा छोटा बहुत प्यार प्रेम दोस्त मित्र माँ मां माता पिता भाई
    बहन परिवार बच्चा बच्चे आदमी पुरुष औरत महिला लड़की लड़का पानी जल रोटी दूध खाना घर स्कूल काम किताब शहर देश दुनिया समय
    साल सप्ताह जीवन एक दो तीन चार पाँच पांच दस पैसा कुत्ता बिल्ली सूरज सूर्य पेड़ सड़क नाम जन्मदिन मुबारक हिन्दी हिंदी
    भारत ठीक सोमवार मंगलवार बुधवार गुरुवार शुक्रवार शनिवार रविवार लाल नीला हरा काला सफेद पीला चाय सेब मछली मांस हाथ दिल
    सिर आँख दरवाज़ा खिड़की आग चाँद तारा आसमान बारिश बर्फ संगीत शिक्षक राजा गाड़ी सवाल जवाब हमेशा कभी

mar_Deva
    नमस्कार सुप्रभात शुभ रात्री दुपार संध्याकाळ निरोप धन्यवाद आभारी कृपया हो होय नाही कदाचित माफ करा क्षमस्व स्वागत
    अभिनंदन मी तू तुम्ही तो ती ते आम्ही आपण त्या माझे माझा माझी आणि किंवा पण सुद्धा च्या ची चा ला मध्ये आहे आहेत होता कसे
    कसा काय कुठे कोण कधी का आज उद्या काल आता इथे येथे चांगले चांगला वाईट सुंदर मोठा लहान खूप प्रेम मित्र आई वडील बाबा भाऊ
    बहीण कुटुंब मूल मुले माणूस पुरुष स्त्री मुलगी मुलगा पाणी भाकरी दूध जेवण घर शाळा काम पुस्तक शहर देश जग वेळ वर्ष आठवडा
    जीवन एक दोन तीन चार पाच दहा पैसे कुत्रा मांजर सूर्य झाड रस्ता नाव मराठी महाराष्ट्र

nep_Deva
    नमस्ते नमस्कार शुभ प्रभात बिहानी रात्री बिदा धन्यवाद कृपया हजुर हो छैन होइन सायद माफ गर्नुहोस् स्वागत बधाई म तिमी
    तपाईं तपाईँ ऊ उनी हामी उनीहरू मेरो र वा तर पनि को का लाई मा छ छन् थियो हुँ कसरी कस्तो के कहाँ कहिले किन आज भोलि हिजो
    अहिले यहाँ राम्रो नराम्रो सुन्दर ठूलो सानो धेरै माया प्रेम साथी आमा बुबा बा दाजु भाइ दिदी बहिनी परिवार बच्चा केटाकेटी
    मान्छे पुरुष महिला केटी केटा पानी रोटी दूध खाना भात घर विद्यालय स्कुल काम किताब शहर देश संसार समय वर्ष साल हप्ता जीवन
    एक दुई तीन चार पाँच दस पैसा कुकुर बिरालो सूर्य घाम रूख बाटो नाम नेपाली नेपाल

ben_Beng
    নমস্কার হ্যালো সালাম আসসালামু আলাইকুম সুপ্রভাত শুভ সকাল রাত্রি সন্ধ্যা বিদায় ধন্যবাদ দয়া করে হ্যাঁ না হয়তো দুঃখিত
    মাফ করবেন স্বাগতম অভিনন্দন আমি তুমি আপনি সে আমরা তারা আমার তোমার এবং ও বা কিন্তু এই আছে ছিল কেমন আছেন কী কি কোথায় কে
    কখন কেন আজ কাল গতকাল এখন এখানে ভালো ভাল খারাপ সুন্দর বড় ছোট খুব ভালোবাসা ভালোবাসি বন্ধু মা বাবা ভাই বোন পরিবার শিশু
    মানুষ পুরুষ মহিলা নারী মেয়ে ছেলে জল পানি রুটি দুধ খাবার ভাত বাড়ি ঘর স্কুল কাজ বই শহর দেশ পৃথিবী সময় বছর সপ্তাহ জীবন
    এক দুই তিন চার পাঁচ দশ টাকা কুকুর বিড়াল সূর্য গাছ রাস্তা নাম বাংলা

asm_Beng
    নমস্কাৰ শুভ ৰাতিপুৱা ৰাতি বিদায় ধন্যবাদ অনুগ্ৰহ কৰি হয় নহয় নাই হয়তো ক্ষমা কৰিব স্বাগতম অভিনন্দন মই তুমি আপুনি সি
    তাই আমি তেওঁলোক মোৰ আৰু বা কিন্তু এই আছে আছিল কেনে কেনেকৈ কি ক'ত কোন কেতিয়া কিয় আজি কাইলৈ কালি এতিয়া ইয়াত ভাল
    বেয়া ধুনীয়া ডাঙৰ সৰু বহুত মৰম প্ৰেম বন্ধু মা দেউতা ভাই ভনী পৰিয়াল শিশু মানুহ পুৰুষ মহিলা ছোৱালী ল'ৰা পানী ৰুটি
    গাখীৰ খাদ্য ভাত ঘৰ বিদ্যালয় কাম কিতাপ চহৰ দেশ পৃথিৱী সময় বছৰ সপ্তাহ জীৱন এক দুই তিনি চাৰি পাঁচ টকা কুকুৰ মেকুৰী
    সূৰ্য গছ নাম অসমীয়া

heb_Hebr
    שלום היי בוקר טוב ערב לילה צהריים להתראות ביי תודה רבה בבקשה כן לא אולי סליחה ברוך הבא ברוכים הבאים לחיים מזל אני אתה
    את הוא היא אנחנו אתם הם שלי של עם על זה יש היה איך מה איפה מי מתי למה היום מחר אתמול עכשיו פה כאן טובה רע יפה גדול קטן
    מאוד אהבה אוהב חבר אמא אבא אח אחות משפחה ילד ילדים איש גבר אישה בחורה ילדה מים לחם חלב אוכל בית ספר עבודה עיר ארץ עולם
    זמן שנה שבוע חיים אחד אחת שתיים שלוש ארבע חמש עשר כסף כלב חתול שמש עץ רחוב שם יום הולדת שמח עברית ישראל

yid_Hebr
    שלום עליכם גוט מאָרגן טאָג אָוונט נאַכט גוטע זייַ געזונט אַ דאַנק ביטע יאָ ניין אפֿשר אַנטשולדיגט ברוך הבא לחיים איך
    דו ער זי מיר איר מייַן און אָדער אָבער אויך מיט פֿון פֿאַר איז זענען געווען ווי וואָס וווּ ווער ווען פֿאַרוואָס הייַנט
    נעכטן איצט דאָ שלעכט שיין גרויס קליין זייער ליבע ליב פֿרייַנד מאַמע טאַטע ברודער שוועסטער משפּחה קינד קינדער מענטש
    מאַן פֿרוי מיידל יינגל וואַסער ברויט מילך עסן הויז שול אַרבעט בוך שטאָט לאַנד וועלט צייַט יאָר וואָך לעבן איינס צוויי
    דרייַ פֿיר געלט הונט קאַץ זון בוים נאָמען ייִדיש

amh_Ethi
    ሰላም ጤና ይስጥልኝ እንደምን አደርክ አደሩ ዋሉ አመሸህ ደህና ሁን ሁኑ አመሰግናለሁ እባክህ እባክዎ አዎ አይ አይደለም ምናልባት ይቅርታ እንኳን መጡ እኔ አንተ አንቺ እሱ እሷ እኛ
    እናንተ እነሱ የኔ እና ወይም ግን ነው ናቸው ነበር እንዴት ምን የት ማን መቼ ለምን ዛሬ ነገ ትናንት አሁን እዚህ ጥሩ መጥፎ ቆንጆ ትልቅ ትንሽ በጣም ፍቅር ጓደኛ እናት አባት ወንድም
    እህት ቤተሰብ ልጅ ልጆች ሰው ወንድ ሴት ውሃ ዳቦ ወተት ምግብ ቤት ትምህርት ሥራ መጽሐፍ ከተማ አገር ዓለም ጊዜ ዓመት ሳምንት ሕይወት አንድ ሁለት ሦስት ሶስት አራት አምስት ገንዘብ ውሻ
    ድመት ፀሐይ ዛፍ ስም አማርኛ ኢትዮጵያ

tir_Ethi
    ሰላም ከመይ ሓዲርካ ውዒልካ ደሓን ኩን ኩኑ የቐንየለይ የቐንየልና በጃኻ እወ ኣይፋል ምናልባት ይቕሬታ እንቋዕ ብደሓን መጻእኩም ኣነ ንስኻ ንስኺ ንሱ ንሳ ንሕና ንስኹም ንሳቶም ናተይ
    ከምኡውን ወይ ግን እዩ እያ እዮም ነይሩ ብኸመይ እንታይ ኣበይ መን መዓስ ስለምንታይ ሎሚ ጽባሕ ትማሊ ሕጂ ኣብዚ ጽቡቕ ሕማቕ ጽብቕቲ ዓቢ ንእሽቶ ብጣዕሚ ፍቕሪ ዓርኪ ኣደ ኣቦ ሓው ሓፍቲ
    ስድራ ቆልዓ ሰብ ሰብኣይ ሰበይቲ ጓል ወዲ ማይ ባኒ ጸባ መግቢ ገዛ ቤት ትምህርቲ ስራሕ መጽሓፍ ከተማ ሃገር ዓለም ግዜ ዓመት ሰሙን ህይወት ሓደ ክልተ ሰለስተ ኣርባዕተ ሓሙሽተ ገንዘብ
    ከልቢ ድሙ ጸሓይ ስም ትግርኛ
"""


@cache
def list_common_words() -> dict[str, tuple[str, ...]]:
    """The common words of each label, each once.

    >>> list_common_words()["deu_Latn"][:4]
    ('hallo', 'guten', 'gute', 'guter')
    """
    blocks = (block.split() for block in _LISTS.strip().split("\n\n"))
    return {label: tuple(dict.fromkeys(words)) for label, *words in blocks}
