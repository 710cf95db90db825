// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import fc from "fast-check";
import { type DataType, isBlockFloat, tileBytes } from "../../lib/layout/data_type.ts";
import { askQuestion, attributesOf, DRAM, L1, type PlacedTensor } from "../audit/op_question.ts";
import { getDevice } from "../devices/device_registry.ts";
import { EVEN_OPS, joined, permuted, type Question, reshaped } from "../testing/op_questions.ts";

const RUNS = 3000;

/** Extents that models have and kernels are not tuned for: one, no multiple of a tile, primes, a vocabulary, an image. */
const EXTENTS = [1, 2, 7, 31, 32, 33, 64, 197, 1000, 1024, 4096, 50_257, 1_000_000];

/** Elements beyond which a tensor fits no chip. */
const MOST_ELEMENTS = 2 ** 27;

const DATA_TYPES: readonly DataType[] = ["bf16", "f32", "bfp_bf8", "bfp_bf4", "si32", "u32", "u8"];

function inRows(tensor: PlacedTensor): PlacedTensor {
  return {
    ...tensor,
    dataType: isBlockFloat(tensor.dataType) ? "bf16" : tensor.dataType,
    place: { ...tensor.place, tile: null },
  };
}

/** Ops whose work grows with their bytes. */
const OPS: Readonly<Record<string, Question>> = {
  ...EVEN_OPS,
  "add of a number": (input) => ({
    name: "ttnn.add",
    inputs: [input, reshaped(input, () => [1, 1, 1, 1])],
    outputs: [input],
  }),
  untilize: (input) => ({ name: "ttnn.to_layout", inputs: [input], outputs: [inRows(input)] }),
  tilize: (input) => ({ name: "ttnn.to_layout", inputs: [inRows(input)], outputs: [input] }),
  "permute channels last": permuted([0, 2, 3, 1]),
  "concat of images": joined(0),
  "slice of columns": (input) => {
    const output = reshaped(
      input,
      (shape) => shape.map((extent, at) => at < 3 ? extent : Math.ceil(extent / 2)),
    );
    const ones = input.shape.map(() => 1);
    return {
      name: "ttnn.slice_static",
      attributes: attributesOf({ begins: ones.map(() => 0), ends: output.shape, step: ones }),
      inputs: [input],
      outputs: [output],
    };
  },
};

/** Bytes of a tensor with the padding of its tiles. */
function paddedBytes({ shape, dataType }: PlacedTensor): number {
  const tiles = shape.reduce((product, extent, at) => {
    return product * (at < shape.length - 2 ? extent : Math.ceil(extent / 32));
  }, 1);
  return tiles * tileBytes(dataType);
}

/** Those that cut tensors of all sizes alike; programs around rows of elements cut wide ones into blocks. */
const CUT_EQUALLY = Object.keys(OPS).filter((op) =>
  /^(relu|gelu|add|where|sum|rms_norm|concat of images)/.test(op)
);

const inputOf = (ops: readonly string[]) =>
  fc.record({
    op: fc.constantFrom(...ops),
    device: fc.constantFrom("n150", "n300", "p100", "p150-13x10"),
    shape: fc.tuple(...[0, 1, 2, 3].map(() => fc.constantFrom(...EXTENTS)))
      .filter((shape) => shape.reduce((product, extent) => product * extent, 1) <= MOST_ELEMENTS)
      .filter((shape) => paddedBytes({ shape, dataType: "f32", place: DRAM }) <= 2 ** 31),
    dataType: fc.constantFrom(...DATA_TYPES),
    place: fc.constantFrom(DRAM, L1),
    // What does not fit leaves kernels no room for their buffers: such a question has no answer to price.
  }).filter(({ place, ...tensor }) => place === DRAM || paddedBytes({ ...tensor, place }) <= MOST_L1_BYTES);

/** Bytes of a tensor that fits in L1 of every chip, together with results of twice its size. */
const MOST_L1_BYTES = 2 ** 24;

Deno.test("awkward shapes of every format take no less than their bytes and no more than one slow core", () => {
  fc.assert(
    fc.property(inputOf(Object.keys(OPS)), ({ op, device: name, shape, dataType, place }) => {
      const device = getDevice(name);
      const ask = OPS[op];
      assert(ask !== undefined);
      const question = ask({ shape, dataType, place });
      const { microseconds, terms, dramBytes, cores } = askQuestion(question, device);
      const us = microseconds - terms.launch;
      const told = `${op} of ${shape.join("x")} ${dataType} on ${name}: ${us} us`;
      assert(Number.isFinite(us) && us >= 0, told);
      assert(cores === 0 || us > 0.2, told);
      // What banks give to one reader each is the most that anybody measured.
      const most = device.dram.peakBandwidth * device.dram.shardedReadShare * 1000;
      assert(
        us >= dramBytes / most * (1 - 1e-9),
        `${told}, ${dramBytes} bytes`,
      );
      // A core that moves a byte every 16 cycles by itself, and the start of a dozen programs.
      const bytes = [...question.inputs, ...question.outputs].reduce(
        (sum, each) => sum + paddedBytes(each),
        0,
      );
      assert(us <= 100 + 16 * bytes / device.clock.aiclk, `${told}, ${bytes} bytes with padding`);
    }),
    {
      numRuns: RUNS,
      // Rows of tiles in blocks that leave one core out.
      examples: [[{
        op: "tilize",
        device: "p100",
        shape: [1, 1, 32, 1_000_000],
        dataType: "bf16",
        place: DRAM,
      }]],
    },
  );
});

Deno.test("one more of anything takes no longer than twice as much of it on as many cores", () => {
  const grown = (shape: readonly number[], axis: number, by: (extent: number) => number) =>
    shape.map((extent, at) => at === axis ? by(extent) : extent);
  fc.assert(
    fc.property(
      inputOf(CUT_EQUALLY),
      fc.integer({ min: 0, max: 3 }),
      ({ op, device, shape, dataType, place }, axis) => {
        const ask = OPS[op];
        assert(ask !== undefined);
        const estimateOf = (extents: readonly number[]) => {
          const { microseconds, terms, cores } = askQuestion(
            ask({ shape: extents, dataType, place }),
            getDevice(device),
          );
          return { us: microseconds - terms.launch, cores };
        };
        // Off the tiles by one both times, so that both pad and both tear tiles apart.
        const more = estimateOf(grown(shape, axis, (extent) => extent + 1));
        const twice = estimateOf(grown(shape, axis, (extent) => 2 * extent + 1));
        // Larger tensors may be cut in another way, finer than the smaller one could be.
        if (twice.cores > 2 * more.cores) return;
        assert(
          more.us <= 1.25 * twice.us + 0.5,
          `${op} of ${
            shape.join("x")
          } ${dataType} on ${device}: ${more.us} us along ${axis}, twice ${twice.us} us`,
        );
      },
    ),
    {
      numRuns: RUNS,
      // Two cores with two tiles each, whose number serves both.
      examples: [[
        { op: "add of a number", device: "p150-13x10", shape: [1, 32, 33, 64], dataType: "bf16", place: L1 },
        1,
      ]],
    },
  );
});
