// Weights as int8, four in a word, with a scale for each row.

@group(0) @binding(2) var<storage, read> weight: array<u32>;
@group(0) @binding(3) var<storage, read> scale: array<f32>;

/// Four neighbouring weights of a row, without the row's scale.
fn weight4(row: u32, column4: u32) -> vec4<f32> {
    let word = vec4<u32>(weight[row * shape.weight_stride + column4]);
    let bytes = bitcast<vec4<i32>>(word << vec4<u32>(24u, 16u, 8u, 0u));
    return vec4<f32>(bytes >> vec4<u32>(24u));
}

fn row_scale(row: u32) -> f32 {
    return scale[row];
}
