"""YAMNet from a TFLite file: a tiny model of the same inputs and outputs, made by the test and run by the same code."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import tracepact
from tracelab.probe.registry import EncoderEntry, load_encoder, own_registry, read_registry

pytestmark = pytest.mark.slow
pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
WINDOW, HOP = 15_600, 1_280
CLASSES, BEFORE = 39, 60
"""Both divide the window: an output is the mean of its columns, written in so many columns."""


def tensor(schema, name: str, shape: list[int], buffer: int = 0, *, whole: bool = False):
    found = schema.TensorT()
    found.name, found.shape, found.buffer = name, shape, buffer
    found.type = schema.TensorType.INT32 if whole else schema.TensorType.FLOAT32
    return found


def operator(schema, opcode: int, inputs: list[int], outputs: list[int], options=None, kind: int = 0):
    found = schema.OperatorT()
    found.opcodeIndex, found.inputs, found.outputs = opcode, inputs, outputs
    found.builtinOptions, found.builtinOptionsType = options, kind
    return found


def write_model(place: Path, widths: tuple[int, ...]) -> None:
    """A model that hears a window and gives, for each width, the means of its columns."""
    import flatbuffers
    from ai_edge_litert import schema_py_generated as schema

    model, graph = schema.ModelT(), schema.SubGraphT()
    model.version, model.subgraphs, model.operatorCodes = 3, [graph], []
    for code in (schema.BuiltinOperator.RESHAPE, schema.BuiltinOperator.MEAN):
        own = schema.OperatorCodeT()
        own.builtinCode = own.deprecatedBuiltinCode = code
        own.version = 1
        model.operatorCodes.append(own)
    model.buffers = [schema.BufferT()]

    def constant(values: list[int]) -> int:
        buffer = schema.BufferT()
        buffer.data = np.array(values, dtype="<i4").view(np.uint8)
        model.buffers.append(buffer)
        return len(model.buffers) - 1

    graph.tensors = [tensor(schema, "waveform", [WINDOW])]
    graph.inputs, graph.outputs, graph.operators = [0], [], []
    for width in widths:
        rows, first = WINDOW // width, len(graph.tensors)
        mean = schema.ReducerOptionsT()
        mean.keepDims = True
        graph.tensors += [
            tensor(schema, f"shape {width}", [2], constant([rows, width]), whole=True),
            tensor(schema, f"rows {width}", [rows, width]),
            tensor(schema, f"axis {width}", [1], constant([0]), whole=True),
            tensor(schema, f"mean {width}", [1, width]),
        ]
        graph.operators += [
            operator(schema, 0, [0, first], [first + 1]),
            operator(schema, 1, [first + 1, first + 2], [first + 3], mean, schema.BuiltinOptions.ReducerOptions),
        ]
        graph.outputs.append(first + 3)
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(bytes(builder.Output()))


def entry(dims: int) -> EncoderEntry:
    found = read_registry(own_registry()).encoders(["yamnet"])[0]
    return EncoderEntry(**({key: getattr(found, key) for key in found.__struct_fields__} | {"dims": dims}))


@pytest.mark.parametrize("widths", [(CLASSES,), (CLASSES, BEFORE), (BEFORE, CLASSES)])
def test_yamnet_gives_the_output_of_its_entry_for_windows_around_every_80_ms(tmp_path, widths):
    wanted = entry(CLASSES)
    write_model(tmp_path / wanted.folder / wanted.files[0], widths)
    sound = np.random.default_rng(5).standard_normal(16_000).astype(np.float32)
    found = load_encoder(wanted, tmp_path)(sound)
    padded = np.concatenate([np.zeros(WINDOW // 2), sound, np.zeros(WINDOW // 2)])
    windows = [padded[start : start + WINDOW] for start in range(0, len(sound) + 1, HOP)]
    expected = [window.reshape(-1, CLASSES).mean(axis=0) for window in windows]
    assert (found.first, found.hop) == (0, Fraction(2, 25))
    assert found.values.shape == (13, CLASSES)
    assert np.allclose(found.values, expected, atol=1e-5)


def test_a_file_without_that_output_and_one_that_is_no_model_are_refused(tmp_path):
    wanted = entry(CLASSES)
    place = tmp_path / wanted.folder / wanted.files[0]
    write_model(place, (BEFORE,))
    with pytest.raises(tracepact.InvalidInput, match=r"bad-registry.*gives 60 numbers, and the entry says 39"):
        load_encoder(wanted, tmp_path)
    place.write_bytes(b"no model")
    with pytest.raises(tracepact.InvalidInput, match="bad-checkpoint"):
        load_encoder(wanted, tmp_path)
