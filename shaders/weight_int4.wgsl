// Weights as int4, eight in a word, with a scale and a minimum (two halves in a word) for each
// group of 32 columns.

@group(0) @binding(2) var<storage, read> weight: array<u32>;
@group(0) @binding(3) var<storage, read> scale: array<u32>;

/// Four neighbouring weights of a row.
fn weight4(row: u32, column4: u32) -> vec4<f32> {
    let at = row * shape.weight_stride + column4;
    let word = weight[at / 2u] >> ((at & 1u) * 16u);
    let nibbles = (vec4<u32>(word) >> vec4<u32>(0u, 4u, 8u, 12u)) & vec4<u32>(15u);
    let scale_and_minimum = unpack2x16float(scale[at / 8u]);
    return vec4<f32>(nibbles) * scale_and_minimum.x + scale_and_minimum.y;
}

fn row_scale(row: u32) -> f32 {
    return 1.0;
}
