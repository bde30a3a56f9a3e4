"""Tests of what is masked in training."""

import unittest

import needs

needs.packages("torch")

import torch

from masking import FAR, SPARE, mask_cells


def drawn(seed=0, rows=600, length=40):
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(3, 99, (rows, length), generator=generator)
    starts = torch.randint(1, 12, (rows,), generator=generator)
    ends = starts + torch.randint(1, 20, (rows,), generator=generator)
    return starts, ends, *mask_cells(ids, starts, ends, generator)


class Masks(unittest.TestCase):
    def test_every_row_asks_something_and_no_prompt_is_masked(self):
        starts, _, masked, _ = drawn()
        self.assertTrue(masked.any(1).all())
        self.assertFalse((masked & (torch.arange(40) < starts[:, None])).any())

    def test_some_rows_are_known_up_to_a_front_and_not_behind_it(self):
        starts, ends, masked, _ = drawn()
        fronts = 0
        for row, start, end in zip(masked.tolist(), starts.tolist(), ends.tolist()):
            first = row.index(True)
            fronts += start < first and end - first >= 3 and all(row[first : end + 1])
        self.assertGreater(fronts, 30)

    def test_others_have_known_cells_between_masked_ones(self):
        _, _, masked, _ = drawn()
        changes = (masked[:, 1:] != masked[:, :-1]).sum(1)
        self.assertGreater(int((changes > 6).sum()), 150)

    def test_cells_behind_the_end_count_little_and_those_far_behind_a_front_less(self):
        _, ends, _, weight = drawn()
        plain = fronts = 0
        for row, end in zip(weight, ends.tolist()):
            inside, spare = row[: end + 1], row[end + 1 :]
            self.assertTrue(torch.allclose(spare, inside.max() * SPARE))
            plain += bool(torch.allclose(inside, inside.max()))
            fronts += bool(inside[-1] < inside.max())
            self.assertTrue((inside[1:] <= inside[:-1] + 1e-6).all())
            self.assertGreaterEqual(float(inside[-1]), FAR * float(inside.max()) - 1e-6)
        self.assertGreater(plain, 200)
        self.assertGreater(fronts, 150)

    def test_rows_count_by_the_root_of_what_they_mask(self):
        _, _, masked, weight = drawn()
        worth = weight / weight.max(1).values[:, None]
        of_row = (weight * masked).sum(1)
        share = of_row / (worth * masked).sum(1).sqrt()
        self.assertTrue(torch.allclose(share, share[0].expand(600)))
        self.assertAlmostEqual(float(of_row.mean()), 1.0, places=4)


if __name__ == "__main__":
    unittest.main()
