//! The container: eight bytes with the length of a JSON header, the header (name → type,
//! shape, byte range), and the bytes.
//!
//! The header is read here and not by the crate `safetensors`, because that one adds the
//! declared end of the data to the header's length without an overflow check: a header of one
//! lie makes it panic, and on 32 bits, where this code runs in the browser, a lie of four
//! gigabytes is enough. The tests write their files with that crate, so the two stay in
//! agreement.

use super::{WeightsError, f16_to_f32};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A safetensors file whose header has been checked: every byte range lies inside the data,
/// is as long as its shape and type say, and no two overlap.
pub(super) struct TensorFile<'a> {
    header: BTreeMap<String, TensorInfo>,
    data: &'a [u8],
}

#[derive(Deserialize)]
struct TensorInfo {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: (u64, u64),
}

/// One tensor of a [`TensorFile`], of the shape that was asked for.
pub(super) struct Tensor<'a> {
    dtype: &'a str,
    /// Row-major, little-endian.
    pub(super) bytes: &'a [u8],
}

impl<'a> TensorFile<'a> {
    pub(super) fn open(file: &'a [u8]) -> Result<Self, WeightsError> {
        let too_short = |expected| WeightsError::Length {
            expected,
            found: file.len() as u64,
        };
        let (length, rest) = file.split_first_chunk::<8>().ok_or(too_short(8))?;
        let header_length = u64::from_le_bytes(*length);
        let (json, data) = usize::try_from(header_length)
            .ok()
            .and_then(|length| rest.split_at_checked(length))
            .ok_or(too_short(header_length.saturating_add(8)))?;
        let header = read_header(json)?;
        let end = check_ranges(&header)?;
        match end == data.len() as u64 {
            true => Ok(Self { header, data }),
            false => Err(too_short(
                end.saturating_add(8).saturating_add(header_length),
            )),
        }
    }

    /// The type of a tensor, by the format's name for it.
    pub(super) fn dtype(&self, name: &str) -> Result<&str, WeightsError> {
        Ok(&self.info(name)?.dtype)
    }

    /// The first tensor of a block behind so many.
    pub(super) fn beyond(&self, layers: usize) -> Option<&str> {
        let names = self.header.keys().map(String::as_str);
        names
            .filter_map(|name| Some((name, name.strip_prefix("model.layers.")?.split_once('.')?.0)))
            .find(|(_, layer)| layer.parse::<usize>().is_ok_and(|layer| layer >= layers))
            .map(|(name, _)| name)
    }

    fn info(&self, name: &str) -> Result<&TensorInfo, WeightsError> {
        self.header.get(name).ok_or_else(|| WeightsError::Missing {
            name: name.to_owned(),
        })
    }

    pub(super) fn tensor(&self, name: &str, shape: &[usize]) -> Result<Tensor<'_>, WeightsError> {
        let info = self.info(name)?;
        if !info
            .shape
            .iter()
            .copied()
            .eq(shape.iter().map(|&side| side as u64))
        {
            return Err(WeightsError::Shape {
                name: name.to_owned(),
                expected: shape.to_vec(),
                found: info.shape.clone(),
            });
        }
        // Checked by `open`: the range lies inside the data, so both fit in usize.
        let (begin, end) = info.data_offsets;
        Ok(Tensor {
            dtype: &info.dtype,
            bytes: &self.data[begin as usize..end as usize],
        })
    }
}

fn read_header(json: &[u8]) -> Result<BTreeMap<String, TensorInfo>, WeightsError> {
    let unreadable = |error: serde_json::Error| WeightsError::Header(error.to_string());
    let mut entries: BTreeMap<String, serde_json::Value> =
        serde_json::from_slice(json).map_err(unreadable)?;
    entries.remove("__metadata__");
    entries
        .into_iter()
        .map(|(name, entry)| {
            let info = TensorInfo::deserialize(entry)
                .map_err(|error| WeightsError::Header(format!("tensor {name}: {error}")))?;
            Ok((name, info))
        })
        .collect()
}

/// The end of the data: ranges follow each other from 0 without hole or overlap, as the
/// format demands.
fn check_ranges(header: &BTreeMap<String, TensorInfo>) -> Result<u64, WeightsError> {
    let mut by_place: Vec<_> = header.iter().collect();
    by_place.sort_by_key(|(_, info)| info.data_offsets);
    let mut place = 0;
    for (name, info) in by_place {
        let (begin, end) = info.data_offsets;
        let wrong = |problem| WeightsError::Range {
            name: name.clone(),
            begin,
            end,
            problem,
        };
        if begin != place {
            return Err(wrong("does not begin where the one before it ends"));
        }
        // A type of unknown width is left to whoever asks for the tensor: it is refused
        // there by name.
        let width = dtype_width(&info.dtype);
        let bytes = width.and_then(|width| {
            info.shape
                .iter()
                .try_fold(width, |product, &side| product.checked_mul(side))
        });
        let declared = end
            .checked_sub(begin)
            .ok_or_else(|| wrong("ends before it begins"))?;
        if width.is_some() && bytes != Some(declared) {
            return Err(wrong("is not as long as its shape and type"));
        }
        place = end;
    }
    Ok(place)
}

fn dtype_width(dtype: &str) -> Option<u64> {
    match dtype {
        "BOOL" | "I8" | "U8" | "F8_E5M2" | "F8_E4M3" => Some(1),
        "I16" | "U16" | "F16" | "BF16" => Some(2),
        "I32" | "U32" | "F32" => Some(4),
        "I64" | "U64" | "F64" => Some(8),
        _ => None,
    }
}

impl Tensor<'_> {
    /// As singles, all finite, from any of the float types.
    pub(super) fn floats(
        &self,
        name: &str,
        expected: &'static str,
    ) -> Result<Vec<f32>, WeightsError> {
        let from_halves = |convert: fn(u16) -> f32| self.pairs().map(convert).collect();
        let values: Vec<f32> = match self.dtype {
            "F32" => {
                let (words, _) = self.bytes.as_chunks::<4>();
                words.iter().map(|&word| f32::from_le_bytes(word)).collect()
            }
            "F16" => from_halves(f16_to_f32),
            "BF16" => from_halves(|bits| f32::from_bits(u32::from(bits) << 16)),
            _ => return Err(self.wrong_type(name, expected)),
        };
        refuse_infinite(name, values.iter().copied())?;
        Ok(values)
    }

    /// As the bits of halves, all finite, from F16 alone.
    pub(super) fn halves(&self, name: &str) -> Result<Vec<u16>, WeightsError> {
        if self.dtype != "F16" {
            return Err(self.wrong_type(name, "F16"));
        }
        refuse_infinite(name, self.pairs().map(f16_to_f32))?;
        Ok(self.pairs().collect())
    }

    fn pairs(&self) -> impl Iterator<Item = u16> {
        let (pairs, _) = self.bytes.as_chunks::<2>();
        pairs.iter().map(|&pair| u16::from_le_bytes(pair))
    }

    fn wrong_type(&self, name: &str, expected: &'static str) -> WeightsError {
        WeightsError::Dtype {
            name: name.to_owned(),
            expected,
            found: self.dtype.to_owned(),
        }
    }
}

fn refuse_infinite(name: &str, values: impl Iterator<Item = f32>) -> Result<(), WeightsError> {
    match values.enumerate().find(|(_, value)| !value.is_finite()) {
        None => Ok(()),
        Some((index, value)) => Err(WeightsError::NotFinite {
            name: name.to_owned(),
            index,
            value,
        }),
    }
}
