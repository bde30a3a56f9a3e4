"""Tests of the data code on inline examples: python3 -m unittest, no data sets needed.

Only `BatchTest` needs torch and tokenizers; it is skipped where they are missing.
"""

import json
import random
import unittest

import data

try:
    import torch

    import tokenizer as tok
    import train
except ImportError:
    torch = None


def example():
    pieces = [("play ", None), ("Yo Ho", "track"), (" by ", None), ("Zyx", "artist")]
    return data.Example("PlayMusic", pieces)


def words():
    scheduled = data.Example(
        "FindBus",
        [("a bus to ", None), ("Fresno", "to_city"), (" please", None)],
        (["FindBus", "BuyTicket"], ["from_city", "to_city", "date"]),
    )
    return data.Words([example(), scheduled]), scheduled


class PiecesTest(unittest.TestCase):
    def test_snips_values_are_trimmed_and_the_request_kept(self):
        parts = [{"text": "play "}, {"text": " Yo Ho ", "entity": "track"}, {"text": "now"}]
        pieces = data.snips_pieces(parts)
        self.assertIn(("Yo Ho", "track"), pieces)
        self.assertEqual("".join(t for t, _ in pieces), "play  Yo Ho now")

    def test_values_that_json_would_escape_are_refused(self):
        self.assertIsNone(data.snips_pieces([{"text": 'a "b"', "entity": "track"}]))
        self.assertTrue(data.usable("Åland"))
        self.assertFalse(data.usable("back\\slash"))

    def test_a_repeated_slot_keeps_its_first_value(self):
        twice = data.Example("I", [("a", "s"), (" ", None), ("b", "s")])
        self.assertEqual(twice.slots(), {"s": "a"})

    def test_locate_keeps_the_casing_of_the_request(self):
        pieces = data.locate("Going to SAN JOSE today", {"city": "San Jose"})
        self.assertEqual(
            pieces, [("Going to ", None), ("SAN JOSE", "city"), (" today", None)]
        )

    def test_locate_wants_word_boundaries_and_disjoint_values(self):
        self.assertIsNone(data.locate("a thousand", {"n": "thou"}))
        self.assertIsNone(data.locate("only 2", {"a": "2", "b": "2"}))
        found = data.locate("2 of 2", {"a": "2", "b": "2"})
        self.assertEqual([s for _, s in found], ["a", None, "b"])


class PresentTest(unittest.TestCase):
    def test_snips_slots_are_alphabetical(self):
        prompt, answer = data.present(example(), random.Random(0), snips_as_schema=0)
        self.assertEqual(prompt, "snips\nplay Yo Ho by Zyx")
        self.assertEqual(
            data.compact(answer), '{"intent":"PlayMusic","artist":"Zyx","track":"Yo Ho"}'
        )

    def test_schema_slots_follow_the_task_line(self):
        rng = random.Random(1)
        for _ in range(50):
            prompt, answer = data.present(example(), rng, snips_as_schema=1)
            listed = prompt.split("\n")[0].split(": ")[1].split(" ")
            keys = list(answer)[1:]
            self.assertEqual(keys, [s for s in listed if s in keys])

    def test_a_schema_prompt_holds_what_is_needed(self):
        _, scheduled = words()
        rng = random.Random(2)
        for _ in range(50):
            prompt, answer = data.present(scheduled, rng)
            self.assertIn("to_city", prompt.split("\n")[0])
            self.assertEqual(answer, {"intent": "FindBus", "to_city": "Fresno"})

    def test_every_value_stands_in_the_request(self):
        bank, scheduled = words()
        rng = random.Random(3)
        makers = (
            lambda: data.plain_copy(bank, rng),
            lambda: data.synthetic(bank, rng, hard=1.0),
            lambda: data.swap_values(scheduled, bank, rng),
            lambda: data.swap_values(example(), bank, rng),
        )
        for make in makers:
            for _ in range(100):
                prompt, answer = data.present(make(), rng)
                request = prompt.split("\n", 1)[1]
                for value in list(answer.values())[1:]:
                    self.assertIn(value, request)
                self.assertEqual(json.loads(data.compact(answer)), answer)


class MixtureTest(unittest.TestCase):
    def test_lessons_go_from_copies_to_real_requests(self):
        bank, scheduled = words()
        mixture = data.Mixture([example()], [scheduled], bank, seed=0)
        invented = [sum(mixture.shares(c)) for c in (0.0, 0.6, 0.9)]
        self.assertEqual(invented, sorted(invented, reverse=True))
        for copying in (0.0, 0.6, 0.9):
            for _ in range(50):
                prompt, answer = mixture.draw(copying)
                self.assertIn("intent", answer)
                self.assertEqual(prompt.count("\n"), 1)


@unittest.skipIf(torch is None, "torch and tokenizers are not installed")
class BatchTest(unittest.TestCase):
    def test_rows_are_full_and_only_answers_are_masked(self):
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers

        alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
        vocab = {t: n for n, t in enumerate(tok.SPECIAL + alphabet)}
        characters = Tokenizer(models.BPE(vocab, []))
        characters.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        characters.decoder = decoders.ByteLevel()
        bank, scheduled = words()
        mixture = data.Mixture([example()], [scheduled], bank, seed=0)
        stream = train.batches(mixture, characters, 512, lambda: 0.9)
        generator = torch.Generator().manual_seed(0)
        for _ in range(20):
            ids, starts = next(stream)
            rows, length = ids.shape
            self.assertEqual((rows, length % train.BUCKET), (512 // length, 0))
            masked, weight = train.mask_cells(ids, starts, generator)
            for row in range(rows):
                start = int(starts[row])
                self.assertEqual(int(ids[row, start - 1]), tok.SEP)
                self.assertFalse(bool(masked[row, :start].any()))
                answer = ids[row, start:].tolist()
                end = answer.index(tok.END)
                self.assertEqual(set(answer[end:]), {tok.END})
                self.assertIn("intent", json.loads(characters.decode(answer[:end])))
                self.assertGreater(float(weight[row]), 0)


if __name__ == "__main__":
    unittest.main()
