// The rotary embedding, in place: dimensions d and d + width / 2 of each head are turned by the
// angle of d at the row's position, after the head's RMS norm where the model has one
// (HEAD_NORM). One workgroup a head of a row; heads below `query_heads` have the first of the
// two norms, the others the second.

@group(0) @binding(1) var<storage, read> positions: array<u32>;
@group(0) @binding(2) var<storage, read> turns: array<vec2<f32>>;
@group(0) @binding(3) var<storage, read> norm: array<f32>;
@group(0) @binding(4) var<storage, read_write> heads: array<Number>;

//#if HEAD_NORM
var<workgroup> square_sums: array<f32, THREADS>;
//#end

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let head = shape.first_head + group.x;
    let start = (shape.first_row + group.y) * shape.stride + head * shape.head_stride;
    let turn = positions[shape.first_position + group.y] * shape.half_width;
    var scale = 1.0;
//#if HEAD_NORM
    var squares = 0.0;
    for (var d = lane; d < shape.half_width; d += THREADS) {
        let low = f32(heads[start + d]);
        let high = f32(heads[start + d + shape.half_width]);
        squares += low * low + high * high;
    }
    square_sums[lane] = squares;
    workgroupBarrier();
    squares = 0.0;
    for (var other = 0u; other < THREADS; other++) {
        squares += square_sums[other];
    }
    scale = inverseSqrt(squares / f32(2u * shape.half_width) + shape.epsilon);
    let norm_at = select(2u * shape.half_width, 0u, head < shape.query_heads);
//#end
    for (var d = lane; d < shape.half_width; d += THREADS) {
        let at = start + d;
        var low = f32(heads[at]) * scale;
        var high = f32(heads[at + shape.half_width]) * scale;
//#if HEAD_NORM
        low *= norm[norm_at + d];
        high *= norm[norm_at + d + shape.half_width];
//#end
        let cos_sin = turns[turn + d];
        heads[at] = Number(low * cos_sin.x - high * cos_sin.y);
        heads[at + shape.half_width] = Number(high * cos_sin.x + low * cos_sin.y);
    }
}
