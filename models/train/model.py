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


class Layer(nn.Module):
    """A first layer (`shared` given) starts with heads that look at neighbours; a later one with
    queries equal to keys (look where the same thing stands) and values carried home unchanged.
    Together that is most of what copying needs, and it is found in minutes instead of hours."""

    def __init__(self, c, shared=None):
        super().__init__()
        self.c = c
        inner = c.num_heads * c.head_dim

        def matrix(rows, cols):
            return nn.Parameter(torch.randn(rows, cols) * cols**-0.5)

        self.qk_proj = matrix(2 * inner, c.hidden_size)
        self.v_proj = matrix(inner, c.hidden_size)
        self.o_proj = matrix(c.hidden_size, inner)
        self.gate_proj = matrix(c.intermediate_size, c.hidden_size)
        self.up_proj = matrix(c.intermediate_size, c.hidden_size)
        self.down_proj = nn.Parameter(torch.zeros(c.hidden_size, c.intermediate_size))
        with torch.no_grad():
            if shared is not None:
                self.qk_proj.mul_(0.2).add_(torch.cat(positional_heads(c, shared)))
                self.o_proj.mul_(0.3)
            else:
                q, k = self.qk_proj.chunk(2)
                q.copy_(k)
                self.o_proj.copy_(0.3 * self.v_proj.t())

    def attend(self, x, turn):
        c = self.c
        length, rows, _ = x.shape

        def heads(t):  # [length, rows, heads * dim] -> [rows * heads, length, dim]
            return t.reshape(length, rows * c.num_heads, c.head_dim).transpose(0, 1)

        qk = F.linear(x, self.qk_proj.to(x.dtype)).view(length, -1, c.head_dim)
        q, k = torch.bmm(qk, turn).view(length, rows, -1).chunk(2, dim=-1)
        v = F.linear(x, self.v_proj.to(x.dtype))
        scores = torch.bmm(heads(q * c.head_dim**-0.5), heads(k).transpose(1, 2))
        mixed = torch.bmm(scores.softmax(-1), heads(v))
        mixed = mixed.transpose(0, 1).reshape(length, rows, -1)
        return F.linear(mixed, self.o_proj.to(x.dtype))

    def forward(self, x, turn):
        eps = self.c.rms_norm_eps
        x = x + self.attend(RmsNorm.apply(x, eps), turn)
        h = RmsNorm.apply(x, eps)
        gate = F.linear(h, self.gate_proj.to(x.dtype))
        up = F.linear(h, self.up_proj.to(x.dtype))
        return x + F.linear(SwiGlu.apply(gate, up), self.down_proj.to(x.dtype))


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
        self.turns = {}

    def forward(self, ids, where=None):
        """Logits for token ids [rows, length]: at the flat positions `where`, counted in
        [length, rows] order, or everywhere as [rows, length, vocabulary]."""
        rows, length = ids.shape
        if length not in self.turns:
            turn = rotations(length, self.c.head_dim, self.c.rope_theta)
            self.turns[length] = turn.to(self.dtype)
        table = self.embed_tokens.to(self.dtype)
        x = F.embedding(ids.t(), table)
        for layer in self.layers:
            x = layer(x, self.turns[length])
        flat = x.reshape(rows * length, -1)
        if where is not None:
            flat = flat[where]
        logits = F.linear(RmsNorm.apply(flat, self.c.rms_norm_eps) * self.norm.to(self.dtype), table)
        return logits if where is not None else logits.view(length, rows, -1).transpose(0, 1)
