//! The transformer as an ONNX file, so that another runtime can be timed on it.
//!
//! Standard operators of opset 17, which every runtime has and whose patterns (norms,
//! quantised products) ONNX Runtime fuses. The same work is asked for as of this project's
//! own pass: in the last block, everything after keys and values only for the wanted rows.
//!
//! Inputs are `ids`, int64 `[length]`, and `rows`, int64 `[rows]`; the output is `logits`,
//! float `[rows, vocab]`. Both lengths are fixed, which lets a runtime plan its memory.
//!
//! Cost: the file is built in memory, and floats take four bytes a weight, so this is for
//! models that have a few hundred million of them at most.

mod graph;
mod wire;

use graph::Graph;
use lacuna_model::weights::{LayerWeights, Linear, Matrix, MatrixValues};
use lacuna_model::{ModelConfig, Weights};
use serde::{Deserialize, Serialize};
use wire::{Attribute, Element, Message, value};

/// What the file's matrix products are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Products {
    /// f32 weights (what the model's stand for), f32 activations.
    Float,
    /// int8 weights with a scale for each row, as the model has them, and activations that are
    /// quantised to 8 bits as they come: what ONNX Runtime's `quantize_dynamic` makes. Matrices
    /// that are not int8 stay floats.
    Int8,
}

/// The file, for inputs of `length` cells of which `rows` are wanted.
pub fn export(weights: &Weights, length: usize, rows: usize, products: Products) -> Vec<u8> {
    let mut export = Export {
        graph: Graph::default(),
        config: &weights.config,
        products,
        length,
        rows,
    };
    export.model(weights);
    let graph = export.graph.finish(
        [
            value("ids", Element::Int64, &[length]),
            value("rows", Element::Int64, &[rows]),
        ],
        value("logits", Element::Float, &[rows, weights.config.vocab_size]),
    );
    let opset = Message::default().text(1, "").integer(2, 17);
    Message::default()
        .integer(1, 8)
        .text(2, "lacuna")
        .message(7, graph)
        .message(8, opset)
        .into_bytes()
}

struct Export<'a> {
    graph: Graph,
    config: &'a ModelConfig,
    products: Products,
    length: usize,
    rows: usize,
}

/// What goes into a projection: as floats, and quantised where some product asks for it.
struct Input {
    floats: String,
    quantized: Option<[String; 3]>,
}

/// Cosines and sines of the positions, `[positions, head_dim]`.
struct Rotation {
    cosines: String,
    sines: String,
    positions: usize,
}

impl Export<'_> {
    fn model(&mut self, weights: &Weights) {
        let table = floats(&weights.embedding);
        let shape = [weights.embedding.rows, weights.embedding.cols];
        let table = self.graph.floats(&shape, &table);
        let mut x = self.graph.add("Gather", &[&table, "ids"], &[]);
        let wanted = self.wanted();
        let all = self.rotation();
        let some = Rotation {
            cosines: self.graph.add("Gather", &[&all.cosines, &wanted], &[]),
            sines: self.graph.add("Gather", &[&all.sines, &wanted], &[]),
            positions: self.rows,
        };
        for (at, layer) in weights.layers.iter().enumerate() {
            let last = at + 1 == weights.layers.len();
            let asked = if last { Some(wanted.as_str()) } else { None };
            x = self.layer(layer, &x, (&all, if last { &some } else { &all }), asked);
        }
        let normed = self.norm(&x, &weights.final_norm);
        let input = self.input(normed);
        let head = weights.head.as_ref().unwrap_or(&weights.embedding);
        let logits = self.product(&input, head);
        self.graph.give("Identity", &[&logits], "logits");
    }

    /// The positions whose last hidden states give the wanted logits.
    fn wanted(&mut self) -> String {
        if !self.config.logits_shift {
            return "rows".to_owned();
        }
        let [zero, one] = [0, 1].map(|number| self.graph.integers(&[1], &[number]));
        let before = self.graph.add("Sub", &["rows", &one], &[]);
        self.graph.add("Max", &[&before, &zero], &[])
    }

    /// Of all positions.
    fn rotation(&mut self) -> Rotation {
        let width = self.config.head_dim;
        let angles: Vec<f64> = (0..self.length)
            .flat_map(|position| (0..width).map(move |d| (position, d % (width / 2))))
            .map(|(position, d)| {
                let frequency = self.config.rope_theta.powf(-2.0 * d as f64 / width as f64);
                position as f64 * frequency
            })
            .collect();
        let [cosines, sines] = [f64::cos, f64::sin].map(|of: fn(f64) -> f64| {
            let values: Vec<f32> = angles.iter().map(|&angle| of(angle) as f32).collect();
            self.graph.floats(&[self.length, width], &values)
        });
        Rotation {
            cosines,
            sines,
            positions: self.length,
        }
    }

    /// One block; with `asked`, only for those positions.
    fn layer(
        &mut self,
        layer: &LayerWeights,
        x: &str,
        (of_keys, of_queries): (&Rotation, &Rotation),
        asked: Option<&str>,
    ) -> String {
        let config = self.config;
        let normed = self.norm(x, &layer.input_norm);
        let all = self.input(normed);
        let (mut x, mut queries) = (x.to_owned(), None);
        if let Some(asked) = asked {
            x = self.graph.add("Gather", &[&x, asked], &[]);
            let some = self.graph.add("Gather", &[&all.floats, asked], &[]);
            queries = Some(self.input(some));
        }
        let query = self.linear(queries.as_ref().unwrap_or(&all), &layer.query);
        let key = self.linear(&all, &layer.key);
        let value = self.linear(&all, &layer.value);
        let (heads, kv_heads) = (config.num_attention_heads, config.num_key_value_heads);

        let query = self.heads(&query, of_queries.positions, heads);
        let query = self.rotate(query, layer.query_norm.as_deref(), of_queries);
        let key = self.heads(&key, self.length, kv_heads);
        let key = self.rotate(key, layer.key_norm.as_deref(), of_keys);
        let value = self.heads(&value, self.length, kv_heads);
        let (key, value) = (self.shared(key), self.shared(value));
        let key = self.transpose(&key, &[0, 2, 1]);

        let scale = self.graph.float(1.0 / (config.head_dim as f32).sqrt());
        let query = self.graph.add("Mul", &[&query, &scale], &[]);
        let scores = self.graph.add("MatMul", &[&query, &key], &[]);
        let shares = self
            .graph
            .add("Softmax", &[&scores], &[Attribute::Integer("axis", -1)]);
        let mixed = self.graph.add("MatMul", &[&shares, &value], &[]);
        let mixed = self.transpose(&mixed, &[1, 0, 2]);
        let mixed = self.reshape(&mixed, &[of_queries.positions, config.query_width()]);
        let mixed = self.input(mixed);
        let attended = self.linear(&mixed, &layer.output);
        let x = self.graph.add("Add", &[&x, &attended], &[]);

        let normed = self.norm(&x, &layer.post_attention_norm);
        let normed = self.input(normed);
        let gate = self.linear(&normed, &layer.gate);
        let up = self.linear(&normed, &layer.up);
        let sigmoid = self.graph.add("Sigmoid", &[&gate], &[]);
        let gate = self.graph.add("Mul", &[&gate, &sigmoid], &[]);
        let inner = self.graph.add("Mul", &[&gate, &up], &[]);
        let inner = self.input(inner);
        let down = self.linear(&inner, &layer.down);
        self.graph.add("Add", &[&x, &down], &[])
    }

    /// `[positions, heads * width]` to `[heads, positions, width]`.
    fn heads(&mut self, x: &str, positions: usize, heads: usize) -> String {
        let x = self.reshape(x, &[positions, heads, self.config.head_dim]);
        self.transpose(&x, &[1, 0, 2])
    }

    /// Each key or value head once for every query head that shares it.
    fn shared(&mut self, x: String) -> String {
        let (heads, kv_heads) = (
            self.config.num_attention_heads,
            self.config.num_key_value_heads,
        );
        if heads == kv_heads {
            return x;
        }
        let of: Vec<i64> = (0..heads)
            .map(|head| (head * kv_heads / heads) as i64)
            .collect();
        let of = self.graph.integers(&[heads], &of);
        self.graph.add("Gather", &[&x, &of], &[])
    }

    fn rotate(&mut self, x: String, norm: Option<&[f32]>, rotation: &Rotation) -> String {
        let x = match norm {
            Some(norm) => self.norm(&x, norm),
            None => x,
        };
        let half = self.config.head_dim as i64 / 2;
        let sides = self.graph.integers(&[2], &[half, half]);
        let last = [Attribute::Integer("axis", -1)];
        let [low, high] = self.graph.add_with("Split", &[&x, &sides], &last);
        let negated = self.graph.add("Neg", &[&high], &[]);
        let turned = self.graph.add("Concat", &[&negated, &low], &last);
        let along = self.graph.add("Mul", &[&x, &rotation.cosines], &[]);
        let across = self.graph.add("Mul", &[&turned, &rotation.sines], &[]);
        self.graph.add("Add", &[&along, &across], &[])
    }

    fn norm(&mut self, x: &str, weight: &[f32]) -> String {
        let (two, epsilon) = (
            self.graph.float(2.0),
            self.graph.float(self.config.rms_norm_eps),
        );
        let squares = self.graph.add("Pow", &[x, &two], &[]);
        let along = [
            Attribute::Integers("axes", &[-1]),
            Attribute::Integer("keepdims", 1),
        ];
        let mean = self.graph.add("ReduceMean", &[&squares], &along);
        let mean = self.graph.add("Add", &[&mean, &epsilon], &[]);
        let root = self.graph.add("Sqrt", &[&mean], &[]);
        let normed = self.graph.add("Div", &[x, &root], &[]);
        let weight = self.graph.floats(&[weight.len()], weight);
        self.graph.add("Mul", &[&normed, &weight], &[])
    }

    fn input(&mut self, floats: String) -> Input {
        let quantized = match self.products {
            Products::Float => None,
            Products::Int8 => Some(
                self.graph
                    .add_with("DynamicQuantizeLinear", &[&floats], &[]),
            ),
        };
        Input { floats, quantized }
    }

    fn linear(&mut self, input: &Input, linear: &Linear) -> String {
        let product = self.product(input, &linear.weight);
        match &linear.bias {
            None => product,
            Some(bias) => {
                let bias = self.graph.floats(&[bias.len()], bias);
                self.graph.add("Add", &[&product, &bias], &[])
            }
        }
    }

    /// `input` by the transposed matrix.
    fn product(&mut self, input: &Input, matrix: &Matrix) -> String {
        let shape = [matrix.cols, matrix.rows];
        if let (Some([x, scale, zero]), MatrixValues::Int8 { quantized, scales }) =
            (&input.quantized, &matrix.values)
        {
            let weight = self.graph.bytes(&shape, &transposed(matrix, quantized));
            let scales = self.graph.floats(&[scales.len()], scales);
            let sums = self.graph.add("MatMulInteger", &[x, &weight, zero], &[]);
            let float = [Attribute::Integer("to", Element::Float as i64)];
            let sums = self.graph.add("Cast", &[&sums], &float);
            let scale = self.graph.add("Mul", &[scale, &scales], &[]);
            return self.graph.add("Mul", &[&sums, &scale], &[]);
        }
        let weight = transposed(matrix, &floats(matrix));
        let weight = self.graph.floats(&shape, &weight);
        self.graph.add("MatMul", &[&input.floats, &weight], &[])
    }

    fn reshape(&mut self, x: &str, shape: &[usize]) -> String {
        let sides: Vec<i64> = shape.iter().map(|&side| side as i64).collect();
        let shape = self.graph.integers(&[sides.len()], &sides);
        self.graph.add("Reshape", &[x, &shape], &[])
    }

    fn transpose(&mut self, x: &str, order: &[i64]) -> String {
        self.graph
            .add("Transpose", &[x], &[Attribute::Integers("perm", order)])
    }
}

/// The values that a matrix stands for.
fn floats(matrix: &Matrix) -> Vec<f32> {
    let mut values = vec![0.0; matrix.rows * matrix.cols];
    for (row, out) in values.chunks_exact_mut(matrix.cols).enumerate() {
        matrix.row_into(row, out);
    }
    values
}

fn transposed<T: Copy>(matrix: &Matrix, values: &[T]) -> Vec<T> {
    (0..matrix.cols)
        .flat_map(|col| (0..matrix.rows).map(move |row| values[row * matrix.cols + col]))
        .collect()
}
