"""Short news in many languages, written for these tests, each with the names of people, places and bodies in it."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str]] = {
    "English": (
        (
            "The mayor of Port Ellery said on Monday that Helen Marsh would lead the new library. Marsh, who "
            "studied in New Haven, thanked the city. Critics of the plan, among them Robert O'Neill of the "
            "Harbour Trust, want to wait. Residents asked for more buses. Last year the NHA paid for a park near "
            "Lake Orrin."
        ),
        "Port Ellery|Helen Marsh|Marsh|New Haven|Robert O'Neill|Harbour Trust|NHA|Lake Orrin",
    ),
    "German": (
        (
            "Die Bürgermeisterin von Neustadt hat am Dienstag die Pläne für eine neue Brücke vorgestellt. Petra "
            "Lindner sagte, der Bau werde drei Jahre dauern. Das Geld kommt aus einem Fonds der EU. Viele "
            "Anwohner sehen in der Brücke eine Gefahr für den Fluss. Auch Karl von der Heide, der den Verein "
            "leitet, warnte vor einem Fehler. Lindner will im Herbst mit den Gegnern sprechen. Für Neustadt sei "
            "das ein guter Tag."
        ),
        "Neustadt|Petra Lindner|EU|Karl von der Heide|Lindner|Neustadt",
    ),
    "French": (
        (
            "Le maire de Saint-Aubin a présenté mardi un projet de musée. Selon Claire Dufour, qui dirige "
            "l'Institut Lumière, les travaux commenceront en mars. Les habitants de Rouvray attendent une gare. "
            "Dufour a remercié la région. Une partie de l'argent vient de la BNE."
        ),
        "Saint-Aubin|Claire Dufour|Institut Lumière|Rouvray|Dufour|BNE",
    ),
    "Spanish": (
        (
            "El alcalde de Villa Serena anunció el martes un plan para el puerto. Según Lucía Romero, del Banco "
            "de Castilla, las obras durarán dos años. Los vecinos piden más trenes hacia Montalvo. La directora, "
            "Romero, habló con la prensa en Lima."
        ),
        "Villa Serena|Lucía Romero|Banco de Castilla|Montalvo|Romero|Lima",
    ),
    "Italian": (
        (
            "Il sindaco di Monteverde ha presentato martedì il nuovo teatro. Secondo Giulia Ferri, che dirige la "
            "Fondazione Aurora, i lavori finiranno a maggio. Una delegazione è arrivata da Bologna. Anche Ferri "
            "ha ringraziato la città."
        ),
        "Monteverde|Giulia Ferri|Fondazione Aurora|Bologna|Ferri",
    ),
    "Portuguese": (
        (
            "O presidente da câmara de Vila Clara apresentou na terça um plano para o porto. Segundo Marta "
            "Nogueira, do Instituto Atlântico, as obras vão durar dois anos. Os moradores pedem mais barcos para "
            "Lagos. A diretora Nogueira falou em Braga."
        ),
        "Vila Clara|Marta Nogueira|Instituto Atlântico|Lagos|Nogueira|Braga",
    ),
    "Dutch": (
        (
            "De burgemeester van Westerdam heeft dinsdag een plan voor de haven gepresenteerd. Volgens Anna van "
            "der Meer van het Havenfonds duurt de bouw twee jaar. Bewoners willen een trein naar Utrecht. Het "
            "geld komt van de NWB."
        ),
        "Westerdam|Anna van der Meer|Havenfonds|Utrecht|NWB",
    ),
    "Swedish": (
        (
            "Kommunen i Norrvik visade på tisdagen en plan för hamnen. Enligt Karin Lindqvist på Sjöfartsverket "
            "tar bygget två år. Många vill ha ett tåg till Uppsala. På mötet talade också Lindqvist om pengar "
            "från EU."
        ),
        "Norrvik|Karin Lindqvist|Sjöfartsverket|Uppsala|Lindqvist|EU",
    ),
    "Polish": (
        (
            "Prezydent miasta Nowa Wola przedstawił we wtorek plan portu. Według Anny Zielińskiej z Fundacji "
            "Morze prace potrwają dwa lata. Mieszkańcy chcą pociągu do Krakowa. Pieniądze daje UE."
        ),
        "Nowa Wola|Anny Zielińskiej|Fundacji Morze|Krakowa|UE",
    ),
    "Czech": (
        (
            "Starosta obce Dolní Lhota představil v úterý plán nového mostu. Podle Jany Novotné z Nadace Řeka "
            "stavba potrvá dva roky. Lidé chtějí vlak do Brna. Peníze dá EU."
        ),
        "Dolní Lhota|Jany Novotné|Nadace Řeka|Brna|EU",
    ),
    "Turkish": (
        (
            "Belediye başkanı salı günü Yeniköy'de yeni limanı tanıttı. Toplantıda konuşan Ayşe Demir, inşaatın "
            "iki yıl süreceğini söyledi. Halk ise Ankara'ya tren istiyor. Parayı büyük ölçüde TCDD verecek."
        ),
        "Yeniköy|Ayşe Demir|Ankara|TCDD",
    ),
    "Russian": (
        (
            "Мэр города Зареченск представил во вторник план нового порта. По словам Анны Беловой из фонда Волна, "
            "работы займут два года. Жители просят поезд до Казани. Деньги даёт банк ВТР."
        ),
        "Зареченск|Анны Беловой|Волна|Казани|ВТР",
    ),
    "Greek": (
        (
            "Ο δήμαρχος της Νέας Πόλης παρουσίασε την Τρίτη το σχέδιο για το λιμάνι. Σύμφωνα με την Ελένη Παππά "
            "από το Ίδρυμα Αιγαίο, τα έργα θα κρατήσουν δύο χρόνια. Οι κάτοικοι ζητούν πλοίο για τη Νάξο."
        ),
        "Νέας Πόλης|Ελένη Παππά|Ίδρυμα Αιγαίο|Νάξο",
    ),
    "Finnish": (
        (
            "Kaupunginjohtaja esitteli tiistaina sataman suunnitelman kaupungissa nimeltä Uusiranta. Työt "
            "kestävät kaksi vuotta, sanoi Liisa Korhonen. Asukkaat toivovat junaa, joka kulkisi asemalle Tampere. "
            "Rahat antaa EU."
        ),
        "Uusiranta|Liisa Korhonen|Tampere|EU",
    ),
    "Vietnamese": (
        (
            "Thị trưởng thành phố Tân Hải hôm thứ ba đã trình bày kế hoạch cảng mới. Theo bà Nguyễn Thị Hoa, công "
            "việc sẽ kéo dài hai năm. Người dân muốn có tàu đến Đà Nẵng."
        ),
        "Tân Hải|Nguyễn Thị Hoa|Đà Nẵng",
    ),
    "Indonesian": (
        (
            "Wali kota Teluk Baru pada Selasa memaparkan rencana pelabuhan. Menurut Sri Lestari dari Yayasan "
            "Bahari, pekerjaan memakan waktu dua tahun. Warga ingin kereta ke Bandung."
        ),
        "Teluk Baru|Sri Lestari|Yayasan Bahari|Bandung",
    ),
}

# scripts without capitals: what a reader would call the names, all said twice
TERMS: dict[str, tuple[str, tuple[str, ...]]] = {
    "Chinese": ("新港市市长王丽说，新港市将修建图书馆。王丽感谢大家。", ("新港", "王丽")),
    "Japanese": (
        ("山田市長は東浜市で計画を示した。マリア・ロペスも東浜市を訪れ、山田市長と話した。"),
        ("マリア・ロペス", "東浜市", "山田市長"),
    ),
    "Korean": (
        ("김수진 시장은 새항구에서 계획을 발표했다. 새항구는 작은 도시다. 김수진 시장이 말했다."),
        ("김수진", "새항구"),
    ),
    "Arabic": ("قالت ليلى حداد إن مدينة الزهراء ستبني مكتبة. وشكرت ليلى حداد سكان الزهراء.", ("ليلى", "حداد", "زهراء")),
    "Hebrew": ("ראש העיר דנה לוינסקי הציגה תוכנית בנהריה. דנה לוינסקי הודתה לתושבים.", ("דנה", "לוינסקי")),
    "Hindi": ("नयानगर की महापौर मीरा शर्मा ने योजना बताई। मीरा शर्मा नयानगर में रहती हैं।", ("मीरा", "शर्मा", "नयानगर")),
    "Thai": ("นางสมศรีกล่าวที่เมืองใหม่ นางสมศรีขอบคุณ", ("สมศรี",)),
}
