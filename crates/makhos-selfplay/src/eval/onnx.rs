//! The network as an ONNX file, for every runtime that reads that format.
//!
//! The graph is `Gemm, Relu, Gemm, Relu, Gemm, Softmax`. Its input `board` has shape `[batch, 4 * squares]`:
//! 1 where a piece stands, own men, own kings, men and kings of the other side, on the board as the side to
//! move sees it. Its output `wdl` has shape `[batch, 3]`: the probabilities of a loss, a draw and a win.
//!
//! An ONNX file is a message of Protocol Buffers, of which little is needed: numbers and lengths as varints,
//! and messages within messages. The numbers of fields are those of `onnx.proto`.

use makhos_rules::{Board, RuleSet};

use super::net::{Net, OUTPUTS, Shape};
use super::weights::WeightsError;

/// The version of the format, and that of the operators.
const IR_VERSION: u64 = 8;
const OPERATORS: u64 = 13;
/// `TensorProto.DataType.FLOAT`.
const FLOAT: u64 = 1;
/// `AttributeProto.AttributeType.INT`.
const INT: u64 = 2;

/// A message as it is written.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn number(mut self, field: u64, number: u64) -> Self {
        self.varint(field << 3);
        self.varint(number);
        self
    }

    fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    fn text(self, field: u64, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    fn message(self, field: u64, message: &Self) -> Self {
        self.bytes(field, &message.0)
    }
}

/// A `NodeProto`.
fn node(operator: &str, inputs: &[&str], output: &str) -> Message {
    let mut node = Message::default();
    for input in inputs {
        node = node.text(1, input);
    }
    node.text(2, output).text(3, output).text(4, operator)
}

/// A `TensorProto` of f32.
fn tensor(name: &str, shape: &[usize], values: &[f32]) -> Message {
    let mut tensor = Message::default();
    for length in shape {
        tensor = tensor.number(1, *length as u64);
    }
    let bytes: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    tensor.number(2, FLOAT).text(8, name).bytes(9, &bytes)
}

/// A `ValueInfoProto` of f32 with the shape `[batch, length]`.
fn value(name: &str, length: usize) -> Message {
    let batch = Message::default().text(2, "batch");
    let length = Message::default().number(1, length as u64);
    let shape = Message::default().message(1, &batch).message(1, &length);
    let tensor = Message::default().number(1, FLOAT).message(2, &shape);
    let kind = Message::default().message(1, &tensor);
    Message::default().text(1, name).message(2, &kind)
}

/// A `StringStringEntryProto`.
fn entry(key: &str, value: &str) -> Message {
    Message::default().text(1, key).text(2, value)
}

impl<B: Board> Net<B> {
    /// The network as an ONNX file. Equal networks are equal bytes.
    ///
    /// # Errors
    /// [`WeightsError`] if this is no network of `rules`.
    pub fn to_onnx(&self, rules: &RuleSet) -> Result<Vec<u8>, WeightsError> {
        self.check(rules)?;
        let opset = Message::default().number(2, OPERATORS);
        let metadata = [
            entry("variant", &self.variant),
            entry("generation", &self.generation.to_string()),
            entry("scale", &self.scale.to_string()),
        ];
        let mut model = Message::default()
            .number(1, IR_VERSION)
            .text(2, "makhos")
            .message(7, &self.graph())
            .message(8, &opset);
        for entry in &metadata {
            model = model.message(14, entry);
        }
        Ok(model.0)
    }

    /// The `GraphProto`.
    fn graph(&self) -> Message {
        let shape = Shape::of::<B>();
        let axis = Message::default()
            .text(1, "axis")
            .number(3, 1)
            .number(20, INT);
        let mut graph = Message::default();
        let mut before = "board".to_owned();
        for number in 1..=3 {
            let (weight, bias) = (
                format!("layer{number}.weight"),
                format!("layer{number}.bias"),
            );
            let sum = format!("layer{number}.sum");
            graph = graph.message(1, &node("Gemm", &[&before, &weight, &bias], &sum));
            if number == 3 {
                graph = graph.message(1, &node("Softmax", &[&sum], "wdl").message(5, &axis));
            } else {
                before = format!("layer{number}.out");
                graph = graph.message(1, &node("Relu", &[&sum], &before));
            }
        }
        graph = graph.text(2, "wdl");
        let parameters = shape.layers().into_iter().zip(shape.split(&self.values));
        for (number, ((from, to), (weights, biases))) in (1..).zip(parameters) {
            let weight = tensor(&format!("layer{number}.weight"), &[from, to], weights);
            let bias = tensor(&format!("layer{number}.bias"), &[to], biases);
            graph = graph.message(5, &weight).message(5, &bias);
        }
        graph
            .message(11, &value("board", shape.inputs))
            .message(12, &value("wdl", OUTPUTS))
    }
}

#[cfg(test)]
mod tests {
    use makhos_rules::variant::{RUSSIAN, THAI};

    use super::*;

    /// A field of a message.
    #[derive(PartialEq, Debug)]
    enum Field<'a> {
        Number(u64, u64),
        Bytes(u64, &'a [u8]),
    }

    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut number = 0;
        for shift in (0..).step_by(7) {
            let byte = bytes[0];
            *bytes = &bytes[1..];
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        number
    }

    fn fields(mut bytes: &[u8]) -> Vec<Field<'_>> {
        let mut all = Vec::new();
        while !bytes.is_empty() {
            let key = varint(&mut bytes);
            match key & 7 {
                0 => all.push(Field::Number(key >> 3, varint(&mut bytes))),
                2 => {
                    let length = varint(&mut bytes) as usize;
                    all.push(Field::Bytes(key >> 3, &bytes[..length]));
                    bytes = &bytes[length..];
                }
                other => panic!("kind {other}"),
            }
        }
        all
    }

    fn all_of<'a>(message: &[Field<'a>], number: u64) -> Vec<&'a [u8]> {
        let matching = message.iter().filter_map(|field| match field {
            Field::Bytes(found, bytes) if *found == number => Some(*bytes),
            _ => None,
        });
        matching.collect()
    }

    #[test]
    fn small_messages_are_the_bytes_of_the_specification() {
        // The examples of the documentation of Protocol Buffers.
        assert_eq!(Message::default().number(1, 150).0, [0x08, 0x96, 0x01]);
        let text = Message::default().text(2, "testing");
        assert_eq!(text.0, *b"\x12\x07testing");
        let inner = Message::default().number(1, 150);
        assert_eq!(
            Message::default().message(3, &inner).0,
            [0x1a, 3, 0x08, 0x96, 0x01]
        );
        assert_eq!(entry("a", "b").0, *b"\x0a\x01a\x12\x01b");
        let expected = b"\x0a\x01x\x0a\x01w\x12\x01y\x1a\x01y\x22\x04Relu";
        assert_eq!(node("Relu", &["x", "w"], "y").0, *expected);
        let expected = b"\x08\x02\x10\x01\x42\x01w\x4a\x08\x00\x00\x80\x3f\x00\x00\x00\xc0";
        assert_eq!(tensor("w", &[2], &[1.0, -2.0]).0, *expected);
    }

    #[test]
    fn the_graph_is_the_network() {
        let net = Net::<u32>::random(&RUSSIAN, 1);
        let bytes = net.to_onnx(&RUSSIAN).expect("bytes");
        assert_eq!(bytes, net.to_onnx(&RUSSIAN).expect("bytes"));
        assert!(net.to_onnx(&THAI).is_err());
        let model = fields(&bytes);
        assert_eq!(model[0], Field::Number(1, 8));
        let graph = fields(all_of(&model, 7)[0]);
        let operators: Vec<&[u8]> = all_of(&graph, 1)
            .into_iter()
            .map(|node| all_of(&fields(node), 4)[0])
            .collect();
        let expected = ["Gemm", "Relu", "Gemm", "Relu", "Gemm", "Softmax"];
        assert!(operators.into_iter().eq(expected.map(str::as_bytes)));
        // Every input of a node is the output of one before, a tensor or the input of the graph.
        let mut known: Vec<&[u8]> = vec![b"board"];
        let tensors = all_of(&graph, 5);
        known.extend(tensors.iter().map(|tensor| all_of(&fields(tensor), 8)[0]));
        for node in all_of(&graph, 1) {
            let node = fields(node);
            assert!(all_of(&node, 1).iter().all(|input| known.contains(input)));
            known.extend(all_of(&node, 2));
        }
        assert!(known.contains(&&b"wdl"[..]));
        // All tensors together are all parameters, and their shapes fit.
        let mut values = Vec::new();
        for tensor in tensors {
            let tensor = fields(tensor);
            let lengths = tensor.iter().filter_map(|field| match field {
                Field::Number(1, length) => Some(*length as usize),
                _ => None,
            });
            let raw = all_of(&tensor, 9)[0];
            assert_eq!(4 * lengths.product::<usize>(), raw.len());
            let (chunks, _) = raw.as_chunks::<4>();
            values.extend(chunks.iter().map(|chunk| f32::from_le_bytes(*chunk)));
        }
        assert_eq!(values, net.values());
    }
}
