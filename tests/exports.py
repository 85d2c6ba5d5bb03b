"""Invented exports of a help desk and a shop: rows as such programs write them, with the columns that they have."""

import csv
import io
import random
from collections.abc import Mapping, Sequence
from typing import Any

Row = dict[str, Any]

TOPICS = {
    "Billing": ["invoice", "charged", "refund", "payment", "card", "amount", "receipt"],
    "Returns": ["return", "parcel", "exchange", "broken", "size", "courier", "box"],
    "Technical Support": ["crash", "error", "screen", "update", "install", "freezes", "driver"],
    "Account": ["password", "login", "profile", "locked", "reset", "username", "code"],
    "Sales": ["quote", "discount", "order", "licence", "price", "offer", "bulk"],
}
FILLERS = ["please", "help", "me", "with", "the", "my", "since", "yesterday", "and", "it", "still", "is", "not", "again", "now"]
GERMAN_TOPICS = {
    "Rechnung": ["Rechnung", "Betrag", "Zahlung", "Konto", "Mahnung", "Gutschrift"],
    "Versand": ["Paket", "Lieferung", "Sendung", "Bote", "Karton", "Adresse"],
    "Störung": ["Absturz", "Fehler", "Bildschirm", "Gerät", "Meldung", "Neustart"],
    "Vertrag": ["Kündigung", "Laufzeit", "Tarif", "Vertrag", "Wechsel", "Angebot"],
}
GERMAN_FILLERS = [
    "bitte",
    "ich",
    "habe",
    "seit",
    "gestern",
    "kein",
    "und",
    "der",
    "die",
    "für",
    "noch",
    "über",
    "möchte",
    "das",
]
SPANISH_TOPICS = {
    "facturación": ["factura", "cobro", "pago", "importe", "tarjeta", "recibo"],
    "envíos": ["paquete", "entrega", "mensajero", "caja", "dirección", "retraso"],
    "soporte": ["pantalla", "fallo", "bloquea", "instalar", "aplicación", "señal"],
}
SPANISH_FILLERS = ["por", "favor", "mi", "el", "la", "desde", "ayer", "no", "y", "todavía", "con", "me", "está"]
FIRST_NAMES = [
    "Anna",
    "Ben",
    "Carla",
    "David",
    "Elif",
    "Farid",
    "Grace",
    "Hugo",
    "Ines",
    "Jonas",
    "Kim",
    "Lena",
    "Marek",
    "Nadia",
]
LAST_NAMES = ["Berg", "Costa", "Dimitrov", "Evans", "Fischer", "Garcia", "Hansen", "Ito", "Jansen", "Kaya", "Lopez", "Meyer"]


def write_sentence(draw: random.Random, words: Sequence[str], fillers: Sequence[str], n: int) -> str:
    """Words of a topic between fillers."""
    return " ".join(draw.choice(words if draw.random() < 0.4 else fillers) for _ in range(n)).capitalize()


def name_person(draw: random.Random) -> str:
    return f"{draw.choice(FIRST_NAMES)} {draw.choice(LAST_NAMES)}"


def make_tickets(
    n: int = 400, seed: int = 0, topics: Mapping[str, Sequence[str]] = TOPICS, fillers: Sequence[str] = FILLERS
) -> list[Row]:
    """Tickets of a help desk. Customers come back, few agents answer, and few values have priority, status and country."""
    draw = random.Random(seed)
    customers = [name_person(draw) for _ in range(n // 5)]
    agents = [name_person(draw) for _ in range(6)]
    rows = []
    for i in range(n):
        topic = draw.choice(list(topics))
        customer = draw.choice(customers)
        rows.append(
            {
                "id": 10_000 + i,
                "created": f"2024-{1 + i // 40 % 12:02}-{1 + i % 28:02} {draw.randrange(24):02}:{draw.randrange(60):02}:07",
                "customer": customer,
                "email": f"{customer.lower().replace(' ', '.')}@example.org",
                "agent": draw.choice(agents),
                "priority": draw.choice(["low", "medium", "high"]),
                "status": draw.choice(["open", "closed", "pending"]),
                "country": draw.choice(["DE", "FR", "ES", "US"]),
                "minutes": draw.randrange(5, 4000),
                "topic": topic,
                "subject": write_sentence(draw, topics[topic], fillers, 4),
                "body": write_sentence(draw, topics[topic], fillers, draw.randrange(15, 40)),
            }
        )
    return rows


def rename(rows: Sequence[Row], names: Mapping[str, str]) -> list[Row]:
    """The rows with these columns only, in this order, under other names."""
    return [{new: row[old] for new, old in names.items()} for row in rows]


def to_csv(rows: Sequence[Row], delimiter: str = ",") -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
