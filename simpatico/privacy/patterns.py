"""Personal data that has a pattern: e-mail, IBAN, IP address, payment card, phone number.

"mail ann@example.org or call (030) 1234 5678"  ->  "mail [email] or call [phone]"

This is pattern matching, not anonymisation: names, addresses and whatever else tells who somebody
is stay. A checksum decides where there is one (Luhn for cards, mod 97 for IBANs), and where a
number could be a phone number or another one, it is replaced. Every expression is linear in the
text: it begins only where a token begins, and repeats are possessive or bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from ipaddress import AddressValueError, IPv6Address
from itertools import zip_longest
from typing import Literal, NamedTuple

RECALL = 0.99
"""Of each kind, on 1,000 generated cases (`tests/privacy`); `docs/privacy.md` has unseen ones."""
Kind = Literal["email", "iban", "ip", "card", "phone"]
KINDS: tuple[Kind, ...] = ("email", "iban", "ip", "card", "phone")
CANDIDATE = (
    r"[@＠]|(?i:[\[({<]\s*at\s*[\])}>]|\bat\b.*\bdot\b)"
    r"|(?:\d[^\d\n]{0,4}){6}\d|\d\D{1,3}\d+\D{1,3}\d+\D{1,3}\d|:[0-9A-Fa-f]*:"
    r"|[A-Za-z]{2}\d\d[ -]?[A-Za-z0-9]{4}"
)
"""What a text has that holds any of them; most texts do not, and are passed over."""

# Letters of scripts that are written without spaces do not belong to the address beside them.
SPACED = r"(?![\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])"
LETTER = rf"{SPACED}\w"
START = rf"(?<!{SPACED}[\w.+%-])"
LOCAL = rf"{START}{LETTER}(?:{LETTER}|[.+%&'~!#$^-]){{0,63}}+"
QUOTED = r'(?<![\w"])"[^"\s@][^"\n@]{0,62}"'
DOMAIN = (
    rf"(?:(?:[A-Za-z0-9-]++\.)+[A-Za-z]{{2,}}+(?![.-]?{LETTER}|-)"
    rf"|(?:(?:{LETTER}|-)++\.)+[^\W\d_](?:{LETTER}|-)++|\[[0-9A-Fa-f:.]{{3,45}}\]|localhost\b)"
)
LABEL = r"[A-Za-z0-9_-]{1,63}+"
BRACKET_AT = r" {0,2}[\[({<] ?at ?[\])}>] {0,2}"
DOT = r"(?: {0,2}[\[({<] ?(?:dot|\.) ?[\])}>] {0,2}| dot |\.)"
EMAIL = re.compile(
    rf"(?:{LOCAL}|{QUOTED}) ?[@＠] ?{DOMAIN}"
    # written out: "ann [at] example [dot] org", "ann dot lee at example dot org"
    rf"|{START}[A-Za-z0-9_+-]{{1,64}}+(?:{DOT}{LABEL}){{0,3}}"
    rf"(?:{BRACKET_AT}{LABEL}(?:{DOT}{LABEL}){{1,4}}| at {LABEL}(?: dot {LABEL}){{1,4}})"
    rf"(?!{LETTER})",
    re.IGNORECASE,
)

IBAN_START = re.compile(r"(?<![A-Za-z0-9])([A-Za-z]{2})\d\d(?=[ -]?[A-Za-z0-9])")
IBAN_LENGTHS = (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 "
    "DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 "
    "IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 "
    "MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 "
    "SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
)
"""Country and number of characters, from the SWIFT registry (ISO 13616)."""
IBAN_LENGTH = {entry[:2]: int(entry[2:]) for entry in IBAN_LENGTHS.split()}

OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
IP = re.compile(
    rf"(?<![\w.])(?:{OCTET}(?:\.|\[\.\])){{3}}{OCTET}(?!\w|\.\d|-\d)"
    # also right after a word and a colon: "ip:fe80::1"
    r"|(?:(?<![\w:.])|(?<=[G-Zg-z]:)|(?<=[Vv]6:))(?=[0-9A-Fa-f]{0,4}:)[0-9A-Fa-f:]{2,39}+(?:\.\d{1,3}){0,3}(?![\w:])",
    re.ASCII,
)

DIGITS = re.compile(r"\d+")
SEPARATOR = re.compile(r"[ \u00a0\u2009\u202f.\-\u2010-\u2015\u2212/()]{1,3}")
SPACES, DASHES = " \u00a0\u2009\u202f", "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
EXTENSION = re.compile(r" ?(?:x|ext\.?) ?\d{1,6}(?!\w)", re.IGNORECASE)
BRACKET = r"[+＋]?\([+＋]?\Z"
BEYOND = re.compile(r"(?a:\w|%)|[.,]\d")
MOST_GROUPS = 10
"""Of digits in one number; +33 6 12 34 56 78 has seven."""


class Group(NamedTuple):
    """Digits that stand together, and what stands between them and the next ones."""

    digits: str
    start: int
    end: int
    gap: str


def redact_text(text: str, note: Callable[[Kind], object]) -> str:
    """The text with a placeholder such as [email] for each match; `note` hears of every one."""

    def replace(kind: Kind, is_one: Callable[[str], bool]) -> Callable[[re.Match[str]], str]:
        def placeholder(match: re.Match[str]) -> str:
            if not is_one(match[0]):
                return match[0]
            note(kind)
            return f"[{kind}]"

        return placeholder

    text = EMAIL.sub(replace("email", lambda _: True), text)
    text = replace_ibans(text, note)
    text = IP.sub(replace("ip", is_ip), text)
    return replace_numbers(text, note)


def replace_ibans(text: str, note: Callable[[Kind], object]) -> str:
    """The text with a placeholder for each IBAN of a known country, length and checksum."""
    parts, last = list[str](), 0
    for match in IBAN_START.finditer(text):
        length = IBAN_LENGTH.get(match[1].upper())
        if length is None or match.start() < last:
            continue
        # single spaces or dashes may stand anywhere; what follows must not go on with it
        body = re.compile(rf"(?:[A-Za-z0-9][ -]?){{{length - 1}}}[A-Za-z0-9](?![A-Za-z0-9])")
        found = body.match(text, match.start())
        if found and is_iban(re.sub("[ -]", "", found[0])):
            note("iban")
            parts += [text[last : match.start()], "[iban]"]
            last = found.end()
    return "".join([*parts, text[last:]])


def is_iban(code: str) -> bool:
    """Whether the checksum is right: ISO 7064 mod 97-10, the first four characters moved last."""
    return int("".join(str(int(c, 36)) for c in code[4:] + code[:4])) % 97 == 1


def is_ip(text: str) -> bool:
    """Whether it is an address of version 4, or of version 6 with a digit or several groups."""
    if ":" not in text:
        return True
    try:
        IPv6Address(text)
    except AddressValueError:
        return False
    return bool(re.search(r"\d", text)) or len(re.findall(r"[A-Fa-f]+", text)) > 2


def replace_numbers(text: str, note: Callable[[Kind], object]) -> str:
    """The text with a placeholder for each card and phone number, the longest at each place."""
    groups = digit_groups(text)
    parts, last, index = list[str](), 0, 0
    while index < len(groups):
        if is_date(groups[index : index + 3]):
            index += 3
            continue
        count, kind = longest_number(text, groups[index : index + MOST_GROUPS])
        if kind is None:
            index += 1
            continue
        own, index = groups[index : index + count], index + count
        start, opened = own[0].start, sum(g.gap.count(")") - g.gap.count("(") for g in own[:-1])
        # a bracket is part of the number where it closes within it
        lead = re.search(BRACKET if opened else r"[+＋]\Z", text[max(last, start - 2) : start])
        start -= len(lead[0]) if lead else 0
        note(kind)
        parts += [text[last:start], f"[{kind}]"]
        extension = EXTENSION.match(text, own[-1].end)
        last = extension.end() if extension else own[-1].end
        index += bool(extension)
    return "".join([*parts, text[last:]])


def digit_groups(text: str) -> list[Group]:
    """All digits of a text; the gap is empty where what follows is no separator and digit."""
    matches = list(DIGITS.finditer(text))
    groups = []
    for match, following in zip_longest(matches, matches[1:]):
        start = match.end()
        gap = following and SEPARATOR.fullmatch(text, start, following.start())
        # digits of any script count: ٠٣٠ is 030
        digits = "".join(str(int(c)) for c in match[0]) if not match[0].isascii() else match[0]
        groups.append(Group(digits, match.start(), start, gap[0] if gap else ""))
    return groups


def is_date(groups: Sequence[Group]) -> bool:
    """Whether three groups are a day, a month and a year of four digits, or the other way round."""
    if len(groups) < 3 or groups[0].gap != groups[1].gap or groups[0].gap not in tuple("/-."):
        return False
    numbers = [g.digits for g in groups]
    year = numbers[0] if len(numbers[0]) == 4 else numbers[2]
    others = numbers[1:] if year is numbers[0] else numbers[:2]
    return is_year(year) and all(len(n) <= 2 and 1 <= int(n) <= 31 for n in others)


def is_year(digits: str) -> bool:
    """Whether four digits are rather a year than part of a number."""
    return len(digits) == 4 and digits[:2] in ("19", "20")


def longest_number(text: str, groups: Sequence[Group]) -> tuple[int, Kind | None]:
    """How many of the groups, from the first on, are a card or phone number, and which."""
    before = text[max(groups[0].start - 2, 0) : groups[0].start]
    lead = before[-1:]
    if re.search(r"(?:(?a:[/#_$€£¥\w]|\w-)|\d[.,])\Z", before):  # part of a word, price or decimal
        return 0, None
    count = 1
    while count < len(groups) and groups[count - 1].gap:
        count += 1
    for n in range(count, 0, -1):
        # goes on as a word, share or decimal, other than by an extension
        if BEYOND.match(text, groups[n - 1].end) and not EXTENSION.match(text, groups[n - 1].end):
            continue
        own = groups[:n]
        if lead not in ("+", "＋") and is_card(own):
            return n, "card"
        if is_phone(own, lead):
            return n, "phone"
    return 0, None


def is_card(groups: Sequence[Group]) -> bool:
    """12 to 19 digits of a payment card, in groups of at least four but for the last (Luhn)."""
    digits = "".join(g.digits for g in groups)
    # Maestro has from 12 digits on, JCB also begins with 1800, national cards (9) have 16 digits
    fewest, most = {"5": (12, 19), "6": (12, 19), "9": (16, 16)}.get(digits[0], (13, 19))
    if not fewest <= len(digits) <= most or not digits.startswith((*"2345689", "1800")):
        return False
    gaps = {g.gap for g in groups[:-1]}
    if any(len(gap) > 1 or gap not in SPACES + DASHES + "." for gap in gaps):
        return False
    if any(len(g.digits) < 4 for g in groups[:-1]):
        return False
    doubled = [2 * int(d) for d in digits[-2::-2]]
    return (sum(map(int, digits[-1::-2])) + sum(d - 9 * (d > 9) for d in doubled)) % 10 == 0


def is_phone(groups: Sequence[Group], lead: str) -> bool:
    """Whether the groups can be a phone number, by their number of digits and how they stand."""
    numbers, gaps = [g.digits for g in groups], [g.gap for g in groups[:-1]]
    n, sizes = sum(map(len, numbers)), [len(number) for number in numbers]
    if len(sizes) > 1 and sizes[-1] < 2:
        return False
    if lead in ("+", "＋"):
        return 7 <= n <= 15
    opened, closed = (sum(gap.count(mark) for gap in gaps) for mark in "()")
    if closed == 1 and (opened or lead == "("):
        return 7 <= n <= 14
    if opened or closed:
        return False
    if numbers[0].startswith("00") and not numbers[0].startswith("000"):
        return 9 <= n <= 17
    dotted = any("." in gap for gap in gaps)
    if sum("/" in gap for gap in gaps) > 1 or (dotted and (set(gaps) != {"."} or len(sizes) == 2)):
        return False  # dates, decimals
    if len(sizes) == 1:
        return 8 <= n <= 13 and not is_compact_date(numbers[0])
    if any(size < 2 for size in sizes[3:]) or sizes.count(1) > 1:
        return False
    if sizes == [3, 4]:
        return gaps[0] in DASHES
    if all(map(is_year, numbers)) or is_grouped(numbers, gaps):
        return False
    return 8 <= n <= 13


def is_compact_date(digits: str) -> bool:
    """Whether eight digits are a date: 20261118, 18112026."""
    for year, rest in ((digits[:4], digits[4:]), (digits[4:], digits[:4])):
        if len(digits) == 8 and is_year(year) and 1 <= int(rest[:2]) <= 31 >= int(rest[2:]) >= 1:
            return True
    return False


def is_grouped(numbers: Sequence[str], gaps: Sequence[str]) -> bool:
    """Whether it is a large number in groups of three digits: 12.345.678, 40 000 000."""
    thousands = len(numbers) > 2 and all(len(number) == 3 for number in numbers[1:])
    number = len(numbers[0]) == 1 or set(gaps) == {"."} or set("".join(numbers[1:])) == {"0"}
    return thousands and number and numbers[0][0] != "0"
