//! A graph of operators that grows from its inputs to its output.

use super::wire::{Attribute, Element, Message, node, tensor};

/// A graph; values are known by their names.
#[derive(Default)]
pub(super) struct Graph {
    nodes: Message,
    initializers: Message,
    values: usize,
}

impl Graph {
    /// The name of the one output of an operator.
    pub(super) fn add(
        &mut self,
        operator: &str,
        inputs: &[&str],
        attributes: &[Attribute<'_>],
    ) -> String {
        let [output] = self.add_with(operator, inputs, attributes);
        output
    }

    /// The names of its several outputs.
    pub(super) fn add_with<const N: usize>(
        &mut self,
        operator: &str,
        inputs: &[&str],
        attributes: &[Attribute<'_>],
    ) -> [String; N] {
        let outputs = std::array::from_fn(|_| self.fresh());
        let names = outputs.each_ref().map(String::as_str);
        self.push(operator, inputs, &names, attributes);
        outputs
    }

    /// An operator whose output is the graph's.
    pub(super) fn give(&mut self, operator: &str, inputs: &[&str], output: &str) {
        self.push(operator, inputs, &[output], &[]);
    }

    pub(super) fn floats(&mut self, shape: &[usize], values: &[f32]) -> String {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        self.constant(shape, Element::Float, &bytes)
    }

    pub(super) fn float(&mut self, value: f32) -> String {
        self.floats(&[], &[value])
    }

    pub(super) fn bytes(&mut self, shape: &[usize], values: &[i8]) -> String {
        let bytes: Vec<u8> = values.iter().map(|&value| value as u8).collect();
        self.constant(shape, Element::Int8, &bytes)
    }

    pub(super) fn integers(&mut self, shape: &[usize], values: &[i64]) -> String {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        self.constant(shape, Element::Int64, &bytes)
    }

    /// A `GraphProto`.
    pub(super) fn finish(self, inputs: [Message; 2], output: Message) -> Message {
        let graph = self.nodes.text(2, "transformer").append(self.initializers);
        let graph = inputs
            .into_iter()
            .fold(graph, |graph, input| graph.message(11, input));
        graph.message(12, output)
    }

    fn constant(&mut self, shape: &[usize], element: Element, bytes: &[u8]) -> String {
        let name = self.fresh();
        let initializers = std::mem::take(&mut self.initializers);
        self.initializers = initializers.message(5, tensor(&name, shape, element, bytes));
        name
    }

    fn push(
        &mut self,
        operator: &str,
        inputs: &[&str],
        outputs: &[&str],
        attributes: &[Attribute<'_>],
    ) {
        let nodes = std::mem::take(&mut self.nodes);
        self.nodes = nodes.message(1, node(operator, inputs, outputs, attributes));
    }

    fn fresh(&mut self) -> String {
        self.values += 1;
        format!("v{}", self.values)
    }
}
