"""Writes multilingual-e5-small as an ONNX graph, straight from its packed weights.

A plain BERT encoder (normalisation after each sum, erf GELU) whose output is one vector a token.
The tokens' vectors come from outside, as they are most of the model and a text needs few of them;
the layers multiply in int8, which is twice as fast as multiplying with the source's own blocks.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from gdrive_rag_mcp.embedding.packed_model import BLOCK, PackedModel

_CONTRIB = "com.microsoft"
_OPSET = 21
_IR_VERSION = 10
# Seven bits: eight would overflow the 16-bit sums of x86 processors without VNNI.
_INT8_TOP = 63
OUTPUT = "last_hidden_state"

Linear = Callable[["GraphWriter", str, list[str], int, str], str]


class GraphWriter:
    """Collects nodes and constants; every method returns the name of what it adds."""

    def __init__(self, packed: PackedModel) -> None:
        self.packed = packed
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, values: npt.NDArray[np.generic]) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def node(
        self, kind: str, inputs: list[str], output: str, domain: str = "", **how: float
    ) -> str:
        node = helper.make_node(kind, inputs, [output], domain=domain)
        node.attribute.extend(helper.make_attribute(name, value) for name, value in how.items())
        self.nodes.append(node)
        return output

    def bias(self, sources: list[str], output: str) -> str:
        parts = [self.packed.floats(f"{source}.b") for source in sources]
        return self.constant(f"{output}.bias", np.concatenate(parts))

    def layer_norm(self, inputs: list[str], source: str, output: str) -> str:
        """Normalise the input, or the sum of two."""
        kind, domain = ("SkipLayerNormalization", _CONTRIB) if len(inputs) > 1 else (
            "LayerNormalization", "",
        )  # fmt: skip
        weight = self.constant(f"{output}.weight", self.packed.floats(f"{source}.w"))
        bias = self.constant(f"{output}.bias", self.packed.floats(f"{source}.b"))
        how = {"epsilon": self.packed.shape.epsilon}
        return self.node(kind, [*inputs, weight, bias], output, domain, **how)

    def four_bit(
        self, sources: list[str], columns: int
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
        """Several matrices, one below the other."""
        parts = [self.packed.blocks(f"{source}.w", columns) for source in sources]
        return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


def int8_linear(graph: GraphWriter, x: str, sources: list[str], columns: int, output: str) -> str:
    """Multiply in int8: one scale an output channel, one for all of the input."""
    values, scales = graph.four_bit(sources, columns)
    blocks = (values.astype(np.float32) - 8).reshape(len(values), -1, BLOCK)
    weights = (blocks * scales[..., None]).reshape(len(values), columns)
    steps = np.abs(weights).max(axis=1) / _INT8_TOP
    rounded = np.rint(weights / steps[:, None]).astype(np.int8)
    constants = [
        graph.constant(f"{output}.weight", rounded.T),
        graph.constant(f"{output}.scale", steps),
    ]
    bias = graph.bias(sources, output)
    return graph.node("DynamicQuantizeMatMul", [x, *constants, "", bias], output, _CONTRIB)


def exact_linear(graph: GraphWriter, x: str, sources: list[str], columns: int, output: str) -> str:
    """Multiply with the source's own four-bit blocks, as the engine they were packed for does.

    What the int8 graph is measured against; half as fast.
    """
    values, scales = graph.four_bit(sources, columns)
    pairs = _pairs(values).reshape(len(values), -1, BLOCK // 2)
    constants = [
        graph.constant(f"{output}.weight", pairs),
        graph.constant(f"{output}.scale", scales.reshape(-1)),
    ]
    how = {"K": columns, "N": len(values), "bits": 4, "block_size": BLOCK, "accuracy_level": 4}
    bias = graph.bias(sources, output)
    return graph.node("MatMulNBits", [x, *constants, "", "", bias], output, _CONTRIB, **how)


def _pairs(values: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    return np.bitwise_or(values[..., 0::2], np.left_shift(values[..., 1::2], np.uint8(4)))


def build_graph(packed: PackedModel, linear: Linear = int8_linear) -> bytes:
    """The model without its token table, serialised.

    It takes the tokens' vectors (batch, length, hidden) and the mask (batch, length), and returns
    one vector a token (batch, length, hidden).
    """
    graph = GraphWriter(packed)
    x = _embed(graph)
    graph.node("Cast", ["attention_mask"], "mask", to=TensorProto.INT32)
    for layer in range(packed.shape.layers):
        x = _encoder_layer(graph, x, f"l{layer}", linear)
    graph.node("Identity", [x], OUTPUT)
    places: list[str | int | None] = ["batch", "length"]
    vectors = [*places, packed.shape.hidden]
    body = helper.make_graph(
        graph.nodes,
        "multilingual-e5-small",
        [
            helper.make_tensor_value_info("inputs_embeds", TensorProto.FLOAT, vectors),
            helper.make_tensor_value_info("attention_mask", TensorProto.INT64, places),
        ],
        [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, vectors)],
        graph.constants,
    )
    opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_CONTRIB, 1)]
    model = helper.make_model(body, opset_imports=opsets, ir_version=_IR_VERSION)
    return bytes(model.SerializeToString(deterministic=True))


def _embed(graph: GraphWriter) -> str:
    """Token + position + the one token type that is ever used, normalised."""
    packed, hidden = graph.packed, graph.packed.shape.hidden
    kind = packed.floats("emb.type").reshape(-1, hidden)[0]
    places = graph.constant("places", packed.floats("emb.pos").reshape(-1, hidden) + kind)
    zero = graph.constant("zero", np.zeros(1, np.int64))
    graph.node("Shape", ["inputs_embeds"], "length", start=1, end=2)
    graph.node("Slice", [places, zero, "length", zero], "place")
    graph.node("Add", ["inputs_embeds", "place"], "placed")
    return graph.layer_norm(["placed"], "emb.ln", "embedded")


def _encoder_layer(graph: GraphWriter, x: str, layer: str, linear: Linear) -> str:
    shape = graph.packed.shape
    three = [f"{layer}.{part}" for part in ("q", "k", "v")]
    linear(graph, x, three, shape.hidden, f"{layer}.qkv")
    graph.nodes.append(helper.make_node("Split", [f"{layer}.qkv"], three, axis=-1, num_outputs=3))
    heads = {"num_heads": shape.heads}
    graph.node("MultiHeadAttention", [*three, "", "mask"], f"{layer}.mixed", _CONTRIB, **heads)
    attended = linear(graph, f"{layer}.mixed", [f"{layer}.ao"], shape.hidden, f"{layer}.attended")
    x = graph.layer_norm([x, attended], f"{layer}.aln", f"{layer}.between")
    wide = linear(graph, x, [f"{layer}.fi"], shape.hidden, f"{layer}.wide")
    graph.node("Gelu", [wide], f"{layer}.gelu", _CONTRIB)
    narrow = linear(graph, f"{layer}.gelu", [f"{layer}.fo"], shape.feed_forward, f"{layer}.narrow")
    return graph.layer_norm([x, narrow], f"{layer}.oln", f"{layer}.out")
