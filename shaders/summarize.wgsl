// What a decoder wants of a row of logits: the highest, the softmax's denominator relative to
// it, the entropy, and the best tokens. One workgroup a job; a job is a row of logits and the position
// that its noise depends on. The twin of lacuna_logits::summarize and best_of.
//
// Every thread looks after every THREADS-th token and keeps its best few, in order; each round
// takes the best of all threads' heads. A thread whose few are used up looks for its next ones,
// so that any number of candidates can be asked for.
//
// SUBGROUPS: a round's best is found by subgroup operations, which leaves one candidate a subgroup
// to be compared. Which threads form a subgroup is not assumed: each subgroup takes the next
// free place, and the best of all places does not depend on their order.
//
// Infinities and numbers that are none are told by their bits: a compiler may assume that
// arithmetic meets neither.

//#include noise
@group(0) @binding(1) var<storage, read> logits: array<u32>;
@group(0) @binding(2) var<storage, read> writable: array<u32>;
@group(0) @binding(3) var<storage, read> allowed: array<u32>;
@group(0) @binding(4) var<storage, read> jobs: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read_write> summaries: array<u32>;

const NO_TOKEN: u32 = 0xffffffffu;
const LARGEST: f32 = 1e30;
// Below every score.
const LOWEST: f32 = -3e38;
const INFINITE_BITS: u32 = 0x7f800000u;
const KEPT: u32 = 4u;

struct Candidate {
    score: f32,
    token: u32,
}

var<workgroup> lane_values: array<f32, THREADS>;
var<workgroup> lane_others: array<f32, THREADS>;
var<workgroup> lane_tokens: array<u32, THREADS>;

//#if SUBGROUPS
/// Places taken in this round and in the next.
var<workgroup> taken: array<atomic<u32>, 2>;
//#end

/// The candidates of this thread, best first, and how many there are.
var<private> kept: array<Candidate, KEPT>;
var<private> kept_count: u32;
var<private> row_start: u32;

fn has(word: u32, token: u32) -> bool {
    return ((word >> (token % 32u)) & 1u) == 1u;
}

fn is_number(bits: u32) -> bool {
    return (bits & 0x7fffffffu) <= INFINITE_BITS;
}

/// The logit, within ±LARGEST.
fn clamped(bits: u32) -> f32 {
    if (bits & 0x7fffffffu) > bitcast<u32>(LARGEST) {
        return select(LARGEST, -LARGEST, (bits >> 31u) == 1u);
    }
    return bitcast<f32>(bits);
}

fn comes_before(a: Candidate, b: Candidate) -> bool {
    return a.score > b.score || (a.score == b.score && a.token < b.token);
}

fn score_of(logit: f32, highest: f32, position: u32, token: u32) -> f32 {
    if shape.temperature == 0.0 {
        return logit;
    }
    return max((logit - highest) / shape.temperature, -LARGEST) + gumbel(position, token);
}

/// Fills `kept` with this thread's best candidates among those behind `last`.
fn look_behind(last: Candidate, lane: u32, highest: f32, position: u32, allowed_start: u32) {
    kept_count = 0u;
    for (var token = lane; token < shape.vocabulary; token += THREADS) {
        let bits = logits[row_start + token];
        let counts = has(allowed[allowed_start + token / 32u], token);
        if !counts || !is_number(bits) {
            continue;
        }
        let candidate = Candidate(score_of(clamped(bits), highest, position, token), token);
        if last.token != NO_TOKEN && !comes_before(last, candidate) {
            continue;
        }
        if kept_count == KEPT && !comes_before(candidate, kept[KEPT - 1u]) {
            continue;
        }
        kept_count = min(kept_count + 1u, KEPT);
        var at = kept_count - 1u;
        while at > 0u && comes_before(candidate, kept[at - 1u]) {
            kept[at] = kept[at - 1u];
            at -= 1u;
        }
        kept[at] = candidate;
    }
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let job = jobs[shape.first_job + group.x];
    let position = job.y;
    row_start = (job.x - shape.first_row) * shape.vocabulary;
    let to = (shape.first_job + group.x) * (SUMMARY_WORDS + SCORED_WORDS * shape.top);

    // The highest logit that counts, and how many logits of the row are not finite.
    var highest = -LARGEST;
    var counted = 0.0;
    var not_finite = 0u;
    for (var token = lane; token < shape.vocabulary; token += THREADS) {
        let bits = logits[row_start + token];
        not_finite += u32((bits & INFINITE_BITS) == INFINITE_BITS);
        if is_number(bits) && has(writable[token / 32u], token) {
            highest = max(highest, clamped(bits));
            counted = 1.0;
        }
    }
    lane_values[lane] = highest;
    lane_others[lane] = counted;
    lane_tokens[lane] = not_finite;
    workgroupBarrier();
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        if lane < half {
            lane_values[lane] = max(lane_values[lane], lane_values[lane + half]);
            lane_others[lane] = max(lane_others[lane], lane_others[lane + half]);
            lane_tokens[lane] += lane_tokens[lane + half];
        }
        workgroupBarrier();
    }
    highest = lane_values[0];
    let any_counted = lane_others[0] > 0.0;
    not_finite = lane_tokens[0];
    workgroupBarrier();

    var sum = 0.0;
    var weighted = 0.0;
    for (var token = lane; token < shape.vocabulary; token += THREADS) {
        let bits = logits[row_start + token];
        if is_number(bits) && has(writable[token / 32u], token) {
            let relative = clamped(bits) - highest;
            // Below, the exponential is 0, and so is its product with `relative`.
            if relative > -104.0 {
                let exponential = exp(relative);
                sum += exponential;
                weighted += exponential * relative;
            }
        }
    }
    lane_values[lane] = sum;
    lane_others[lane] = weighted;
    workgroupBarrier();
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        if lane < half {
            lane_values[lane] += lane_values[lane + half];
            lane_others[lane] += lane_others[lane + half];
        }
        workgroupBarrier();
    }
    if lane == 0u {
        let total = lane_values[0];
        var entropy = 0.0;
        if any_counted {
            entropy = max(ln(total) - lane_others[0] / total, 0.0);
        }
        summaries[to] = select(INFINITE_BITS | 0x80000000u, bitcast<u32>(highest), any_counted);
        summaries[to + 1u] = bitcast<u32>(total);
        summaries[to + 2u] = bitcast<u32>(entropy);
        summaries[to + 3u] = not_finite;
    }
    workgroupBarrier();

    let allowed_start = (shape.first_job + group.x) * shape.allowed_stride;
//#if SUBGROUPS
    if lane == 0u {
        atomicStore(&taken[0], 0u);
        atomicStore(&taken[1], 0u);
    }
    workgroupBarrier();
//#end
    look_behind(Candidate(0.0, NO_TOKEN), lane, highest, position, allowed_start);
    var head = 0u;
    for (var round = 0u; round < shape.top; round++) {
        if head == KEPT {
            look_behind(kept[KEPT - 1u], lane, highest, position, allowed_start);
            head = 0u;
        }
        let mine = head < kept_count;
        let here = kept[min(head, KEPT - 1u)];
//#if SUBGROUPS
        let score = subgroupMax(select(LOWEST, here.score, mine));
        let token = subgroupMin(select(NO_TOKEN, here.token, mine && here.score == score));
        if subgroupMin(lane) == lane {
            let place = atomicAdd(&taken[round % 2u], 1u);
            lane_values[place] = score;
            lane_tokens[place] = token;
        }
        workgroupBarrier();
        let places = atomicLoad(&taken[round % 2u]);
        var best = Candidate(LOWEST, NO_TOKEN);
        for (var place = 0u; place < places; place++) {
            let there = Candidate(lane_values[place], lane_tokens[place]);
            if comes_before(there, best) {
                best = there;
            }
        }
        if lane == 0u {
            atomicStore(&taken[(round + 1u) % 2u], 0u);
        }
//#else
        lane_values[lane] = select(LOWEST, here.score, mine);
        lane_tokens[lane] = select(NO_TOKEN, here.token, mine);
        workgroupBarrier();
        for (var half = THREADS / 2u; half > 0u; half /= 2u) {
            if lane < half {
                let low = Candidate(lane_values[lane], lane_tokens[lane]);
                let high = Candidate(lane_values[lane + half], lane_tokens[lane + half]);
                if comes_before(high, low) {
                    lane_values[lane] = high.score;
                    lane_tokens[lane] = high.token;
                }
            }
            workgroupBarrier();
        }
        let best = Candidate(lane_values[0], lane_tokens[0]);
//#end
        if mine && best.token == here.token {
            head += 1u;
        }
        if lane == 0u {
            let at = to + SUMMARY_WORDS + round * SCORED_WORDS;
            summaries[at] = best.token;
            if best.token != NO_TOKEN {
                summaries[at + 1u] = bitcast<u32>(clamped(logits[row_start + best.token]));
                summaries[at + 2u] = bitcast<u32>(best.score);
            }
        }
        workgroupBarrier();
    }
}
