"""Records under generated schemas, and texts that say them: thousands of schemas, no two data
sets alike, so that the schema must be read from the prompt and not known by heart.

A record is drawn field by field. A field has a key, a JSON Schema, a value, and the words that
say it; fields of a record are said in any order, some are only in the schema. Values stand in
the text as they stand in the JSON, apart from spelt-out numbers, dates, clock times and yes or no.
"""

import random
import zlib
from dataclasses import dataclass

from data import spoken
from schema import compact, notation

NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
           "eleven", "twelve")  # fmt: skip
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September",
          "October", "November", "December")  # fmt: skip

# Kind of text -> (keys it goes by, phrases of its own where it is the only one of its kind).
TEXTS = {
    "person": ("name full_name customer guest contact patient author owner recipient sender employee "
               "student teacher driver manager client passenger host",
               ("for {v}", "by {v}", "from {v}", "this is {v}", "with {v}")),
    "first": ("first_name name nickname friend pet child", ("for {v}", "called {v}", "with {v}")),
    "city": ("city town location destination origin place venue from to departure arrival",
             ("in {v}", "to {v}", "near {v}")),
    "country": ("country nation nationality origin destination", ("in {v}", "from {v}")),
    "street": ("address street shipping_address location venue", ("at {v}", "to {v}")),
    "zip": ("zip postcode postal_code zip_code", ("zip {v}",)),
    "company": ("company employer brand supplier vendor organization client manufacturer shop",
                ("at {v}", "from {v}", "by {v}", "for {v}")),
    "job": ("job role position occupation profession job_title", ("as a {v}", "working as {v}")),
    "email": ("email mail contact email_address reply_to", ("reach me at {v}", "at {v}")),
    "phone": ("phone telephone mobile phone_number contact", ("call {v}", "at {v}")),
    "url": ("website url homepage domain link", ("see {v}", "at {v}")),
    "color": ("color colour paint finish", ("in {v}",)),
    "code": ("code order_id id ticket booking reference sku room", ("under {v}",)),
    "reference": ("reference confirmation invoice tracking_number serial flight_number", ("no. {v}",)),
    "plate": ("plate license_plate registration car", ("with plates {v}",)),
    "word": ("category topic tag subject product item department genre material", ("about {v}",)),
    "phrase": ("title subject project summary description note topic slogan", ("about {v}", "on {v}")),
    "title": ("title book movie song album event headline playlist course", ('"{v}"', "called {v}")),
}  # fmt: skip
COUNTS = ("guests tickets rooms nights seats copies pieces passengers adults children quantity bottles "
          "boxes pages hours minutes days players floors bedrooms age year rating score points").split()
AMOUNTS = "price amount total cost budget fee rent salary discount weight height distance temperature rate".split()
FLAGS = ("vegetarian urgent paid gift_wrap smoking pets_allowed refundable express fragile public "
         "recurring insured parking breakfast wifi private online furnished available remote").split()
DATES = "date day due_date start_date end_date birthday check_in check_out deadline departure_date".split()
TIMES = "time start_time end_time departure_time pickup_time opening alarm".split()
CHOICES = {
    "size": "small medium large", "priority": "low normal high urgent", "status": "open pending closed",
    "payment": "cash card paypal invoice", "class": "economy business first", "meal": "vegan halal kosher standard",
    "level": "beginner intermediate advanced", "unit": "kg lb oz g", "currency": "EUR USD GBP JPY",
    "language": "English German French Spanish", "mode": "train bus plane car", "gender": "male female",
    "season": "spring summer autumn winter", "frequency": "daily weekly monthly", "side": "left right",
    "severity": "minor major critical", "room_type": "single double suite", "shape": "round square oval",
    "type": "order booking complaint question", "weekday": "Monday Tuesday Wednesday Thursday Friday",
    "milk": "none oat soy whole", "direction": "north south east west", "action": "start stop pause resume",
}  # fmt: skip
LISTS = {"items": "word", "tags": "word", "ingredients": "word", "guests": "first", "cities": "city",
         "attendees": "person", "topics": "word", "colors": "color", "participants": "first",
         "members": "person", "countries": "country", "titles": "title", "companies": "company",
         "emails": "email", "codes": "code", "names": "first"}  # fmt: skip
GROUPS = ("address customer contact order location event delivery billing sender recipient trip user "
          "venue product details owner vehicle item payment").split()
OPENINGS = ("", "", "please note: ", "I need this: ", "new entry, ", "can you add ", "here it is: ",
            "hi, ", "we have ", "please book ", "register ", "I would like ", "update: ", "add ")
JOINTS = (", ", ", ", " and ", ". ", "; ", " ")
SAID = ("{k} {v}", "{k}: {v}", "{k} is {v}", "the {k} is {v}", "with {k} {v}", "{v} as {k}",
        "{k} = {v}", "set {k} to {v}", "{v} is the {k}", "{k} should be {v}", "use {v} for {k}")


@dataclass
class Field:
    key: str
    schema: dict
    value: object
    text: str


def held_out(schema):
    """Whether a schema is kept for evaluation: one in sixteen, by its notation."""
    return zlib.crc32(notation(schema).encode()) % 16 == 0


class Records:
    """Draws records; `invented()` gives text of no sense, which can only be copied."""

    def __init__(self, pools, invented):
        self.pools, self.invented = pools, invented

    def text(self, rng, kind):
        return self.invented(rng) if rng.random() < 0.25 else rng.choice(self.pools[kind])

    def key(self, rng, keys):
        """Mostly a key that fits; now and then one that only the schema tells."""
        draw = rng.random()
        if draw < 0.8:
            return rng.choice(keys)
        if draw < 0.9:
            return rng.choice(self.pools["word"]).lower() + "_" + rng.choice(keys)
        return rng.choice(self.pools["word"]).lower()

    def string(self, rng):
        kind = rng.choice(tuple(TEXTS))
        keys, phrases = TEXTS[kind]
        key, value = self.key(rng, keys.split()), self.text(rng, kind)
        own = rng.random() < 0.35
        said = rng.choice(phrases) if own else rng.choice(SAID)
        return Field(key, {"type": "string"}, value, said.format(k=spoken(key), v=value))

    def count(self, rng):
        key = self.key(rng, COUNTS)
        value = rng.choice((rng.randint(1, 12), rng.randint(1, 99), rng.randint(100, 3000)))
        said = NUMBERS[value] if value <= 12 and rng.random() < 0.4 else str(value)
        form = rng.choice(("{v} {k}", "{v} {k}", *SAID))
        return Field(key, {"type": "integer"}, value, form.format(k=spoken(key), v=said))

    def amount(self, rng):
        key = self.key(rng, AMOUNTS)
        value = rng.choice((round(rng.uniform(0, 10), 1), round(rng.uniform(1, 500), 2), rng.randint(1, 900)))
        before, after = rng.choice((("", ""), ("", ""), ("$", ""), ("", " euros"), ("€", ""), ("", " dollars")))
        said = f"{before}{compact(value)}{after}"
        return Field(key, {"type": "number"}, value, rng.choice(SAID).format(k=spoken(key), v=said))

    def flag(self, rng):
        key, value = self.key(rng, FLAGS), rng.random() < 0.55
        forms = (("{k}", "{k}: yes", "it is {k}", "with {k}", "{k} please", "{k} is true") if value else
                 ("not {k}", "no {k}", "{k}: no", "without {k}", "it is not {k}", "{k} is false"))  # fmt: skip
        return Field(key, {"type": "boolean"}, value, rng.choice(forms).format(k=spoken(key)))

    def date(self, rng):
        key = self.key(rng, DATES)
        year, month, day = rng.randint(1990, 2035), rng.randint(1, 12), rng.randint(1, 28)
        value = f"{year}-{month:02}-{day:02}"
        name = MONTHS[month - 1]
        said = rng.choice((value, value, value, f"{name} {day}, {year}", f"{day} {name} {year}"))
        form = rng.choice(("on {v}", *SAID))
        return Field(key, {"type": "string", "format": "date"}, value, form.format(k=spoken(key), v=said))

    def clock(self, rng):
        key, hour, minute = self.key(rng, TIMES), rng.randint(0, 23), rng.choice((0, 15, 30, 45, rng.randint(0, 59)))
        value = f"{hour:02}:{minute:02}"
        spoken_hour = f"{(hour - 1) % 12 + 1}:{minute:02} {'am' if hour < 12 else 'pm'}"
        said = value if rng.random() < 0.7 else spoken_hour
        form = rng.choice(("at {v}", *SAID))
        return Field(key, {"type": "string", "format": "time"}, value, form.format(k=spoken(key), v=said))

    def choice(self, rng):
        if rng.random() < 0.6:
            key = rng.choice(tuple(CHOICES))
            options = CHOICES[key].split()
        else:
            key = self.key(rng, tuple(CHOICES))
            options = sorted({self.invented(rng) for _ in range(rng.randint(2, 5))})
        rng.shuffle(options)
        value = rng.choice(options)
        form = rng.choice(("{v}", "{v}", "make it {v}", *SAID))
        return Field(key, {"enum": options}, value, form.format(k=spoken(key), v=value))

    def strings(self, rng):
        key = rng.choice(tuple(LISTS))
        value = [self.text(rng, LISTS[key]) for _ in range(rng.randint(1, 4))]
        if rng.random() < 0.2:
            key = self.key(rng, (key,))
        form = rng.choice(("{k} {v}", "{k}: {v}", "{v} as {k}", "the {k} are {v}", "with {v}"))
        schema = {"type": "array", "items": {"type": "string"}}
        return Field(key, schema, value, form.format(k=spoken(key), v=listed(rng, value)))

    def numbers(self, rng):
        key = rng.choice(("scores", "ratings", "sizes", "ages", "pages", "rooms", "weights", "values"))
        value = [rng.randint(0, 99) for _ in range(rng.randint(1, 5))]
        schema = {"type": "array", "items": {"type": "integer"}}
        return Field(key, schema, value, f"{spoken(key)} {listed(rng, [str(v) for v in value])}")

    def rows(self, rng):
        """An array of objects of two fields: `2 apples, 3 pears`."""
        key = rng.choice(("items", "products", "order_lines", "lines", "ingredients", "parts", "entries"))
        name = rng.choice(("name", "item", "product", "title", "article"))
        number = rng.choice(("quantity", "count", "qty", "amount", "number"))
        form = rng.choice(("{n} {v}", "{n} {v}", "{n} x {v}", "{v}: {n}", "{v} ({n})"))
        made = [(self.text(rng, "word"), rng.randint(1, 12)) for _ in range(rng.randint(1, 3))]
        swap = rng.random() < 0.5
        keep = (lambda a, b: {number: b, name: a}) if swap else (lambda a, b: {name: a, number: b})
        item = {"type": "object", "properties": keep({"type": "string"}, {"type": "integer"}),
                "required": [name, number], "additionalProperties": False}  # fmt: skip
        said = [form.format(v=a, n=NUMBERS[b] if rng.random() < 0.3 else b) for a, b in made]
        value = [keep(a, b) for a, b in made]
        return Field(key, {"type": "array", "items": item}, value, listed(rng, said))

    def group(self, rng):
        """A nested object of two or three plain fields."""
        key = self.key(rng, GROUPS)
        fields = self.distinct(rng, rng.randint(2, 3), nested=False)
        said = fields[:]
        rng.shuffle(said)
        text = rng.choice(JOINTS[:3]).join(f.text for f in said)
        text = f"{spoken(key)}: {text}" if rng.random() < 0.6 else f"{text} ({spoken(key)})"
        required = [f.key for f in fields if rng.random() < 0.5]
        value = {f.key: f.value for f in fields}
        return Field(key, object_schema({f.key: f.schema for f in fields}, required), value, text)

    def one(self, rng, nested):
        kinds = ((self.string, 44), (self.count, 10), (self.amount, 6), (self.flag, 8), (self.date, 6),
                 (self.clock, 4), (self.choice, 10))  # fmt: skip
        if nested:
            kinds += ((self.strings, 6), (self.numbers, 2), (self.rows, 4), (self.group, 8))
        return rng.choices([k for k, _ in kinds], [w for _, w in kinds])[0](rng)

    def distinct(self, rng, count, nested=True):
        style = rng.choice((str, str, str, camel, str.upper, str.title)) if nested else str
        fields = {}
        while len(fields) < count:
            field = self.one(rng, nested)
            field.key = style(field.key)
            fields.setdefault(field.key, field)
        return list(fields.values())

    def draw(self, rng, most=6, evaluation=False):
        """(schema, request, value): a schema of the training part, or of the held-out part."""
        while True:
            fields = self.distinct(rng, rng.randint(1, most))
            present = [f for f in fields if rng.random() < 0.75] or fields[:1]
            said = present[:]
            rng.shuffle(said)
            needed = [f.key for f in present if rng.random() < 0.4]
            schema = object_schema({f.key: f.schema for f in fields}, needed)
            if held_out(schema) == evaluation:
                break
        request = rng.choice(OPENINGS) + said[0].text
        for field in said[1:]:
            request += rng.choice(JOINTS) + field.text
        request += rng.choice(("", "", ".", " please", ", thanks"))
        if rng.random() < 0.3:
            request = request[:1].upper() + request[1:]
        return schema, request, {f.key: f.value for f in present}


def object_schema(properties, required):
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def listed(rng, parts):
    """`a, b and c` and its like."""
    if len(parts) < 2:
        return "".join(parts)
    return rng.choice((", ", ", ", "; ")).join(parts[:-1]) + rng.choice((" and ", ", ", ", and ")) + parts[-1]


def camel(name):
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)


def sample(pools, invented, seed, count, evaluation):
    """A fixed set of records, for evaluation and to look at."""
    rng = random.Random(seed)
    records = Records(pools, invented)
    return [records.draw(rng, evaluation=evaluation) for _ in range(count)]
