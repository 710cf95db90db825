// SPDX-License-Identifier: Apache-2.0

/**
 * More of the same takes no less time, beyond what the device truly does: rows that fill one tile more of padding, cores
 * that share rows unevenly. What the backend cuts in another way from some size on is left out, and named.
 */

import { assert } from "@std/assert";
import fc from "fast-check";
import type { DataType } from "../../lib/layout/data_type.ts";
import { askQuestion, attributesOf, DRAM, L1, type PlacedTensor } from "../audit/op_question.ts";
import { getDevice } from "../devices/device_registry.ts";
import { along, elementwise, EVEN_OPS, type Question, reshaped } from "../testing/op_questions.ts";

const widthOf = ({ shape }: PlacedTensor) => shape.at(-1) ?? 1;
const rowOf = (input: PlacedTensor) => reshaped(input, () => [widthOf(input)]);

function fourfold(input: PlacedTensor): PlacedTensor {
  return reshaped(input, (shape) => shape.with(-1, 4 * widthOf(input)));
}

function heads(input: PlacedTensor): PlacedTensor {
  return reshaped(input, (shape) => [1, 8, shape.at(-2) ?? 1, 64]);
}

function attention(isCausal: boolean): Question {
  return (input) => ({
    name: "ttnn.scaled_dot_product_attention",
    attributes: attributesOf({ is_causal: isCausal }),
    inputs: [heads(input), heads(input), heads(input)],
    outputs: [heads(input)],
  });
}

/**
 * Ops by what they do to rows. Not among them: matmuls and convolutions, for which the backend looks for divisors of the
 * extents; `to_layout` and what goes through rows of elements, which it cuts into blocks where rows are wide and few;
 * pools, whose last core it leaves little padding; operands of one column, which a core reads once or twice as its tiles
 * begin in a row or in the middle of one; sums of rows of fewer than four tiles, which are waited for four at a time where
 * every core has as many and one by one otherwise, and minima of rows of block floats, which are so only where every core
 * has two rows.
 */
const OPS: Readonly<Record<string, Question>> = {
  ...EVEN_OPS,
  logical_and: elementwise("ttnn.logical_and", 2),
  typecast: (input) => ({
    name: "ttnn.typecast",
    inputs: [input],
    outputs: [{ ...input, dataType: input.dataType === "f32" ? "bf16" : "f32" }],
  }),
  "other memory": (input) => ({
    name: "ttnn.to_memory_config",
    inputs: [input],
    outputs: [{ ...input, place: input.place === L1 ? DRAM : L1 }],
  }),
  "sum of rows": (input) => along("ttnn.sum", 3)(fourfold(input)),
  "min of rows": (input) =>
    along("ttnn.min", 3)(fourfold({ ...input, dataType: input.dataType === "f32" ? "f32" : "bf16" })),
  layer_norm: (input) => ({
    name: "ttnn.layer_norm",
    inputs: [input, rowOf(input), rowOf(input)],
    outputs: [input],
  }),
  "rms_norm without weights": (input) => ({ name: "ttnn.rms_norm", inputs: [input], outputs: [input] }),
  "statistics of a norm": (input) => ({
    name: "ttnn.rms_norm_pre_all_gather",
    inputs: [input],
    outputs: [reshaped(input, (shape) => [...shape.slice(0, -1), 32])],
  }),
  "split into heads": (input) => ({
    name: "ttnn.split_query_key_value_and_split_heads",
    attributes: attributesOf({ num_heads: 8, transpose_key: false }),
    inputs: [reshaped(input, (shape) => [1, shape.at(-2) ?? 1, 3 * 512])],
    outputs: [heads(input), heads(input), heads(input)],
  }),
  rotary: (input) => {
    const angles = reshaped(input, (shape) => [1, 1, shape.at(-2) ?? 1, 64]);
    return {
      name: "ttnn.rotary_embedding",
      inputs: [heads(input), angles, angles],
      outputs: [heads(input)],
    };
  },
  attention: attention(false),
  "causal attention": attention(true),
  full: (input) => ({ name: "ttnn.full", inputs: [], outputs: [input] }),
  "reshape of rows": (input) => ({
    name: "ttnn.reshape",
    inputs: [input],
    outputs: [reshaped(input, (shape) => [1, shape.at(-2) ?? 1, widthOf(input) / 32, 32])],
  }),
};

const DATA_TYPES: readonly DataType[] = ["bf16", "f32", "bfp_bf8"];

/** Time that a price may fall by when there is more to do. */
const SLACK = { share: 0.1, microseconds: 0.5 };

Deno.test("more rows never take less time, for any remainder over the cores", () => {
  fc.assert(
    fc.property(
      fc.record({
        op: fc.constantFrom(...Object.keys(OPS)),
        device: fc.constantFrom("n150", "n300", "p100", "p150-13x10"),
        rows: fc.integer({ min: 1, max: 300 }),
        more: fc.integer({ min: 1, max: 140 }),
        columns: fc.integer({ min: 1, max: 40 }),
        dataType: fc.constantFrom(...DATA_TYPES),
        place: fc.constantFrom(DRAM, L1),
      }),
      ({ op, device, rows, more, columns, dataType, place }) => {
        const ask = OPS[op];
        assert(ask !== undefined);
        const timeOf = (tiles: number) => {
          const shape = [1, 1, 32 * tiles, 32 * columns];
          const { microseconds, terms } = askQuestion(ask({ shape, dataType, place }), getDevice(device));
          return microseconds - terms.launch;
        };
        const [fewer, larger] = [timeOf(rows), timeOf(rows + more)];
        assert(
          larger >= fewer * (1 - SLACK.share) - SLACK.microseconds,
          `${op} of ${rows} x ${columns} tiles ${dataType} on ${device}: ${fewer} us, ${more} rows more ${larger} us`,
        );
      },
    ),
    {
      numRuns: 3000,
      // Cores with two rows, of which few have a second one.
      examples: [
        [{
          op: "layer_norm",
          device: "p150-13x10",
          rows: 131,
          more: 93,
          columns: 32,
          dataType: "bf16",
          place: L1,
        }],
        [{ op: "layer_norm", device: "n150", rows: 65, more: 38, columns: 8, dataType: "bf16", place: DRAM }],
        [{
          op: "rms_norm",
          device: "p150-13x10",
          rows: 131,
          more: 109,
          columns: 32,
          dataType: "bf16",
          place: L1,
        }],
      ],
    },
  );
});

/** Columns of tiles of one row each become matrices: half of their tiles hold one row of padding's worth. */
Deno.test("a reshape into matrices that do not fill their tiles takes no less time than one that does", () => {
  const timeOf = (columns: number, name: string) => {
    const ask = OPS["reshape of rows"];
    assert(ask !== undefined);
    const { microseconds, terms } = askQuestion(
      ask({ shape: [1, 1, 32, 32 * columns], dataType: "bf16", place: DRAM }),
      getDevice(name),
    );
    return microseconds - terms.launch;
  };
  for (const device of ["n150", "p150-13x10"]) {
    for (const full of [32, 64, 96, 128]) {
      const [filled, more] = [timeOf(full, device), timeOf(full + 1, device)];
      assert(more >= filled * 0.95, `${device}: ${filled} us of ${full} columns, ${more} us of one more`);
    }
  }
});

/**
 * Ops on shards by what they do. Not among them: products, whose senders hand on more and shorter blocks; norms and
 * softmaxes of shared rows, whose cores add up more parts.
 */
const ON_SHARDS: Readonly<Record<string, Question>> = {
  relu: elementwise("ttnn.relu", 1),
  add: elementwise("ttnn.add", 2),
  "add from DRAM": (input) => ({
    name: "ttnn.add",
    inputs: [input, { ...input, place: DRAM }],
    outputs: [input],
  }),
  "out to DRAM": (input) => ({
    name: "ttnn.to_memory_config",
    inputs: [input],
    outputs: [{ ...input, place: DRAM }],
  }),
  "in from DRAM": (input) => ({
    name: "ttnn.to_memory_config",
    inputs: [{ ...input, place: DRAM }],
    outputs: [input],
  }),
  "out to L1": (input) => ({
    name: "ttnn.to_memory_config",
    inputs: [input],
    outputs: [{ ...input, place: L1 }],
  }),
  "in from L1": (input) => ({
    name: "ttnn.to_memory_config",
    inputs: [{ ...input, place: L1 }],
    outputs: [input],
  }),
};

const TILES = fc.integer({ min: 1, max: 8 });
const CORES = fc.constantFrom(1, 2, 4, 8, 16, 32);

Deno.test("shards of half the size on twice as many cores take no longer, wider elements no less", () => {
  fc.assert(
    fc.property(
      fc.record({
        op: fc.constantFrom(...Object.keys(ON_SHARDS)),
        device: fc.constantFrom("n150", "p150-13x10"),
        byRows: fc.boolean(),
        cores: CORES,
        tiles: fc.tuple(TILES, TILES),
      }),
      ({ op, device, byRows, cores, tiles: [shared, other] }) => {
        const ask = ON_SHARDS[op];
        assert(ask !== undefined);
        const extents = [32 * 2 * cores * shared, 32 * other];
        const timeOf = (count: number, dataType: DataType) => {
          const { microseconds } = askQuestion(
            ask({
              shape: [1, 1, ...(byRows ? extents : extents.toReversed())],
              dataType,
              place: {
                bufferType: "l1",
                memoryLayout: byRows ? "height_sharded" : "width_sharded",
                grid: byRows ? [count, 1] : [1, count],
              },
            }),
            getDevice(device),
          );
          return microseconds;
        };
        const said = `${op} of ${extents} on ${device}, ${cores} cores${byRows ? " by rows" : ""}`;
        const [few, many] = [timeOf(cores, "bf16"), timeOf(2 * cores, "bf16")];
        assert(
          many <= few * (1 + SLACK.share) + SLACK.microseconds,
          `${said}: ${few} us, twice as many ${many} us`,
        );
        const [narrow, wide] = [timeOf(cores, "bfp_bf8"), timeOf(cores, "f32")];
        assert(
          narrow <= few * (1 + 1e-9) && few <= wide * (1 + 1e-9),
          `${said}: ${narrow}, ${few}, ${wide} us`,
        );
      },
    ),
    { numRuns: 1000 },
  );
});
