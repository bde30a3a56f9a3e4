// Rows picked out: y[row, ·] = x[picked[row] − first_row, ·].

@group(0) @binding(1) var<storage, read> picked: array<u32>;
@group(0) @binding(2) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> y: array<vec4<f32>>;

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) at: vec3<u32>) {
    let column4 = at.x;
    let row = at.y;
    if column4 < shape.stride {
        let from_row = picked[shape.first_picked + row] - shape.first_row;
        y[row * shape.stride + column4] = x[from_row * shape.stride + column4];
    }
}
