"""Invented exports of a help desk: rows with the columns that such programs write."""

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
GERMAN_FILLERS = ["bitte", "ich", "habe", "seit", "gestern", "kein", "und", "der", "die", "für", "noch", "über", "das"]
SPANISH_TOPICS = {
    "facturación": ["factura", "cobro", "pago", "importe", "tarjeta", "recibo"],
    "envíos": ["paquete", "entrega", "mensajero", "caja", "dirección", "retraso"],
    "soporte": ["pantalla", "fallo", "bloquea", "instalar", "aplicación", "señal"],
}
SPANISH_FILLERS = ["por", "favor", "mi", "el", "la", "desde", "ayer", "no", "y", "todavía", "con", "me", "está"]
FIRST_NAMES = ["Anna", "Ben", "Carla", "David", "Elif", "Farid", "Grace", "Hugo", "Ines", "Jonas", "Kim", "Lena", "Marek"]
LAST_NAMES = ["Berg", "Costa", "Dimitrov", "Evans", "Fischer", "Garcia", "Hansen", "Ito", "Jansen", "Kaya", "Lopez", "Meyer"]


def write_sentence(draw: random.Random, words: Sequence[str], fillers: Sequence[str], n: int) -> str:
    """Words of a topic between fillers."""
    return " ".join(draw.choice(words if draw.random() < 0.4 else fillers) for _ in range(n)).capitalize()


def name_person(draw: random.Random) -> str:
    return f"{draw.choice(FIRST_NAMES)} {draw.choice(LAST_NAMES)}"


def make_tickets(
    n: int = 400, topics: Mapping[str, Sequence[str]] = TOPICS, fillers: Sequence[str] = FILLERS, seed: int = 0
) -> list[Row]:
    """Tickets. Customers come back, and agent, priority, status, country and stars have a few values, as the topic has."""
    draw = random.Random(seed)
    customers, agents = [name_person(draw) for _ in range(1 + n // 5)], [name_person(draw) for _ in range(6)]
    rows = []
    for i in range(n):
        topic, customer = draw.choice(list(topics)), draw.choice(customers)
        row: Row = {"id": 10_000 + i, "uuid": f"{draw.getrandbits(128):032x}", "customer": customer, "topic": topic}
        row["created"] = f"2024-{1 + i // 40 % 12:02}-{1 + i % 28:02} {draw.randrange(24):02}:{draw.randrange(60):02}:07"
        row["day"] = f"{1 + i % 28:02}.{1 + i // 40 % 12:02}.2024"
        row["email"] = f"{customer.lower().replace(' ', '.')}@example.org"
        row["agent"] = draw.choice(agents)
        row["priority"] = draw.choice(["low", "medium", "high"])
        row["status"] = draw.choice(["open", "closed", "pending"])
        row["country"] = draw.choice(["DE", "FR", "ES", "US"])
        row["stars"] = draw.randrange(1, 6)
        row["minutes"] = draw.randrange(5, 4000)
        row["number"] = list(topics).index(topic) + 3
        row["subject"] = write_sentence(draw, topics[topic], fillers, 4)
        row["body"] = write_sentence(draw, topics[topic], fillers, draw.randrange(15, 40))
        row["answer"] = write_sentence(draw, fillers, fillers, 60)
        rows.append(row)
    return rows


def export(rows: Sequence[Row], columns: Mapping[str, str]) -> list[Row]:
    """The rows as an export shows them: its names of columns, in its order, and which of the columns above each one is."""
    return [{name: row[column] for name, column in columns.items()} for row in rows]


def to_csv(rows: Sequence[Row], delimiter: str = ",") -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
