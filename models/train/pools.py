"""Values for synthetic records, drawn once with faker: names, places, firms, dates, codes.

`python3 pools.py DATA` writes `DATA/pools.json.gz`, so that training needs neither faker nor its
time, and every run sees the same values.
"""

import argparse
import gzip
import json
import os

SIZE = 4000
KINDS = {
    "person": lambda f: f.name(),
    "first": lambda f: f.first_name(),
    "city": lambda f: f.city(),
    "country": lambda f: f.country(),
    "street": lambda f: f.street_address(),
    "zip": lambda f: f.postcode(),
    "company": lambda f: f.company(),
    "job": lambda f: f.job(),
    "email": lambda f: f.email(),
    "phone": lambda f: f.phone_number(),
    "url": lambda f: f.domain_name(),
    "color": lambda f: f.color_name(),
    "code": lambda f: f.bothify("??-####").upper(),
    "reference": lambda f: f.bothify("?##?##").upper(),
    "plate": lambda f: f.license_plate(),
    "word": lambda f: f.word(),
    "phrase": lambda f: f.catch_phrase(),
    "title": lambda f: " ".join(f.words(3)).title(),
}
ENGLISH = ("word", "phrase", "title", "job", "color", "country")
LOCALES = ["en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT", "nl_NL", "en_IN"]


def usable(text):
    """One line, without what JSON would have to escape."""
    return bool(text) and json.dumps(text, ensure_ascii=False) == f'"{text}"' and "\u2028" not in text


def drawn(size=SIZE, seed=1):
    from faker import Faker

    fake = Faker(LOCALES)
    Faker.seed(seed)
    pools = {}
    for kind, draw in KINDS.items():
        found = {draw(fake["en_US"] if kind in ENGLISH else fake) for _ in range(size)}
        pools[kind] = sorted(v for v in found if usable(v))
    return pools


def load(folder):
    with gzip.open(os.path.join(folder, "pools.json.gz"), "rt", encoding="utf-8") as f:
        return json.load(f)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="folder to which pools.json.gz goes")
    args = parser.parse_args()
    with gzip.open(os.path.join(args.data, "pools.json.gz"), "wt", encoding="utf-8") as f:
        json.dump(drawn(), f, ensure_ascii=False)


if __name__ == "__main__":
    main()
