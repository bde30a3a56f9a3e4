//! Why weights are refused: each fault with its file and, where there is one, its tensor.

use thiserror::Error;

use super::INT4_GROUP;

/// Why weights were refused. `file` is the name of the file at fault.
#[derive(Debug, Error, PartialEq)]
pub enum WeightsError {
    /// A folder without weights.
    #[error("neither model.safetensors nor model.safetensors.index.json is there")]
    NoFile,
    /// The index of shards is no such index.
    #[error("model.safetensors.index.json: it cannot be read: {0}")]
    Index(String),
    /// The index names a file that may be elsewhere.
    #[error(
        "model.safetensors.index.json: {name:?} is not the name of a .safetensors file beside it"
    )]
    ShardName {
        /// What is to be the name.
        name: String,
    },
    /// The index names a file that is not there.
    #[error("model.safetensors.index.json: the shard {file} is not there")]
    NoShard {
        /// The shard.
        file: String,
    },
    /// The index says of a tensor that it is in a file where it is not.
    #[error("model.safetensors.index.json: tensor {name} is not in {file}")]
    NotInShard {
        /// The tensor.
        name: String,
        /// The shard.
        file: String,
    },
    /// A tensor that was in another file already.
    #[error("{file}: tensor {name} is in {first}, too")]
    Twice {
        /// The file that came later.
        file: String,
        /// The file that came first.
        first: String,
        /// The tensor.
        name: String,
    },
    /// The file ends before its data does, or has bytes after it.
    #[error("{file}: {expected} bytes are declared, {found} are there (a truncated file?)")]
    Length {
        /// The file.
        file: String,
        /// Bytes that the header asks for, the header included.
        expected: u64,
        /// Bytes that the file has.
        found: u64,
    },
    /// The header is no safetensors header.
    #[error("{file}: the header cannot be read: {problem}")]
    Header {
        /// The file.
        file: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A byte range that does not fit the tensor's shape and type, or its neighbours.
    #[error("{file}: tensor {name}: its byte range {begin}..{end} {problem}")]
    Range {
        /// The file.
        file: String,
        /// The tensor.
        name: String,
        /// First byte.
        begin: u64,
        /// One after the last byte.
        end: u64,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A tensor that the configuration asks for is in no file.
    #[error("{files}: tensor {name} is missing")]
    Missing {
        /// The file, or how many there are.
        files: String,
        /// The tensor.
        name: String,
    },
    /// A tensor of a block that the configuration does not count.
    #[error("{file}: tensor {name} is there, but num_hidden_layers is {layers}")]
    Spare {
        /// The file.
        file: String,
        /// The tensor.
        name: String,
        /// The configuration's blocks.
        layers: usize,
    },
    /// A tensor of another shape than the configuration asks for.
    #[error("{file}: tensor {name} has shape {found:?}, the configuration asks for {expected:?}")]
    Shape {
        /// The file.
        file: String,
        /// The tensor.
        name: String,
        /// The configuration's shape.
        expected: Vec<usize>,
        /// The file's shape.
        found: Vec<u64>,
    },
    /// A tensor of another type than its place allows.
    #[error("{file}: tensor {name} has type {found}, expected {expected}")]
    Dtype {
        /// The file.
        file: String,
        /// The tensor.
        name: String,
        /// The types that would do.
        expected: &'static str,
        /// The file's type.
        found: String,
    },
    /// An int4 matrix whose rows are no whole number of groups.
    #[error(
        "{file}: tensor {name} has type U8 (int4), but its {cols} columns are not whole groups of {INT4_GROUP}"
    )]
    Groups {
        /// The file.
        file: String,
        /// The tensor.
        name: String,
        /// Columns of the matrix.
        cols: usize,
    },
    /// A value that is not a finite number.
    #[error("{file}: tensor {name} holds {value} at index {index}")]
    NotFinite {
        /// The file.
        file: String,
        /// The tensor.
        name: String,
        /// Where in it.
        index: usize,
        /// Infinite or not a number.
        value: f32,
    },
}
