// SPDX-License-Identifier: Apache-2.0

/** A machine that does one thing faster does no op slower: prices of two devices order as the devices do. */

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { DataType } from "../../lib/layout/data_type.ts";
import { askQuestion, attributesOf, DRAM, L1, type PlacedTensor } from "../audit/op_question.ts";
import type { ConstantValues } from "../devices/constants.ts";
import { type Device, withConstants } from "../devices/device.ts";
import { getDevice } from "../devices/device_registry.ts";
import { along, elementwise, EVEN_OPS, type Question, reshaped } from "../testing/op_questions.ts";

const OPS: Readonly<Record<string, Question>> = {
  ...EVEN_OPS,
  "other memory": (input) => ({
    name: "ttnn.to_memory_config",
    inputs: [input],
    outputs: [{ ...input, place: otherMemory(input) }],
  }),
  "relu into other memory": (input) => ({
    name: "ttnn.relu",
    inputs: [input],
    outputs: [{ ...input, place: otherMemory(input) }],
  }),
  "add from both memories": (input) => ({
    name: "ttnn.add",
    inputs: [input, { ...input, place: otherMemory(input) }],
    outputs: [input],
  }),
  layer_norm: (input) => ({
    name: "ttnn.layer_norm",
    inputs: [input, weightsOf(input), weightsOf(input)],
    outputs: [input],
  }),
  "half of the rows": (input) => ({
    name: "ttnn.slice_static",
    attributes: attributesOf({
      begins: [0, 0, 0, 0],
      ends: halved(input.shape),
      step: [1, 1, 1, 1],
    }),
    inputs: [input],
    outputs: [reshaped(input, halved)],
  }),
  "min of rows": along("ttnn.min", 3),
  gelu: elementwise("ttnn.gelu", 1),
};

function otherMemory({ place }: PlacedTensor): PlacedTensor["place"] {
  return place === L1 ? DRAM : L1;
}

function weightsOf(input: PlacedTensor): PlacedTensor {
  return { ...reshaped(input, (shape) => [shape.at(-1) ?? 1]), place: DRAM };
}

function halved(shape: readonly number[]): readonly number[] {
  return shape.map((extent, axis) => axis === 2 ? Math.ceil(extent / 2) : extent);
}

/** What is faster: larger where it is a rate, smaller where it is a time. */
const CONSTANTS: readonly (readonly [kind: "rate" | "time", section: string, name: string])[] = [
  ["rate", "clock", "aiclk"],
  ["rate", "dram", "peakBandwidth"],
  ["rate", "dram", "interleavedReadShare"],
  ["rate", "dram", "interleavedWriteShare"],
  ["rate", "dram", "interleavedMixedShare"],
  ["rate", "noc", "readBytesPerCycle"],
  ["rate", "noc", "writeBytesPerCycle"],
  ["rate", "noc", "allToAllChipBytesPerCycle"],
  ["rate", "stream", "l1ChipReadBytesPerCycle"],
  ["time", "noc", "interleavedIssue"],
  ["time", "stream", "readBarrier"],
  ["time", "stream", "l1ReadBarrier"],
  ["time", "stream", "writeBarrier"],
  ["time", "stream", "startup"],
  ["time", "tensix", "eltwiseTile"],
  ["time", "tensix", "passTile"],
  ["time", "tensix", "passTileWide"],
  ["time", "tensix", "passBlock"],
  ["time", "tensix", "reduceTile"],
  ["time", "tensix", "reduceRow"],
];

/** A device that does one thing so many times faster. */
function faster(device: Device, change: number, factor: number): Device {
  const [kind, section, name] = CONSTANTS[change] ?? [];
  assert(kind !== undefined && section !== undefined && name !== undefined);
  const { value } = device.constants[section]?.[name] ?? {};
  assert(value !== undefined, `${section}.${name}`);
  const values: ConstantValues = { [section]: { [name]: kind === "rate" ? value * factor : value / factor } };
  return withConstants(device, values, "a faster machine", "guess");
}

/** Share of a price that rounds of cores, waited for one by one, may differ by. */
const SLACK = 0.002;

const DATA_TYPES: readonly DataType[] = ["bf16", "f32", "bfp_bf8"];

Deno.test("no op takes longer on a machine with one faster constant", () => {
  fc.assert(
    fc.property(
      fc.record({
        op: fc.constantFrom(...Object.keys(OPS)),
        device: fc.constantFrom("n150", "n300", "p100", "p150-13x10"),
        change: fc.nat({ max: CONSTANTS.length - 1 }),
        factor: fc.constantFrom(1.1, 1.5, 3),
        rows: fc.integer({ min: 1, max: 800 }),
        columns: fc.integer({ min: 1, max: 100 }),
        dataType: fc.constantFrom(...DATA_TYPES),
        place: fc.constantFrom(DRAM, L1),
      }),
      ({ op, device: name, change, factor, rows, columns, dataType, place }) => {
        const ask = OPS[op];
        assert(ask !== undefined);
        const question = ask({ shape: [1, 1, 32 * rows, 32 * columns], dataType, place });
        const device = getDevice(name);
        const [now, then] = [device, faster(device, change, factor)].map((machine) =>
          askQuestion(question, machine).microseconds
        );
        assert(now !== undefined && then !== undefined);
        assert(
          then <= now * (1 + SLACK),
          `${op} of ${rows} x ${columns} tiles ${dataType} on ${name}: ${now} us, and ${then} us with ` +
            `${CONSTANTS[change]} ${factor} times as fast`,
        );
      },
    ),
    {
      numRuns: 3000,
      examples: [
        // DRAM no longer limits a copy to L1; a row that each core goes over alone.
        [{
          op: "other memory",
          device: "n300",
          change: 1,
          factor: 1.1,
          rows: 800,
          columns: 8,
          dataType: "bf16",
          place: DRAM,
        }],
        // With its weights it reads so much more than it writes that it moves faster.
        [{
          op: "rms_norm",
          device: "n150",
          change: 2,
          factor: 3,
          rows: 389,
          columns: 2,
          dataType: "bf16",
          place: DRAM,
        }],
        [{
          op: "rms_norm",
          device: "p150-13x10",
          change: 16,
          factor: 3,
          rows: 32,
          columns: 88,
          dataType: "bf16",
          place: DRAM,
        }],
        [{
          op: "layer_norm",
          device: "n300",
          change: 0,
          factor: 3,
          rows: 32,
          columns: 100,
          dataType: "bf16",
          place: DRAM,
        }],
      ],
    },
  );
});

Deno.test("a mean over a dimension of one element is a tile's work for every tile of the result", () => {
  const mean = (channels: number) =>
    askQuestion(
      along("ttnn.mean", 1)({ shape: [1, channels, 64, 1216], dataType: "bf16", place: L1 }),
      getDevice("p150-13x10"),
    );
  const [one, two] = [mean(1), mean(2)];
  assert(
    one.microseconds <= two.microseconds,
    `${one.microseconds} us of one, ${two.microseconds} us of two`,
  );
  assertEquals(one.cores, two.cores);
});
