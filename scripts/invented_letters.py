"""Invented letters to a shop, with labels. The pictures of the page are made from them."""

import random
from typing import NamedTuple

OPENINGS = {
    "billing": (
        "I was charged twice for order {number}.",
        "The invoice for {day} shows an amount that I do not recognise.",
        "My card was declined although there is enough money on it.",
        "Please send me a receipt for order {number}.",
        "The discount code was not applied to my bill.",
        "Why did the price on the invoice go up?",
        "I need an invoice with our VAT number.",
        "You have taken the payment before the {thing} was sent.",
    ),
    "delivery": (
        "My parcel has not arrived yet.",
        "The tracking page has not changed since {day}.",
        "The courier left the {thing} in front of the wrong door.",
        "When will order {number} be delivered?",
        "The parcel arrived late, and the box was wet.",
        "Nobody rang, but the note says that I was not at home.",
        "Can you deliver the {thing} to a parcel shop instead?",
        "Half of order {number} is missing from the parcel.",
    ),
    "returns": (
        "The shoes are too small, and I want to exchange them.",
        "How do I send back the {thing}?",
        "I returned the {thing} two weeks ago and heard nothing.",
        "The {thing} broke after one day.",
        "The colour of the {thing} is not the one in the picture.",
        "I would like to return order {number}.",
        "The label for the return can't be printed.",
        "The {thing} came with a scratch, I want my money back.",
    ),
    "account": (
        "I can't log in any more.",
        "Please delete my account and all data about me.",
        "The link to reset my password does not arrive.",
        "How can I change the e-mail address of my account?",
        "Somebody else has logged in to my account.",
        "I have two accounts and want to join them.",
        "The page says that my password is wrong.",
        "I do not want the newsletter any more.",
    ),
}
CLOSINGS = {
    "billing": (
        "The bank says that both payments went through.",
        "Could you refund the difference?",
        "Our accountant needs it.",
    ),
    "delivery": ("I was at home all day.", "It is a birthday present.", "The courier does not answer."),
    "returns": ("The box is unopened.", "I would rather have the larger size.", "Do I pay for the parcel back?"),
    "account": (
        "I have tried it on two computers.",
        "Please answer soon, I am worried.",
        "It is not in the spam folder either.",
    ),
}
GREETINGS = ("Hello,", "Good morning,", "Dear team,", "", "", "")
THINGS = ("jacket", "lamp", "kettle", "chair", "headphones", "backpack", "watch")
DAYS = ("March", "April", "last week", "Monday", "the first of May")


class Letter(NamedTuple):
    """A letter, its label, and the customer who wrote it."""

    text: str
    label: str
    customer: str


def write_letters(n: int, seed: int, *, wrong_share: float = 0.0) -> list[Letter]:
    """Letters with labels, of which a share is wrong.

    >>> write_letters(1, seed=0)[0].label
    'returns'
    """
    rng = random.Random(seed)
    return [write_letter(rng, wrong_share) for _ in range(n)]


def write_letter(rng: random.Random, wrong_share: float) -> Letter:
    label = rng.choice(list(OPENINGS))
    values = {"number": rng.randrange(1000, 9999), "day": rng.choice(DAYS), "thing": rng.choice(THINGS)}
    opening = rng.choice(OPENINGS[label]).format(**values)
    parts = [rng.choice(GREETINGS), opening, *rng.sample(CLOSINGS[label], rng.choice([0, 1, 1]))]
    given = rng.choice(list(OPENINGS)) if rng.random() < wrong_share else label
    return Letter(" ".join(filter(None, parts)), given, f"customer {rng.randrange(100, 160)}")
