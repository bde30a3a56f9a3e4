// The embedding: x[position, ·] = table[id, ·]. A table that is split into parts is read by one
// dispatch for each part, which writes the rows of its own ids.

//#include weight_$(WEIGHT)
@group(0) @binding(1) var<storage, read> ids: array<u32>;
@group(0) @binding(4) var<storage, read_write> x: array<vec4<f32>>;

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) at: vec3<u32>) {
    let column4 = at.x;
    let position = at.y;
    if column4 >= shape.stride {
        return;
    }
    let row = ids[position] - shape.first_id;
    // An id below the part's first wraps around to a large number.
    if row < shape.ids {
        x[position * shape.stride + column4] = weight4(row, column4) * row_scale(row);
    }
}
