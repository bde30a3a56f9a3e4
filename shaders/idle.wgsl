// A dispatch that does next to nothing, but has to wait for the one before it.

@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(1)
fn main() {
    y[0] += shape.addend;
}
