"""What spam says in so many words: patterns for mails and messages in English."""

from tercet.text.patterns import Pattern

SPAM_PATTERNS = (
    Pattern(
        "money_amount", r"(?i)(?:[$€£¥]|\b(?:usd|eur|gbp|rs\.?) ?)[0-9][0-9.,]*(?: ?(?:k|m|bn|million|billion|thousand)\b)?"
    ),
    Pattern(
        "millions_of_dollars", r"(?i)\b(?:hundred|thousand|million|billion)s? (?:of )?(?:us |u\.s\. )?(?:dollar|euro|pound)s?\b"
    ),
    Pattern(
        "guaranteed", r"(?i)\b[0-9]{1,3} ?(?:%|percent|per cent) (?:\w+ )?(?:guarantee[ds]?|free|safe|legal|natural|risk)\b"
    ),
    Pattern("percent_off", r"(?i)\b[0-9]{1,3} ?(?:%|percent|per cent) (?:off|discount)\b|\bsave (?:up to )?[0-9]{1,3} ?%"),
    Pattern("loud_word", r"\b[A-Z]{4,}\b"),
    Pattern("loud_marks", r"[!?][!?]+|\${2,}"),
    Pattern("dear_winner", r"(?i)\bdear (?:winner|friend|customer|user|beneficiary|sir or madam|valued \w+)\b"),
    Pattern("you_won", r"(?i)\byou(?:'ve|’ve| have)? (?:just |been )*(?:won|win|selected|chosen)\b|\bcongratulations\b"),
    Pattern("urgent", r"(?i)\burgent(?:ly)?\b|\bact (?:now|fast|today)\b|\bas soon as possible\b|\bexpires? (?:soon|today)\b"),
    Pattern("click_here", r"(?i)\bclick (?:here|below|now|(?:on )?th(?:e|is) link)\b"),
    Pattern("unsubscribe", r"(?i)\bunsubscribe\b|\bopt[ -]?out\b|\bremoved? from (?:our|this|the|my) (?:mailing )?list\b"),
    Pattern(
        "free_offer",
        r"(?i)\bfree (?:\w+ )?(?:trial|gift|offer|sample|access|entry|membership|quote)\b|\bfor free\b|(?-i:\bFREE\b)",
    ),
    Pattern("no_risk", r"(?i)\b(?:no|without) (?:risk|obligation|cost|fees?|credit check|strings attached)\b|\brisk[ -]free\b"),
    Pattern("phone_number", r"(?:\+|\b)[0-9]{1,4}[ .-]?\(?[0-9]{2,5}\)?(?:[ .-]?[0-9]{2,5}){1,3}\b"),
    Pattern("bank_details", r"(?i)\bbank (?:account|details|transfer)\b|\bcredit card\b|\bwire transfer\b|\bnext of kin\b"),
)
