"""Judges xml.lark by expat, through Python's pyexpat."""

import random
import re

import pyexpat

import judging

ELEMENTS = "article section title p em code list item link".split()


def verdict(text):
    parser = pyexpat.ParserCreate()
    try:
        parser.Parse(text.encode(), True)
    except (pyexpat.ExpatError, LookupError, ValueError):
        return False
    return True


def classify(text, judge):
    """By the tags that expat reports, where it takes the text."""
    if not judge:
        if re.search(r"[^\x00-\x7f]", "".join(re.findall(r"[<\s?]([^\s<>=/?]+)", text))):
            return "a name by the fifth edition's rules, which expat does not follow"
        parser = pyexpat.ParserCreate()
        try:
            parser.Parse(text.encode(), True)
        except pyexpat.ExpatError as error:
            if error.code == pyexpat.errors.codes[pyexpat.errors.XML_ERROR_DUPLICATE_ATTRIBUTE]:
                return "an attribute given twice"
        return None
    seen = {"names": set(), "doctype": False, "declaration": None}
    parser = pyexpat.ParserCreate()
    parser.StartElementHandler = lambda name, attributes: seen["names"].add(name)
    parser.StartDoctypeDeclHandler = lambda *rest: seen.update(doctype=True)
    parser.XmlDeclHandler = lambda *rest: seen.update(declaration=rest)
    parser.Parse(text.encode(), True)
    if seen["doctype"]:
        return "a document type declaration"
    if seen["names"] - set(ELEMENTS):
        return "an element that is not in the list"
    if seen["declaration"]:
        version, encoding, _ = seen["declaration"]
        if version != "1.0":
            return "another version of XML"
        if encoding and encoding.lower() != "utf-8":
            return "another encoding"
    return None


def element(rng, depth):
    name = rng.choice(ELEMENTS)
    attributes = "".join(
        f' {key}{rng.choice(["=", " = "])}{rng.choice(VALUES)}'
        for key in rng.sample(["id", "xml:lang", "href", "data-n", "_a.b"], rng.randrange(3))
    )
    blank = rng.choice(["", "", " ", "\n"])
    if rng.random() < 0.25:
        return f"<{name}{attributes}{blank}/>"
    parts = [piece(rng, depth) for _ in range(rng.randrange(4 if depth else 2))]
    return f"<{name}{attributes}{blank}>{''.join(parts)}</{name}{blank}>"


VALUES = ['"1"', "'a\"b'", '"a&amp;b"', '"&#65;"', "'x > y'", '""', '"名"']
TEXTS = ["text", " ", "\n", "a ]] b", "]]&gt;", "&lt;", "&#x1F600;", "&apos;", "é", "]", "x > y"]
MARKUP = ["<!-- - a comment -->", "<!---->", "<?pi data?>", "<?x?>", "<![CDATA[<&]]]]>"]
PROLOGS = [
    '<?xml version="1.0"?>',
    "<?xml version='1.0' encoding='UTF-8'?>\n",
    '<?xml version="1.0" standalone="yes" ?>',
    "\ufeff",
    "\n",
    "<!--x-->",
    "<?pi?>",
]


def piece(rng, depth):
    if depth and rng.random() < 0.5:
        return element(rng, depth - 1)
    return rng.choice(TEXTS + MARKUP)


def texts():
    rng = random.Random(1)
    found = judging.shipped("xml") + ["<p id='1' id='2'/>", '<p \U00010000="1"/>', "<p><?\u2c2f?></p>"]
    for _ in range(300):
        prolog = rng.choice(PROLOGS) if rng.random() < 0.3 else ""
        found.append(prolog + element(rng, rng.randrange(4)) + rng.choice(["", "", "\n"]))
    pieces = list("<>/&;\"'=!-?[]# pq1\t\x01") + ["<p>", "</p>", "<em/>", "]]>", "--", "&amp;"]
    pieces += ["&#0;", "&#x110000;", "&#55296;", ' id="2"', "<!--", "-->", "\ufffe", "<?xml ?>"]
    return judging.with_mutants(found, pieces, 1500)


judging.judge("xml.lark", texts(), verdict, classify)
