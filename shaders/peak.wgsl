// The plain f32 rate of a card: fused multiply-adds between registers, in chains that do not
// wait for each other, and one write in the end so that none of it is left out.

@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) at: vec3<u32>) {
    let factor = vec4<f32>(0.5 + 0.01 * f32(at.x % 7u));
    let addend = vec4<f32>(0.01 * f32(at.x % 5u));
//#for i in CHAINS
    var sum_$(i) = vec4<f32>(f32(at.x % 3u) + f32($(i)));
//#end
    for (var round = 0u; round < shape.rounds; round++) {
//#for i in CHAINS
        sum_$(i) = fma(sum_$(i), factor, addend);
//#end
    }
    var sum = vec4<f32>();
//#for i in CHAINS
    sum += sum_$(i);
//#end
    y[at.x] = sum.x + sum.y + sum.z + sum.w;
}
