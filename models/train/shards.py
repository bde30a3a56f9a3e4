"""A model's weights in its folder: `model.safetensors`, or parted between tensors in Hugging Face's
way, `model-00001-of-00003.safetensors` and so on, with `model.safetensors.index.json`."""

import json
import os
import re

from safetensors.numpy import load_file, save_file

SHARD_BYTES = 16_000_000
WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
HEADER = 256  # bytes of a file's header for a tensor, and for none, at most


def write_weights(tensors, folder, most=SHARD_BYTES):
    """One file, or shards of at most `most` bytes each (or of one tensor) with an index, in place
    of those that are there."""
    for name in os.listdir(folder):
        if name in (WEIGHTS, INDEX) or re.fullmatch(r"model-\d+-of-\d+\.safetensors", name):
            os.remove(os.path.join(folder, name))
    shards, room = [{}], most - HEADER
    for name, value in tensors.items():
        if value.nbytes + HEADER > room and shards[-1]:
            shards.append({})
            room = most - HEADER
        shards[-1][name] = value
        room -= value.nbytes + HEADER
    if len(shards) == 1:
        save_file(tensors, os.path.join(folder, WEIGHTS), metadata={"format": "pt"})
        return
    index = {}
    for n, shard in enumerate(shards):
        name = f"model-{n + 1:05}-of-{len(shards):05}.safetensors"
        save_file(shard, os.path.join(folder, name), metadata={"format": "pt"})
        index |= dict.fromkeys(shard, name)
    total = sum(value.nbytes for value in tensors.values())
    with open(os.path.join(folder, INDEX), "w") as f:
        json.dump({"metadata": {"total_size": total}, "weight_map": index}, f, indent=1)
        f.write("\n")


def read_weights(folder):
    """Name -> array as it is stored."""
    whole = os.path.join(folder, WEIGHTS)
    if os.path.exists(whole):
        return load_file(whole)
    with open(os.path.join(folder, INDEX)) as f:
        index = json.load(f)["weight_map"]
    tensors = {}
    for shard in sorted(set(index.values())):
        if os.path.basename(shard) != shard:
            raise ValueError(f"{INDEX}: {shard!r} is no file beside it")
        more = load_file(os.path.join(folder, shard))
        if twice := tensors.keys() & more.keys():
            raise ValueError(f"{shard}: {min(twice)} is in another shard, too")
        tensors |= more
    if missing := index.keys() - tensors.keys():
        raise ValueError(f"{INDEX}: {min(missing)} is in no shard")
    return tensors
