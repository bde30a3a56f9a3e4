//! The few messages of ONNX's protocol buffers that a model needs, as bytes.

/// A message under construction.
#[derive(Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    pub(super) fn integer(mut self, field: u64, value: i64) -> Self {
        self.varint(field << 3);
        self.varint(value as u64);
        self
    }

    pub(super) fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    pub(super) fn text(self, field: u64, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    pub(super) fn message(self, field: u64, message: Self) -> Self {
        self.bytes(field, &message.0)
    }

    /// What is already written in another message's field.
    pub(super) fn append(mut self, fields: Self) -> Self {
        self.0.extend(fields.0);
        self
    }

    fn varint(&mut self, mut value: u64) {
        while value > 0x7f {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

/// Types of a tensor's elements, by ONNX's numbers.
#[derive(Clone, Copy)]
pub(super) enum Element {
    Float = 1,
    Int8 = 3,
    Int64 = 7,
}

/// An attribute of a node.
pub(super) enum Attribute<'a> {
    Integer(&'a str, i64),
    Integers(&'a str, &'a [i64]),
}

impl Attribute<'_> {
    fn message(&self) -> Message {
        match self {
            Self::Integer(name, value) => Message::default()
                .text(1, name)
                .integer(3, *value)
                .integer(20, 2),
            Self::Integers(name, values) => values
                .iter()
                .fold(Message::default().text(1, name), |message, &value| {
                    message.integer(8, value)
                })
                .integer(20, 7),
        }
    }
}

/// A `NodeProto`.
pub(super) fn node(
    operator: &str,
    inputs: &[&str],
    outputs: &[&str],
    attributes: &[Attribute<'_>],
) -> Message {
    let mut node = Message::default();
    for input in inputs {
        node = node.text(1, input);
    }
    for output in outputs {
        node = node.text(2, output);
    }
    node = node.text(3, outputs[0]).text(4, operator);
    for attribute in attributes {
        node = node.message(5, attribute.message());
    }
    node
}

/// A `TensorProto`.
pub(super) fn tensor(name: &str, shape: &[usize], element: Element, bytes: &[u8]) -> Message {
    let tensor = shape.iter().fold(Message::default(), |tensor, &side| {
        tensor.integer(1, side as i64)
    });
    tensor
        .integer(2, element as i64)
        .text(8, name)
        .bytes(9, bytes)
}

/// A `ValueInfoProto`: an input or an output.
pub(super) fn value(name: &str, element: Element, shape: &[usize]) -> Message {
    let sides = shape.iter().fold(Message::default(), |sides, &side| {
        sides.message(1, Message::default().integer(1, side as i64))
    });
    let tensor = Message::default()
        .integer(1, element as i64)
        .message(2, sides);
    Message::default()
        .text(1, name)
        .message(2, Message::default().message(1, tensor))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes that the `onnx` package's `helper.make_node("Split", ["x"], ["a", "b"], axis=-1,
    /// name="a")` serialises to.
    #[test]
    fn a_node_is_what_others_write() {
        let node = node(
            "Split",
            &["x"],
            &["a", "b"],
            &[Attribute::Integer("axis", -1)],
        );
        let expected = b"\x0a\x01x\x12\x01a\x12\x01b\x1a\x01a\x22\x05Split\x2a\x14\x0a\x04axis\
            \x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\xa0\x01\x02";
        assert_eq!(node.into_bytes(), expected);
    }

    /// The bytes that `helper.make_tensor("t", TensorProto.INT64, [2, 1], bytes, raw=True)`
    /// serialises to.
    #[test]
    fn a_tensor_is_what_others_write() {
        let numbers = [1i64.to_le_bytes(), 300i64.to_le_bytes()].concat();
        let tensor = tensor("t", &[2, 1], Element::Int64, &numbers);
        let expected = b"\x08\x02\x08\x01\x10\x07\x42\x01t\x4a\x10\
            \x01\0\0\0\0\0\0\0\x2c\x01\0\0\0\0\0\0";
        assert_eq!(tensor.into_bytes(), expected);
    }
}
