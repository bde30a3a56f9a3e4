// The matrix product with what stands before and behind it:
// y[row, column] = epilogue(Σ k: input[row, k] · weight[column, k] + bias[column]).
//
// A workgroup computes a tile of TILE_ROWS × TILE_COLUMNS sums, a thread THREAD_ROWS ×
// THREAD_COLUMNS of them in registers. Both factors go through workgroup memory in slices 16
// deep; while a slice is multiplied, the next one is on its way into registers. A thread's rows
// lie LANES_Y apart and its columns LANES_X apart, so that neighbours write neighbours; a tile's
// row is five vectors long, four of them used, so that its reads spread over the memory banks.
//
// NORMED: the input is RMS-normalised on the way. The weight of the norm goes into the factor;
// the scale of a row, known only when the whole row has been seen, onto the finished sum.
//
// EPILOGUE: `set` writes, `add` adds to what is there (a residual), `swiglu` takes the rows of
// the weight as `[gate; up]` and writes silu(gate) · up.
//
// Depth is a multiple of 16; what pads it is zero in the weights.

//#include weight_$(WEIGHT)
//#if NORMED
alias Input = f32;
//#else
alias Input = Number;
//#end
//#if RESULT == f32
alias Result = f32;
//#else
alias Result = Number;
//#end
@group(0) @binding(1) var<storage, read> input: array<vec4<Input>>;
@group(0) @binding(4) var<storage, read> bias: array<f32>;
@group(0) @binding(5) var<storage, read_write> y: array<Result>;
//#if NORMED
@group(0) @binding(6) var<storage, read> norm: array<vec4<f32>>;
//#end

const TILE_STRIDE: u32 = 5u;

var<workgroup> input_tile: array<vec4<Number>, TILE_ROWS * TILE_STRIDE>;
var<workgroup> weight_tile: array<vec4<Number>, TILE_COLUMNS * TILE_STRIDE>;
//#if NORMED
var<workgroup> square_sums: array<f32, TILE_ROWS * 4u>;
//#end

/// The weight's row behind a column of the workgroup's tile; columns beyond the last are those
/// of the last.
fn weight_row(group: u32, column: u32) -> u32 {
//#if EPILOGUE == swiglu
    let half = TILE_COLUMNS / 2u;
    let output = min(group * half + column % half, shape.columns - 1u);
    return shape.first_row + output + (column / half) * shape.columns;
//#else
    return shape.first_row + min(group * TILE_COLUMNS + column, shape.columns - 1u);
//#end
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let lane_x = lane % LANES_X;
    let lane_y = lane / LANES_X;
    let first_row = group.y * TILE_ROWS;
    let slice = lane % 4u;

//#for n in INPUT_LOADS
    let input_row_$(n) = (lane + $(n)u * THREADS) / 4u;
    let from_row_$(n) = shape.first_input_row + min(first_row + input_row_$(n), shape.rows - 1u);
    let input_at_$(n) = from_row_$(n) * shape.input_stride;
    var input_next_$(n) = input[input_at_$(n) + slice];
//#if NORMED
    var square_sum_$(n) = 0.0;
//#end
//#end
//#if NORMED
    var norm_next = norm[slice];
//#end
//#for n in WEIGHT_LOADS
    let column_$(n) = (lane + $(n)u * THREADS) / 4u;
    let weight_row_$(n) = weight_row(group.x, column_$(n));
    var weight_next_$(n) = weight4(weight_row_$(n), slice);
//#end
//#for i in THREAD_ROWS
//#for j in THREAD_COLUMNS
    var sum_$(i)_$(j) = 0.0;
//#end
//#end

    for (var depth = 0u; depth < shape.depth; depth += 4u) {
//#for n in INPUT_LOADS
//#if NORMED
        square_sum_$(n) += dot(input_next_$(n), input_next_$(n));
        input_tile[input_row_$(n) * TILE_STRIDE + slice] =
            vec4<Number>(input_next_$(n) * norm_next);
//#else
        input_tile[input_row_$(n) * TILE_STRIDE + slice] = input_next_$(n);
//#end
//#end
//#for n in WEIGHT_LOADS
        weight_tile[column_$(n) * TILE_STRIDE + slice] = vec4<Number>(weight_next_$(n));
//#end
        workgroupBarrier();

        // The slice behind the last is the last again: nothing reads it.
        let next = min(depth + 4u, shape.depth - 4u) + slice;
//#for n in INPUT_LOADS
        input_next_$(n) = input[input_at_$(n) + next];
//#end
//#if NORMED
        norm_next = norm[next];
//#end
//#for n in WEIGHT_LOADS
        weight_next_$(n) = weight4(weight_row_$(n), next);
//#end

        for (var k = 0u; k < 4u; k++) {
//#for i in THREAD_ROWS
            let a_$(i) = vec4<f32>(input_tile[(lane_y + $(i)u * LANES_Y) * TILE_STRIDE + k]);
//#end
//#for j in THREAD_COLUMNS
            let b_$(j) = vec4<f32>(weight_tile[(lane_x + $(j)u * LANES_X) * TILE_STRIDE + k]);
//#for i in THREAD_ROWS
            sum_$(i)_$(j) = fma(a_$(i).x, b_$(j).x, sum_$(i)_$(j));
            sum_$(i)_$(j) = fma(a_$(i).y, b_$(j).y, sum_$(i)_$(j));
            sum_$(i)_$(j) = fma(a_$(i).z, b_$(j).z, sum_$(i)_$(j));
            sum_$(i)_$(j) = fma(a_$(i).w, b_$(j).w, sum_$(i)_$(j));
//#end
//#end
        }
        workgroupBarrier();
    }

//#if NORMED
//#for n in INPUT_LOADS
    square_sums[input_row_$(n) * 4u + slice] = square_sum_$(n);
//#end
    workgroupBarrier();
//#end
//#for i in THREAD_ROWS
    {
        let tile_row = lane_y + $(i)u * LANES_Y;
        let row = first_row + tile_row;
//#if NORMED
        let at = tile_row * 4u;
        let squares =
            square_sums[at] + square_sums[at + 1u] + square_sums[at + 2u] + square_sums[at + 3u];
        let factor = inverseSqrt(squares / f32(shape.width) + shape.epsilon);
//#else
        let factor = 1.0;
//#end
//#for j in STORED_COLUMNS
        {
            let tile_column = lane_x + $(j)u * LANES_X;
//#if EPILOGUE == swiglu
            let column = group.x * (TILE_COLUMNS / 2u) + tile_column;
//#else
            let column = group.x * TILE_COLUMNS + tile_column;
//#end
            if row < shape.rows && column < shape.columns {
                let from_row = weight_row(group.x, tile_column);
                let value = sum_$(i)_$(j) * factor * row_scale(from_row) + bias[from_row];
                let to = (shape.first_result_row + row) * shape.stride + shape.first_column + column;
//#if EPILOGUE == swiglu
                let up_row = from_row + shape.columns;
                let up = sum_$(i)_$(j + STORED_COLUMNS) * factor * row_scale(up_row) + bias[up_row];
                y[to] = Result(value / (1.0 + exp(-value)) * up);
//#else
//#if EPILOGUE == add
                y[to] += Result(value);
//#else
                y[to] = Result(value);
//#end
//#end
            }
        }
//#end
    }
//#end
}
