// Root mean square normalisation, one workgroup a row:
// y[r, i] = x[r, i] * weight[i] / sqrt(mean(x[r, ·]²) + epsilon).
// CPU twin: lacuna_model::kernels::rms_norm.

override workgroup_width: u32;

struct Shape {
    rows: u32,
    width: u32,
    epsilon: f32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> weight: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;

var<workgroup> partial: array<f32, workgroup_width>;

@compute @workgroup_size(workgroup_width)
fn rms_norm(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let lane = local.x;
    let first = group.x * shape.width;
    var sum = 0.0;
    for (var i = lane; i < shape.width; i += workgroup_width) {
        sum += x[first + i] * x[first + i];
    }
    partial[lane] = sum;
    workgroupBarrier();
    for (var half = workgroup_width / 2u; half > 0u; half /= 2u) {
        if lane < half {
            partial[lane] += partial[lane + half];
        }
        workgroupBarrier();
    }
    let scale = inverseSqrt(partial[0] / f32(shape.width) + shape.epsilon);
    for (var i = lane; i < shape.width; i += workgroup_width) {
        y[first + i] = x[first + i] * scale * weight[i];
    }
}
