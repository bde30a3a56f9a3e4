// Weights as they are in a checkpoint that was not quantised.

@group(0) @binding(2) var<storage, read> weight: array<vec4<f32>>;

/// Four neighbouring weights of a row.
fn weight4(row: u32, column4: u32) -> vec4<f32> {
    return weight[row * shape.weight_stride + column4];
}

fn row_scale(row: u32) -> f32 {
    return 1.0;
}
