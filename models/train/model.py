"""The masked diffusion transformer: bidirectional, RMSNorm, RoPE, SwiGLU, tied embedding.

Written for training on CPUs with bf16 units: parameters are float32 masters, every matrix product
runs in bf16, and activations lie sequence first, so that the rotary embedding is one batched
product with a rotation matrix per position instead of a handful of elementwise passes. The norms
inside the layers have no weights to learn (they would fold into the matrices); the exporter
writes ones.
"""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F


@dataclass
class Config:
    vocab_size: int = 2048
    hidden_size: int = 256
    num_layers: int = 6
    num_heads: int = 4
    head_dim: int = 64
    intermediate_size: int = 704
    rms_norm_eps: float = 1e-5
    rope_theta: float = 10000.0
    num_kv_heads: int = None  # as many as num_heads unless said

    def __post_init__(self):
        self.num_kv_heads = self.num_kv_heads or self.num_heads


class RmsNorm(torch.autograd.Function):
    """x / rms(x) over the last axis, with a backward pass of few sweeps."""

    @staticmethod
    def forward(ctx, x, eps):
        scale = torch.rsqrt(x.square().mean(-1, keepdim=True, dtype=torch.float32) + eps)
        scale = scale.to(x.dtype)
        y = x * scale
        ctx.save_for_backward(y, scale)
        return y

    @staticmethod
    def backward(ctx, grad):
        y, scale = ctx.saved_tensors
        along = (grad * y).mean(-1, keepdim=True)
        return torch.addcmul(grad, y, along, value=-1).mul_(scale), None


class SwiGlu(torch.autograd.Function):
    """silu(gate) * up; PyTorch 1.13's own bf16 silu is several times slower on a CPU."""

    @staticmethod
    def forward(ctx, gate, up):
        sigmoid = torch.sigmoid(gate)
        silu = gate * sigmoid
        ctx.save_for_backward(up, sigmoid, silu)
        return silu * up

    @staticmethod
    def backward(ctx, grad):
        up, sigmoid, silu = ctx.saved_tensors
        # d silu = sigmoid + silu * (1 - sigmoid)
        slope = torch.addcmul(sigmoid + silu, silu, sigmoid, value=-1)
        return slope.mul_(up).mul_(grad), grad * silu


POSITIONS = 512  # the longest canvas that a model takes, `max_position_embeddings` as it ships


def rotations(length, head_dim, theta):
    """[length, head_dim, head_dim]: row vector times matrix p rotates it to position p, pairing
    dimension i with i + head_dim / 2 (Hugging Face's rotate_half)."""
    half = head_dim // 2
    angles = torch.outer(
        torch.arange(length, dtype=torch.float64),
        theta ** (-torch.arange(half, dtype=torch.float64) / half),
    )
    turn = torch.zeros(length, head_dim, head_dim, dtype=torch.float64)
    i = torch.arange(half)
    turn[:, i, i] = turn[:, i + half, i + half] = angles.cos()
    turn[:, i, i + half] = angles.sin()
    turn[:, i + half, i] = -angles.sin()
    return turn.float()


def fused(x):
    """Whether attention is one kernel. PyTorch 1.13, which is pinned for processors, has none."""
    return x.is_cuda


def positional_heads(c, shared, gain=0.75, turning=8):
    """(queries, keys) whose heads look at fixed neighbours: one cell back, one on, two back, ...

    Both read the direction that all embeddings share, on the fastest-turning rotary pairs, the
    query turned ahead by the neighbour's offset: the score peaks there whatever the tokens."""
    angles = c.rope_theta ** (-torch.arange(c.head_dim // 2) / (c.head_dim // 2))
    active = (torch.arange(c.head_dim // 2) < turning).float() * gain
    queries, keys = [], []
    for head in range(c.num_heads):
        offset = (head // 2 + 1) * (-1 if head % 2 == 0 else 1)
        turn = angles * offset
        queries.append(torch.cat([active * turn.cos(), active * turn.sin()]))
        keys.append(torch.cat([active, torch.zeros_like(active)]))
    return torch.outer(torch.cat(queries), shared), torch.outer(torch.cat(keys), shared)


GROUP = 32


def straight_through(w, rounded):
    """The rounded values forward, the gradient as if nothing had been rounded."""
    return w + (rounded - w).detach()


def int4_rounded(w):
    """What int4 keeps of a matrix: for each 32 neighbouring columns 16 steps from the least to
    the largest weight, scale and minimum as halves."""
    groups = w.detach().reshape(-1, GROUP)
    low, high = groups.amin(1, keepdim=True), groups.amax(1, keepdim=True)
    scale, low = ((high - low) / 15).half().float(), low.half().float()
    steps = ((groups - low) / scale.clamp(min=1e-8)).round_().clamp_(0, 15)
    return straight_through(w, (steps * scale + low).view_as(w))


def int8_rounded(w):
    """What int8 keeps of a matrix: the largest entry of each row becomes +-127."""
    fixed = w.detach()
    scale = fixed.abs().amax(1, keepdim=True).clamp(min=1e-12) / 127
    return straight_through(w, (fixed / scale).round_() * scale)


class Layer(nn.Module):
    """A first layer (`shared` given) starts with heads that look at neighbours; a later one with
    queries equal to keys (look where the same thing stands) and values carried home unchanged.
    Together that is most of what copying needs, and it is found in minutes instead of hours."""

    def __init__(self, c, shared=None):
        super().__init__()
        self.c, self.rounding = c, False
        inner, shared_inner = c.num_heads * c.head_dim, c.num_kv_heads * c.head_dim

        def matrix(rows, cols):
            return nn.Parameter(torch.randn(rows, cols) * cols**-0.5)

        self.qk_proj = matrix(inner + shared_inner, c.hidden_size)
        self.v_proj = matrix(shared_inner, c.hidden_size)
        self.o_proj = matrix(c.hidden_size, inner)
        self.gate_proj = matrix(c.intermediate_size, c.hidden_size)
        self.up_proj = matrix(c.intermediate_size, c.hidden_size)
        self.down_proj = nn.Parameter(torch.zeros(c.hidden_size, c.intermediate_size))
        with torch.no_grad():
            if shared is not None:
                queries, keys = positional_heads(c, shared)
                self.qk_proj.mul_(0.2).add_(torch.cat([queries, keys[:shared_inner]]))
                self.o_proj.mul_(0.3)
            else:
                q, k = self.qk_proj.split((inner, shared_inner))
                q.copy_(self.per_query_head(k, 0))
                home = 0.3 * c.num_kv_heads / c.num_heads
                self.o_proj.copy_(home * self.per_query_head(self.v_proj, 0).t())

    def per_query_head(self, x, axis):
        """Keys or values once for each query head that shares them."""
        c = self.c
        if c.num_kv_heads == c.num_heads:
            return x
        parted = x.unflatten(axis, (c.num_kv_heads, c.head_dim))
        axis %= x.dim()
        return parted.repeat_interleave(c.num_heads // c.num_kv_heads, axis).flatten(axis, axis + 1)

    def weight(self, name, dtype):
        """A matrix as the products see it: rounded to int4 in the last stage of training."""
        w = getattr(self, name)
        return (int4_rounded(w) if self.rounding else w).to(dtype)

    def attend(self, x, turn):
        c = self.c
        length, rows, _ = x.shape
        inner = c.num_heads * c.head_dim

        def heads(t):  # [length, rows, heads * dim] -> [rows * heads, length, dim]
            return t.reshape(length, rows * c.num_heads, c.head_dim).transpose(0, 1)

        qk = F.linear(x, self.weight("qk_proj", x.dtype)).view(length, -1, c.head_dim)
        q, k = torch.bmm(qk, turn).view(length, rows, -1).split((inner, c.num_kv_heads * c.head_dim), -1)
        v = F.linear(x, self.weight("v_proj", x.dtype))
        q, k, v = heads(q), heads(self.per_query_head(k, -1)), heads(self.per_query_head(v, -1))
        if fused(x):
            # Given three dimensions, it is written out as below: the kernels take four.
            q, k, v = (t.unflatten(0, (rows, c.num_heads)) for t in (q, k, v))
            return F.scaled_dot_product_attention(q, k, v).permute(2, 0, 1, 3).flatten(2)
        mixed = torch.bmm(torch.bmm(q * c.head_dim**-0.5, k.transpose(1, 2)).softmax(-1), v)
        return mixed.transpose(0, 1).reshape(length, rows, -1)

    def forward(self, x, turn, where=None):
        """All cells, or flat those at `where`: of a last layer no others are wanted."""
        eps = self.c.rms_norm_eps
        mixed = self.attend(RmsNorm.apply(x, eps), turn)
        if where is not None:
            x, mixed = (t.flatten(0, 1).index_select(0, where) for t in (x, mixed))
        x = x + F.linear(mixed, self.weight("o_proj", x.dtype))
        h = RmsNorm.apply(x, eps)
        gate = F.linear(h, self.weight("gate_proj", x.dtype))
        up = F.linear(h, self.weight("up_proj", x.dtype))
        return x + F.linear(SwiGlu.apply(gate, up), self.weight("down_proj", x.dtype))


class MaskedDiffusionTransformer(nn.Module):
    """`dtype` is what activations and products run in: bf16 to train, float32 to check."""

    def __init__(self, c, dtype=torch.bfloat16):
        super().__init__()
        self.c, self.dtype = c, dtype
        # A wide embedding under a small final norm: a token's identity stays strong in the
        # residual stream (copying needs it) while the tied logits start small.
        # The direction that all embeddings share cancels in the softmax; see positional_heads.
        shared = F.normalize(torch.randn(c.hidden_size), dim=0)
        table = torch.randn(c.vocab_size, c.hidden_size) * 0.3 + shared * 3.0
        self.embed_tokens = nn.Parameter(table)
        self.norm = nn.Parameter(torch.full((c.hidden_size,), 0.1))
        self.layers = nn.ModuleList(
            Layer(c, None if n else shared) for n in range(c.num_layers)
        )
        # Not saved, as it follows from the configuration; one buffer for all lengths, since
        # torch.compile would compile anew for each length that had a tensor of its own.
        turns = rotations(POSITIONS, c.head_dim, c.rope_theta)
        self.register_buffer("turns", turns, persistent=False)
        self.rounding = False

    def round_weights(self, rounding):
        """Whether products see matrices as they will ship: int4, and int8 for the embedding."""
        for part in (self, *self.layers):
            part.rounding = rounding

    def forward(self, ids, where=None):
        """Logits for token ids [rows, length]: at the flat positions `where`, counted in
        [length, rows] order, or everywhere as [rows, length, vocabulary]."""
        rows, length = ids.shape
        if length > POSITIONS:
            raise ValueError(f"{length} cells: a canvas has {POSITIONS} at most")
        turn = self.turns[:length].to(self.dtype)
        table = int8_rounded(self.embed_tokens) if self.rounding else self.embed_tokens
        table = table.to(self.dtype)
        x = F.embedding(ids.t(), table)
        last = len(self.layers) - 1
        for n, layer in enumerate(self.layers):
            x = layer(x, turn, where if n == last else None)
        logits = F.linear(RmsNorm.apply(x, self.c.rms_norm_eps) * self.norm.to(self.dtype), table)
        return logits if where is not None else logits.view(length, rows, -1).transpose(0, 1)
