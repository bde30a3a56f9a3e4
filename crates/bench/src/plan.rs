//! The names that a user says sizes and formats by.

use lacuna_gpu::bench::ModelSize;
use lacuna_model::WeightFormat;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// How the weights of a measured model are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BenchFormat {
    /// A scale for each row.
    Int8,
    /// A scale and a minimum for each group of columns.
    Int4,
    /// As they are.
    Float,
}

impl BenchFormat {
    /// What a configuration says of it.
    pub fn weight_format(self) -> Option<WeightFormat> {
        match self {
            Self::Int8 => Some(WeightFormat::Int8),
            Self::Int4 => Some(WeightFormat::Int4),
            Self::Float => None,
        }
    }
}

impl fmt::Display for BenchFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Int8 => "int8",
            Self::Int4 => "int4",
            Self::Float => "float",
        })
    }
}

/// A name that stands for nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown {what} {name:?}: use {choices}")]
pub struct UnknownName {
    what: &'static str,
    name: String,
    choices: &'static str,
}

impl FromStr for BenchFormat {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        match name {
            "int8" => Ok(Self::Int8),
            "int4" => Ok(Self::Int4),
            "float" => Ok(Self::Float),
            _ => Err(UnknownName {
                what: "format",
                name: name.to_owned(),
                choices: "int8, int4 or float",
            }),
        }
    }
}

/// The size of that name.
///
/// # Errors
/// [`UnknownName`].
pub fn size_named(name: &str) -> Result<ModelSize, UnknownName> {
    let found = ModelSize::ALL
        .into_iter()
        .find(|&size| size_name(size) == name);
    found.ok_or_else(|| UnknownName {
        what: "size",
        name: name.to_owned(),
        choices: "10m, 100m or 500m",
    })
}

/// The name of a size, for users.
pub fn size_name(size: ModelSize) -> &'static str {
    match size {
        ModelSize::M10 => "10m",
        ModelSize::M100 => "100m",
        ModelSize::M500 => "500m",
    }
}
