// Gumbel noise from a counter; the twin of lacuna_logits::gumbel.

/// The natural logarithm of a normal number above 0, to a few units in the last place also near
/// 1, where WGSL promises for `log` no more than an absolute error of 2⁻²¹.
fn ln(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    // x = mantissa · 2^exponent, the mantissa within 2/3 and 4/3.
    let exponent = (bitcast<i32>(bits - 0x3f2aaaabu)) >> 23u;
    let mantissa = bitcast<f32>(bits - (bitcast<u32>(exponent) << 23u));
    // ln m = 2 artanh((m - 1) / (m + 1)), of which eleven powers are seen in 32 bits.
    let a = (mantissa - 1.0) / (mantissa + 1.0);
    let a2 = a * a;
    let series = a2 * (1.0 / 3.0 + a2 * (1.0 / 5.0 + a2 * (1.0 / 7.0 + a2 * (1.0 / 9.0 + a2 / 11.0))));
    return f32(exponent) * 0.6931471805599453 + 2.0 * (a + a * series);
}

fn pcg4d(seed: vec4<u32>) -> u32 {
    var v = seed * 1664525u + 1013904223u;
    v.x += v.y * v.w;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v.w += v.y * v.z;
    v ^= v >> vec4<u32>(16u);
    v.x += v.y * v.w;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v.w += v.y * v.z;
    return v.x;
}

fn gumbel(position: u32, token: u32) -> f32 {
    let place = (shape.step << 16u) ^ position;
    let hash = pcg4d(vec4<u32>(shape.seed_low, shape.seed_high, place, token));
    let uniform_value = (f32(hash >> NOISE_SHIFT) + 0.5) / f32(NOISE_VALUES);
    return -ln(-ln(uniform_value));
}
