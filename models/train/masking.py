"""Which cells of a training batch are masked, and what each counts.

LLaDA masks every cell with one probability; here high ones come more often, since a canvas of
which half is known is learned long before one of which nothing is. A decoder that goes from the
front meets other canvases: what stands before is known, what comes behind is not. Half of the
rows are such, so that both ways of decoding are at home; and some have masked runs, which teaches
filling in.

Where a value comes to stand far behind a front is open until the cells before it are filled: such
cells count less the farther they are, or what nobody can know would be most of the loss.

Cells behind the first end token are sure long before others are learned. They count little, or
they would be most of the loss of a canvas with room to spare.
"""

import torch

LEAST_T, HIGH = 0.1, 0.7
RUNS, FRONTS = 0.12, 0.5
NEAR = 16  # cells from the front, of which some are known already
KNOWN = 0.4  # share of fronts behind which some are
SPARE = 0.1
FAR, HALVED = 0.25, 6  # least worth of a cell behind a front, and in how many cells it halves


def mask_cells(ids, starts, ends, generator):
    """(masked, weight) of [rows, length] canvases from `starts`, whose first end tokens stand at
    `ends`. Weights of a row are those of its masked cells by the root of their number: by their
    mean, one cell of a row that masks no other would count as much as thirty together."""
    rows, length = ids.shape
    rand = lambda *shape: torch.rand(*shape, generator=generator)  # noqa: E731
    at = torch.arange(length)
    cells = at >= starts[:, None]
    # One t from each of `rows` equal strata: the same distribution with less noise.
    strata = (torch.randperm(rows, generator=generator) + rand(rows)) / rows
    t = LEAST_T + (1 - LEAST_T) * strata**HIGH
    masked = rand(rows, length) < t[:, None]
    lot = rand(rows)

    fronts = lot < FRONTS
    front = starts + (rand(rows) * (ends - starts + 1)).long()
    near = (at < (front + NEAR)[:, None]) & (rand(rows) < KNOWN)[:, None]
    open_to = torch.where(rand(rows) < 0.5, length, ends + (rand(rows) * NEAR).long())
    behind = (at >= front[:, None]) & (at <= torch.maximum(open_to, front)[:, None])
    masked = torch.where(fronts[:, None], behind & (masked | ~near), masked)

    for row in torch.nonzero((lot >= FRONTS) & (lot < FRONTS + RUNS)).flatten().tolist():
        masked[row] = runs(int(starts[row]), length, float(t[row]), generator)

    masked &= cells
    masked[torch.arange(rows), torch.where(masked.any(1), 0, ends)] |= ~masked.any(1)
    far = (at - front[:, None]).clamp(min=0) / HALVED
    worth = torch.where(fronts[:, None], torch.exp2(-far).clamp(min=FAR), 1.0)
    worth = torch.where(at > ends[:, None], SPARE, worth)
    in_row = (worth * masked).sum(1)
    return masked, worth / (in_row.sqrt() * in_row.sqrt().mean())[:, None]


def runs(start, length, t, generator):
    """One to three runs of cells, together about the share `t` of the canvas."""
    masked = torch.zeros(length, dtype=torch.bool)
    count = int(torch.randint(1, 4, (1,), generator=generator))
    size = max(1, int(t * (length - start) / count))
    for _ in range(count):
        at = start + int(torch.randint(length - start - size + 1, (1,), generator=generator))
        masked[at : at + size] = True
    return masked
