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
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

#[derive(Deserialize)]
struct TensorInfo {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: (u64, u64),
}

/// One tensor of a file.
#[derive(Clone, Debug)]
pub(super) struct Tensor {
    pub(super) name: String,
    /// The file that it is from.
    pub(super) file: Arc<str>,
    /// The format's name for its type.
    pub(super) dtype: String,
    pub(super) shape: Vec<u64>,
    /// Row-major, little-endian.
    pub(super) bytes: Vec<u8>,
}

/// The tensors of a file whose header has been checked: every byte range lies inside the data,
/// is as long as its shape and type say, and no two overlap.
pub(super) fn tensors(
    name: &Arc<str>,
    file: &[u8],
) -> Result<impl Iterator<Item = Tensor>, WeightsError> {
    let too_short = |expected| WeightsError::Length {
        file: name.to_string(),
        expected,
        found: file.len() as u64,
    };
    let (length, rest) = file.split_first_chunk::<8>().ok_or(too_short(8))?;
    let header_length = u64::from_le_bytes(*length);
    let (json, data) = usize::try_from(header_length)
        .ok()
        .and_then(|length| rest.split_at_checked(length))
        .ok_or(too_short(header_length.saturating_add(8)))?;
    let header = read_header(name, json)?;
    let end = check_ranges(name, &header)?;
    if end != data.len() as u64 {
        return Err(too_short(
            end.saturating_add(8).saturating_add(header_length),
        ));
    }
    Ok(header.into_iter().map(|(tensor, info)| {
        // Checked above: the range lies inside the data, so both fit in usize.
        let (begin, end) = info.data_offsets;
        Tensor {
            name: tensor,
            file: Arc::clone(name),
            dtype: info.dtype,
            shape: info.shape,
            bytes: data[begin as usize..end as usize].to_vec(),
        }
    }))
}

fn read_header(file: &str, json: &[u8]) -> Result<BTreeMap<String, TensorInfo>, WeightsError> {
    let unreadable = |problem| WeightsError::Header {
        file: file.to_owned(),
        problem,
    };
    let Header(tensors) =
        serde_json::from_slice(json).map_err(|error| unreadable(error.to_string()))?;
    Ok(tensors)
}

/// What a header says of tensors. Its notes are passed over, and nothing is kept of them.
struct Header(BTreeMap<String, TensorInfo>);

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(HeaderVisitor)
    }
}

struct HeaderVisitor;

impl<'de> Visitor<'de> for HeaderVisitor {
    type Value = Header;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object of tensors")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Header, A::Error> {
        let mut tensors = BTreeMap::new();
        while let Some(name) = entries.next_key::<String>()? {
            if name == "__metadata__" {
                entries.next_value::<IgnoredAny>()?;
                continue;
            }
            let info: TensorInfo = entries
                .next_value()
                .map_err(|error| A::Error::custom(format!("tensor {name}: {error}")))?;
            if tensors.contains_key(&name) {
                return Err(A::Error::custom(format!(
                    "tensor {name} stands there twice"
                )));
            }
            tensors.insert(name, info);
        }
        Ok(Header(tensors))
    }
}

/// The end of the data: ranges follow each other from 0 without hole or overlap, as the
/// format demands.
fn check_ranges(file: &str, header: &BTreeMap<String, TensorInfo>) -> Result<u64, WeightsError> {
    let mut by_place: Vec<_> = header.iter().collect();
    by_place.sort_by_key(|(_, info)| info.data_offsets);
    let mut place = 0;
    for (name, info) in by_place {
        let (begin, end) = info.data_offsets;
        let wrong = |problem| WeightsError::Range {
            file: file.to_owned(),
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

impl Tensor {
    /// As singles, all finite, from any of the float types.
    pub(super) fn floats(&self, expected: &'static str) -> Result<Vec<f32>, WeightsError> {
        let from_halves = |convert: fn(u16) -> f32| self.pairs().map(convert).collect();
        let values: Vec<f32> = match self.dtype.as_str() {
            "F32" => {
                let (words, _) = self.bytes.as_chunks::<4>();
                words.iter().map(|&word| f32::from_le_bytes(word)).collect()
            }
            "F16" => from_halves(f16_to_f32),
            "BF16" => from_halves(|bits| f32::from_bits(u32::from(bits) << 16)),
            _ => return Err(self.wrong_type(expected)),
        };
        self.refuse_infinite(values.iter().copied())?;
        Ok(values)
    }

    /// As the bits of halves, all finite, from F16 alone.
    pub(super) fn halves(&self) -> Result<Vec<u16>, WeightsError> {
        if self.dtype != "F16" {
            return Err(self.wrong_type("F16"));
        }
        self.refuse_infinite(self.pairs().map(f16_to_f32))?;
        Ok(self.pairs().collect())
    }

    fn pairs(&self) -> impl Iterator<Item = u16> {
        let (pairs, _) = self.bytes.as_chunks::<2>();
        pairs.iter().map(|&pair| u16::from_le_bytes(pair))
    }

    fn wrong_type(&self, expected: &'static str) -> WeightsError {
        WeightsError::Dtype {
            file: self.file.to_string(),
            name: self.name.clone(),
            expected,
            found: self.dtype.clone(),
        }
    }

    fn refuse_infinite(&self, values: impl Iterator<Item = f32>) -> Result<(), WeightsError> {
        let found = values.enumerate().find(|(_, value)| !value.is_finite());
        found.map_or(Ok(()), |(index, value)| {
            Err(WeightsError::NotFinite {
                file: self.file.to_string(),
                name: self.name.clone(),
                index,
                value,
            })
        })
    }
}
