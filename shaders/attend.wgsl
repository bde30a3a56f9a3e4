// Attention of some positions to every position, with the softmax computed as the keys go by
// (Milakov and Gimelshein 2018, Dao et al. 2022): nothing of the size of queries × keys exists.
//
// A workgroup has one head and BLOCK_QUERIES queries, and walks over the keys in blocks of
// BLOCK_KEYS; its LANES × LANES threads share the scores of a block, then the dimensions of the result,
// as the tiles of a matrix product. Keys and values of a block take turns in the same workgroup
// memory. A head is HEAD4 vectors long; what pads it is zero.

@group(0) @binding(1) var<storage, read> queries: array<vec4<Number>>;
@group(0) @binding(2) var<storage, read> pairs: array<vec4<Number>>;
@group(0) @binding(3) var<storage, read_write> mixed: array<vec4<Number>>;

const TILE_STRIDE: u32 = HEAD4 + 1u;
const WEIGHT_STRIDE: u32 = BLOCK_KEYS + 1u;
// Below every score, and finite, so that differences are numbers.
const LOWEST: f32 = -1e30;

var<workgroup> query_tile: array<vec4<Number>, BLOCK_QUERIES * TILE_STRIDE>;
var<workgroup> pair_tile: array<vec4<Number>, BLOCK_KEYS * TILE_STRIDE>;
var<workgroup> weights: array<f32, BLOCK_QUERIES * WEIGHT_STRIDE>;
var<workgroup> lane_values: array<f32, BLOCK_QUERIES * LANES>;

/// Brings the part of a block of keys or values that is this thread's.
fn bring(first_key: u32, column4: u32, lane: u32) {
    for (var e = lane; e < BLOCK_KEYS * HEAD4; e += THREADS) {
        let key = min(first_key + e / HEAD4, shape.keys - 1u);
        pair_tile[(e / HEAD4) * TILE_STRIDE + e % HEAD4] =
            pairs[key * shape.pair_stride + column4 + e % HEAD4];
    }
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let lane_x = lane % LANES;
    let lane_y = lane / LANES;
    let head = group.y;
    let first_query = group.x * BLOCK_QUERIES;
    let key_column = shape.first_key_column + (head / shape.heads_per_pair) * HEAD4;
    let value_column = key_column + shape.value_offset;

    for (var e = lane; e < BLOCK_QUERIES * HEAD4; e += THREADS) {
        let query = shape.first_query_row + min(first_query + e / HEAD4, shape.queries - 1u);
        query_tile[(e / HEAD4) * TILE_STRIDE + e % HEAD4] =
            queries[query * shape.query_stride + head * HEAD4 + e % HEAD4];
    }
//#for i in THREAD_QUERIES
    let query_$(i) = lane_y + $(i)u * LANES;
    var highest_$(i) = LOWEST;
    var total_$(i) = 0.0;
//#for v in THREAD_VALUES
    var mixed_$(i)_$(v) = vec4<f32>();
//#end
//#end

    for (var first_key = 0u; first_key < shape.keys; first_key += BLOCK_KEYS) {
        bring(first_key, key_column, lane);
        workgroupBarrier();

//#for i in THREAD_QUERIES
//#for j in THREAD_KEYS
        var score_$(i)_$(j) = 0.0;
//#end
//#end
        for (var d = 0u; d < HEAD4; d++) {
//#for i in THREAD_QUERIES
            let q_$(i) = vec4<f32>(query_tile[query_$(i) * TILE_STRIDE + d]);
//#end
//#for j in THREAD_KEYS
            let k_$(j) = vec4<f32>(pair_tile[(lane_x + $(j)u * LANES) * TILE_STRIDE + d]);
//#for i in THREAD_QUERIES
            score_$(i)_$(j) += dot(q_$(i), k_$(j));
//#end
//#end
        }
//#for i in THREAD_QUERIES
        var most_$(i) = LOWEST;
//#for j in THREAD_KEYS
        score_$(i)_$(j) = select(
            LOWEST,
            score_$(i)_$(j) * shape.scale,
            first_key + lane_x + $(j)u * LANES < shape.keys,
        );
        most_$(i) = max(most_$(i), score_$(i)_$(j));
//#end
        lane_values[query_$(i) * LANES + lane_x] = most_$(i);
//#end
        workgroupBarrier();

        bring(first_key, value_column, lane);
//#for i in THREAD_QUERIES
        for (var other = 0u; other < LANES; other++) {
            most_$(i) = max(most_$(i), lane_values[query_$(i) * LANES + other]);
        }
        most_$(i) = max(most_$(i), highest_$(i));
        let shrink_$(i) = exp(highest_$(i) - most_$(i));
        highest_$(i) = most_$(i);
        total_$(i) *= shrink_$(i);
//#for v in THREAD_VALUES
        mixed_$(i)_$(v) *= shrink_$(i);
//#end
//#for j in THREAD_KEYS
        let weight_$(i)_$(j) = exp(score_$(i)_$(j) - highest_$(i));
        total_$(i) += weight_$(i)_$(j);
        weights[query_$(i) * WEIGHT_STRIDE + lane_x + $(j)u * LANES] = weight_$(i)_$(j);
//#end
//#end
        workgroupBarrier();

        for (var key = 0u; key < BLOCK_KEYS; key++) {
//#for i in THREAD_QUERIES
            let w_$(i) = weights[query_$(i) * WEIGHT_STRIDE + key];
//#end
//#for v in THREAD_VALUES
            // Lanes beyond the last vector repeat it, and write nothing.
            let v_$(v) = vec4<f32>(
                pair_tile[key * TILE_STRIDE + min(lane_x + $(v)u * LANES, HEAD4 - 1u)],
            );
//#for i in THREAD_QUERIES
            mixed_$(i)_$(v) = fma(vec4<f32>(w_$(i)), v_$(v), mixed_$(i)_$(v));
//#end
//#end
        }
        workgroupBarrier();
    }

//#for i in THREAD_QUERIES
    lane_values[query_$(i) * LANES + lane_x] = total_$(i);
//#end
    workgroupBarrier();
//#for i in THREAD_QUERIES
    total_$(i) = 0.0;
    for (var other = 0u; other < LANES; other++) {
        total_$(i) += lane_values[query_$(i) * LANES + other];
    }
    if first_query + query_$(i) < shape.queries {
        let start = (first_query + query_$(i)) * shape.mixed_stride + head * HEAD4;
//#for v in THREAD_VALUES
        if lane_x + $(v)u * LANES < HEAD4 {
            mixed[start + lane_x + $(v)u * LANES] = vec4<Number>(mixed_$(i)_$(v) / total_$(i));
        }
//#end
    }
//#end
}
