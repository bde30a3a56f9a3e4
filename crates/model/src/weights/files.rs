//! The files that weights are in: `model.safetensors`, or shards of it and the index that names
//! them, as Hugging Face parts them.
//!
//! A file is let go of as soon as its tensors are taken out, and a tensor when it becomes a part
//! of the model: in all, little more than the model and one file are held. Nothing is allocated
//! but for bytes that are there.

use super::WeightsError;
use super::tensor_file::{Tensor, tensors};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The one file of weights that are not parted.
const WHOLE: &str = "model.safetensors";

/// What names the shards, and for each tensor the one that it is in.
const INDEX: &str = "model.safetensors.index.json";

/// The tensors of a model, taken from its files as they come.
#[derive(Clone, Debug, Default)]
pub struct WeightFiles {
    tensors: BTreeMap<String, Tensor>,
    files: Vec<Arc<str>>,
    /// Of each tensor, the shard.
    index: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Index {
    weight_map: BTreeMap<String, String>,
}

impl WeightFiles {
    /// Weights that are in `model.safetensors` alone.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub fn whole(file: &[u8]) -> Result<Self, WeightsError> {
        let mut files = Self::default();
        files.add(WHOLE, file)?;
        Ok(files)
    }

    /// The weights of a folder, whole or in shards. `read` gives a file's bytes, and none where
    /// it is not there.
    ///
    /// # Errors
    /// What `read` fails with, and as [`Self::add`] and [`Self::index`].
    pub fn of_folder<Error: From<WeightsError>>(
        mut read: impl FnMut(&str) -> Result<Option<Vec<u8>>, Error>,
    ) -> Result<Self, Error> {
        if let Some(whole) = read(WHOLE)? {
            return Ok(Self::whole(&whole)?);
        }
        let mut files = Self::default();
        let index = read(INDEX)?.ok_or(WeightsError::NoFile)?;
        for name in files.index(&index)? {
            let shard = read(&name)?.ok_or_else(|| WeightsError::NoShard { file: name.clone() })?;
            files.add(&name, &shard)?;
        }
        Ok(files)
    }

    /// Takes the index; gives the names of the shards, each once, which are to be added.
    ///
    /// # Errors
    /// [`WeightsError::Index`], and [`WeightsError::ShardName`] where a name leads elsewhere.
    pub fn index(&mut self, json: &[u8]) -> Result<Vec<String>, WeightsError> {
        let Index { weight_map } =
            serde_json::from_slice(json).map_err(|error| WeightsError::Index(error.to_string()))?;
        let names: BTreeSet<&String> = weight_map.values().collect();
        if let Some(name) = names.iter().find(|name| !is_beside(name)) {
            return Err(WeightsError::ShardName {
                name: name.to_string(),
            });
        }
        let names = names.into_iter().cloned().collect();
        self.index = weight_map;
        Ok(names)
    }

    /// Takes the tensors of a file; `name` is for errors, and what an index calls it.
    ///
    /// # Errors
    /// The header is wrong, or a tensor is in another file, too.
    pub fn add(&mut self, name: &str, file: &[u8]) -> Result<(), WeightsError> {
        let file_name = Arc::from(name);
        for tensor in tensors(&file_name, file)? {
            if let Some(first) = self.tensors.get(&tensor.name) {
                return Err(WeightsError::Twice {
                    file: name.to_owned(),
                    first: first.file.to_string(),
                    name: tensor.name,
                });
            }
            self.tensors.insert(tensor.name.clone(), tensor);
        }
        self.files.push(file_name);
        Ok(())
    }

    /// Whether every tensor is where the index says.
    pub(super) fn check_index(&self) -> Result<(), WeightsError> {
        for (name, shard) in &self.index {
            if !self.files.iter().any(|file| **file == **shard) {
                return Err(WeightsError::NoShard {
                    file: shard.clone(),
                });
            }
            let tensor = self.tensors.get(name);
            if tensor.is_none_or(|tensor| *tensor.file != **shard) {
                return Err(WeightsError::NotInShard {
                    name: name.clone(),
                    file: shard.clone(),
                });
            }
        }
        Ok(())
    }

    /// The first tensor of a block behind so many.
    pub(super) fn beyond(&self, layers: usize) -> Option<&Tensor> {
        let layer_of = |name: &str| {
            let (layer, _) = name.strip_prefix("model.layers.")?.split_once('.')?;
            layer.parse::<usize>().ok()
        };
        let mut tensors = self.tensors.values();
        tensors.find(|tensor| layer_of(&tensor.name).is_some_and(|layer| layer >= layers))
    }

    /// The type of a tensor, by the format's name for it.
    pub(super) fn dtype(&self, name: &str) -> Result<&str, WeightsError> {
        match self.tensors.get(name) {
            Some(tensor) => Ok(&tensor.dtype),
            None => Err(self.missing(name)),
        }
    }

    /// The file that a tensor is in.
    pub(super) fn file_of(&self, name: &str) -> String {
        let tensor = self.tensors.get(name);
        tensor.map_or_else(|| self.place(), |tensor| tensor.file.to_string())
    }

    /// Takes a tensor out, which must have the shape.
    pub(super) fn take(&mut self, name: &str, shape: &[usize]) -> Result<Tensor, WeightsError> {
        let tensor = self.tensors.remove(name);
        let tensor = tensor.ok_or_else(|| self.missing(name))?;
        let is_shape = tensor.shape.iter().copied();
        match is_shape.eq(shape.iter().map(|&side| side as u64)) {
            true => Ok(tensor),
            false => Err(WeightsError::Shape {
                file: tensor.file.to_string(),
                name: tensor.name,
                expected: shape.to_vec(),
                found: tensor.shape,
            }),
        }
    }

    fn missing(&self, name: &str) -> WeightsError {
        WeightsError::Missing {
            files: self.place(),
            name: name.to_owned(),
        }
    }

    /// The file, or how many there are.
    fn place(&self) -> String {
        match &self.files[..] {
            [file] => file.to_string(),
            files => format!("{} files", files.len()),
        }
    }
}

/// Whether a name is that of a file in the same folder, on every system and in a URL.
fn is_beside(name: &str) -> bool {
    let leads_away = |it: char| matches!(it, '/' | '\\' | ':' | '%' | '?' | '#') || it.is_control();
    name.len() > ".safetensors".len()
        && name.ends_with(".safetensors")
        && !name.contains(leads_away)
}
