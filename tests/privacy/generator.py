"""Personal data as people write it, made by formats of many countries and not by our patterns.

Formats of phone numbers are those that libphonenumber prints for 53 countries (international and
national, from eight digits on); separators, brackets, words and marks around vary by chance.
"""

import random
from ipaddress import IPv4Address, IPv6Address


def parts(text):
    return text.split("|")


PHONES = parts(
    "+1 ###-###-####|(###) ###-####|+44 ### ### ####|0### ### ####|+44 #### ######|0#### ######|"
    "+49 ## ######|0## ######|+49 #### #######|0#### #######|+33 # ## ## ## ##|0# ## ## ## ##|"
    "+34 ### ## ## ##|### ## ## ##|+39 ## #### ####|0# #### ####|+39 ### ### ####|### ### ####|"
    "+48 ## ### ## ##|## ### ## ##|+48 ### ### ###|### ### ###|+7 ### ###-##-##|"
    "8 (###) ###-##-##|+81 #-####-####|0#-####-####|+81 ##-####-####|0##-####-####|"
    "+86 ## #### ####|0## #### ####|+86 ### #### ####|### #### ####|+55 ## ####-####|"
    "(##) ####-####|+55 ## #####-####|(##) #####-####|+31 ## ### ####|0## ### ####|"
    "+31 # ########|0# ########|+46 # ## ## ##|0#-## ## ##|+46 ## ### ## ##|0##-### ## ##|"
    "+90 ### ### ## ##|(0###) ### ## ##|0### ### ## ##|+91 ##### #####|0##### #####|"
    "+82 #-###-####|0#-###-####|+82 ##-####-####|+420 ### ### ###|+43 # #########|0# #########|"
    "+43 ### ######|0### ######|+41 ## ### ## ##|0## ### ## ##|+32 ## ## ## ##|0## ## ## ##|"
    "+32 ### ## ## ##|0### ## ## ##|+45 ## ## ## ##|## ## ## ##|+47 ## ## ## ##|+358 ## #######|"
    "0## #######|+351 ## ### ####|## ### ####|+351 ### ### ###|+30 ## #### ####|## #### ####|"
    "+30 ### ### ####|+36 # ### ####|(0# #) ### ####|+36 ## ### ####|0# ## ### ####|"
    "+40 ## ### ####|+40 ### ### ###|0### ### ###|+353 ## #####|(0##) #####|+353 ## ### ####|"
    "+972 #-###-####|+972 ##-###-####|0##-###-####|+971 # ### ####|0# ### ####|+971 ## ### ####|"
    "+966 ## ### ####|+20 # ########|+20 ## ########|0## ########|+27 ## ### ####|"
    "+234 #### ## ####|0#### ## ####|+234 ### ### ####|+254 ## #######|+254 ### ######|"
    "+52 ### ### ####|+54 ## ####-####|0## ####-####|+54 # ## ####-####|0## ##-####-####|"
    "+56 ### ### ###|+56 # #### ####|(#) #### ####|+57 ### #######|(###) #######|### #######|"
    "+51 # #######|(0#) #######|+51 ### ### ###|+61 # #### ####|(0#) #### ####|+61 ### ### ###|"
    "+64 # ### ####|+64 ## ### ####|+65 #### ####|#### ####|+852 #### ####|+886 # #### ####|"
    "+886 ### ### ###|+66 # ### ####|+66 ## ### ####|+84 ### #### ###|0### #### ###|"
    "+84 ### ### ###|+62 ## #######|(0##) #######|+62 ###-###-###|0###-###-###|+60 #-#### ####|"
    "0#-#### ####|+60 ##-### ####|0##-### ####|+63 # #### ####|+63 ### ### ####|+92 ## ########|"
    "(0##) ########|+92 ### #######|0### #######|+880 #-#######|0#-#######|+880 ####-######|"
    "0####-######|+380 #### #####|0#### #####|+380 ## ### ####"
)
IBANS = parts(
    "DE 18n|GB 4a14n|FR 10n11c2n|ES 20n|IT 1a10n12c|NL 4a10n|BE 12n|AT 16n|CH 5n12c|PL 24n|PT 21n|"
    "SE 20n|NO 11n|DK 14n|FI 14n|IE 4a14n|GR 7n16c|CZ 20n|HU 24n|RO 4a16c|BG 4a6n8c|HR 17n|TR 5n17c|"
    "SA 2n18c|AE 19n|IL 19n|BR 23n1a1c|MT 4a5n18c|LU 3n13c|UA 6n19c"
)
"""Country, and the structure of the account number (n digits, a letters, c either), ISO 13616."""
CARDS = {
    **dict.fromkeys(
        ("4", "51", "55", "2221", "2720", "6011", "65", "3528", "62", "9792", "98"), 16
    ),
    **dict.fromkeys(("34", "37"), 15),
    **dict.fromkeys(("36", "3800"), 14),
    **dict(zip(("6759", "5018", "4000"), (18, 13, 19), strict=True)),
}
FRAMES = parts(
    "{}|my new one is {}.|{}!|({})|please use {}, not the old one|“{}”|[{}]|contact: {}|contact:{}|"
    "sure\n{}\nthanks|Meine neue ist {}, danke|c'est {} je crois|sí, {}|мой {}?|{} — got it?|"
    "me at {} after 5|1) {}|ring {} or wait|私のは{}です|我的是{}谢谢|이것은 {} 입니다|رقمي {} شكرا|"
    "<{}>|*{}*|{};|it's {} :)|{} 😀|from {} to nobody|use {} by 18:30|was {} in 2019, I think"
)
WORDS = parts("ann|bob|maria|jan|li|kim|otto|zoé|jürgen|søren|ivan|chloe|raj|noor|tom|eva|max|lena")
SITES = parts(
    "example|mail|post|uni-berlin|acme|firma|société|büro|sub.domain|web2|x|y-z|north.campus"
)
ENDS = parts("com|org|net|de|fr|co.uk|com.br|io|info|museum|edu.au|jp|xn--p1ai|рф|dev")


def digits(rng, n):
    return "".join(rng.choices("0123456789", k=n))


def email(rng):
    name = rng.choice(WORDS) + rng.choice(["", ".", "_", "-", "+"]) + rng.choice(WORDS)
    name += rng.choice(["", digits(rng, 2), digits(rng, 4)])
    site, end = rng.choice(SITES), rng.choice(ENDS)
    plain = f"{name}@{site}.{end}"
    if plain.isascii() and rng.random() < 0.15:
        at, dot = rng.choice([(" at ", " dot "), ("[at]", "[dot]"), (" (at) ", " (dot) ")])
        return plain.replace("@", at).replace(".", dot)
    return rng.choice([plain, plain, plain.upper(), plain.replace("@", " @ ")])


def phone(rng):
    number = "".join(digits(rng, 1) if c == "#" else c for c in rng.choice(PHONES))
    style = rng.random()
    if style < 0.15:
        return "".join(c for c in number if c.isdigit() or c == "+")
    if style < 0.25 and number[0] == "+":
        return number.replace("+", "00", 1)
    if style < 0.3 and number[0] == "+":
        return number.replace(" ", ") ", 1).replace("+", "(+", 1)
    if style < 0.55 and "(" not in number:
        mark = rng.choice(
            ["-", "\u00a0", "\u202f", "–", "‑", " - "] + ["."] * (number.count(" ") > 1)
        )
        return number.replace("-", " ").replace(" ", mark)
    return number


def luhn(body):
    """The check digit, by its definition: doubled from the right, sums of digits."""
    total = sum(sum(map(int, str(int(d) * (2 - i % 2)))) for i, d in enumerate(body[::-1]))
    return str(-total % 10)


def card(rng):
    prefix = rng.choice(list(CARDS))
    body = prefix + digits(rng, CARDS[prefix] - len(prefix) - 1)
    number, mark = body + luhn(body), rng.choice(["", " ", "-", "\u00a0", " "])
    sizes = [4, 6, 9] if len(number) in (14, 15) else [4] * 5
    parts = []
    for size in sizes:
        parts, number = [*parts, number[:size]], number[size:]
    return mark.join(filter(None, parts))


def iban(rng):
    country, structure = rng.choice(IBANS).split()
    account, count = "", ""
    for c in structure:
        if c.isdigit():
            count += c
            continue
        letters = {"n": "0123456789", "a": "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "c": "0123456789ABCXYZ"}[c]
        account, count = account + "".join(rng.choices(letters, k=int(count))), ""
    value = int("".join(str(int(c, 36)) for c in f"{account}{country}00"))
    code = f"{country}{98 - value % 97:02}{account}"
    groups = [code[i : i + 4] for i in range(0, len(code), 4)]
    return rng.choice([code, code.lower(), " ".join(groups), "-".join(groups), " ".join(groups)])


def ip(rng):
    if rng.random() < 0.6:
        address = str(IPv4Address(rng.getrandbits(32)))
        return rng.choice([address, address, address.replace(".", "[.]")])
    bits = rng.getrandbits(128) & rng.choice([-1, ~(0xFFFFFFFF << 48), 0xFFFF << 112 | 0xFFFF])
    address = IPv6Address(bits or 1)
    return rng.choice([str(address), str(address).upper(), address.exploded])


MAKERS = {"email": email, "iban": iban, "ip": ip, "card": card, "phone": phone}


def cases(kind, n, seed=0):
    """Texts that hold one of the kind, and what is left of them without it."""
    rng = random.Random(f"{kind} {seed}")
    for _ in range(n):
        frame, secret = rng.choice(FRAMES), MAKERS[kind](rng)
        yield frame.format(secret), secret, frame.format(f"[{kind}]")
