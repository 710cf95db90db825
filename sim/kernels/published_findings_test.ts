// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import type { Attribute } from "../../lib/ir/attribute.ts";
import type { LayoutRequest } from "../../lib/layout/make_layout.ts";
import type { OpSpecificAttributes } from "../../lib/op_config/op_config.ts";
import { definitionOf } from "../../lib/ops/op_book.ts";
import { getDevice } from "../devices/device_registry.ts";
import { pricedTensor } from "../testing/priced.ts";
import { microsecondsOf } from "./kernel.ts";
import { priceLaunch } from "./price_launch.ts";

/** Shape of an operand or result, and where it lies when not as tiles in interleaved DRAM. */
type Operand = readonly [shape: readonly number[], request?: Partial<LayoutRequest>];

interface Question {
  readonly device: string;
  readonly name: string;
  readonly inputs: readonly Operand[];
  readonly outputs: readonly Operand[];
  readonly attributes?: Readonly<Record<string, number | readonly number[]>>;
  readonly config?: OpSpecificAttributes;
}

/** Kernel time in µs. */
function microseconds(question: Question): number {
  const device = getDevice(question.device);
  const integer = (value: number): Attribute => ({ kind: "integer", value: BigInt(value), type: undefined });
  const attribute = (value: number | readonly number[]): Attribute =>
    typeof value === "number" ? integer(value) : { kind: "array", elements: value.map(integer) };
  const tensor = ([shape, request]: Operand) => pricedTensor(device, shape, request);
  const name = `ttnn.${question.name}`;
  const cost = priceLaunch(definitionOf(name).costClass, {
    name,
    attributes: new Map(
      Object.entries(question.attributes ?? {}).map(([key, value]) => [key, attribute(value)]),
    ),
    inputs: question.inputs.map(tensor),
    outputs: question.outputs.map(tensor),
    config: question.config,
  }, device);
  return microsecondsOf(device, cost.cycles);
}

/** Asserts that a prediction is within a share of what was published. */
function near(predicted: number, published: number, share: number): void {
  assert(Math.abs(predicted / published - 1) < share, `${predicted} us, published ${published} us`);
}

const ROWS = { tile: null } as const;

Deno.test("topk sorts tile by tile: twice the results or a row more than there are cores take twice the time", () => {
  const topk = (rows: number, width: number, k: number) =>
    microseconds({
      device: "p100",
      name: "topk",
      attributes: { k, dim: -1 },
      inputs: [[[1, 1, rows, width]]],
      outputs: [[[1, 1, rows, k]], [[1, 1, rows, k], { dataType: "u16" }]],
    });
  near(topk(32, 4096, 64) / topk(32, 4096, 32), 2, 0.1);
  near(topk(111 * 32, 1024, 32) / topk(110 * 32, 1024, 32), 2, 0.1);
});

Deno.test("argmax waits for every core that shares a row", () => {
  const argmax = (width: number) =>
    microseconds({
      device: "n150",
      name: "argmax",
      inputs: [[[256, width], ROWS]],
      outputs: [[[256, 1], { ...ROWS, dataType: "u32" }]],
    });
  // Published: 2.96 us a row on 64 cores, 0.95 on 16, of 16 to 32 elements each.
  assert(argmax(1024) > 2 * argmax(256), `${argmax(1024)} us, ${argmax(256)} us`);
});

Deno.test("a norm of one row of tiles runs on one core for tens of microseconds", () => {
  const norm = (request: Partial<LayoutRequest>) =>
    microseconds({
      device: "p150-harvested",
      name: "rms_norm",
      inputs: [[[1, 1, 32, 2816], request], [[1, 2816]]],
      outputs: [[[1, 1, 32, 2816], request]],
      config: { kind: "norm", computeConfig: { fp32DestAccEn: true } },
    });
  const alone = norm({});
  near(alone, 44, 0.25);
  const sharded = norm({ bufferType: "l1", memoryLayout: "width_sharded", grid: [1, 88] });
  assert(sharded < alone / 4, `${sharded} us on 88 cores`);
});

Deno.test("rows whose last dimension moves cost many times those that keep it", () => {
  const permute = (permutation: readonly number[]) => {
    const shape = [1, 4, 96, 128];
    return microseconds({
      device: "p150-harvested",
      name: "permute",
      attributes: { permutation },
      inputs: [[shape, ROWS]],
      outputs: [[permutation.map((dim) => shape[dim] ?? 1), ROWS]],
    });
  };
  near(permute([0, 2, 1, 3]), 2.5, 0.25);
  near(permute([3, 2, 1, 0]), 24, 0.25);
});

Deno.test("rows that end inside of a memory word are concatenated turned", () => {
  const concat = (width: number) =>
    microseconds({
      device: "n300",
      name: "concat",
      attributes: { dim: 1 },
      inputs: [[[256, width], ROWS], [[256, 2 * width], ROWS]],
      outputs: [[[256, 3 * width], ROWS]],
    });
  near(concat(100), 21.4, 0.25);
  assert(concat(96) < concat(100) / 3, `${concat(96)} us aligned`);
});

Deno.test("heads are split tile by tile on one core per row of tiles", () => {
  const heads = (rows: number) =>
    microseconds({
      device: "p150-harvested",
      name: "split_query_key_value_and_split_heads",
      inputs: [[[1, 1, rows, 5120]]],
      outputs: [[[1, 32, rows, 128]], [[1, 4, rows, 128]], [[1, 4, rows, 128]]],
    });
  near(heads(128), 67, 0.15);
  near(heads(64) / heads(128), 1, 0.05);
});

Deno.test("interleaved L1 is a network, not a shortcut", () => {
  const relu = (bufferType: "l1" | "dram") =>
    microseconds({
      device: "n150",
      name: "relu",
      inputs: [[[8192 * 32, 32], { bufferType }]],
      outputs: [[[8192 * 32, 32], { bufferType }]],
    });
  // Published 112 us for 16 MiB each way: hardly more than DRAM's peak.
  assert(relu("l1") > 75 && relu("l1") > 0.4 * relu("dram"), `${relu("l1")} us, DRAM ${relu("dram")} us`);
});

Deno.test("gathering compares every index with every tile of a long row", () => {
  const gather = (width: number) =>
    microseconds({
      device: "n150",
      name: "gather",
      inputs: [[[1, 1, 32, width]], [[1, 1, 32, 7680], { dataType: "u32" }]],
      outputs: [[[1, 1, 32, 7680]]],
    });
  near(gather(15360), 39_813, 0.2);
  near(gather(30720) / gather(15360), 2, 0.1);
});

Deno.test("every K block of a matmul with sharded weights takes at least 0.68 us", () => {
  const product = (in0BlockW: number) =>
    microseconds({
      device: "p150-harvested",
      name: "matmul",
      inputs: [
        [[1, 1, 32, 11008], { bufferType: "l1", memoryLayout: "width_sharded", grid: [1, 8] }],
        [[11008, 2048], { dataType: "bfp_bf8", memoryLayout: "width_sharded", grid: [1, 8] }],
      ],
      outputs: [[[1, 1, 32, 2048], { bufferType: "l1", memoryLayout: "width_sharded", grid: [1, 8] }]],
      config: {
        kind: "matmul",
        programConfig: {
          kind: "matmul_multi_core_reuse_multi_cast_dram_sharded",
          in0BlockW,
          perCoreM: 1,
          perCoreN: 8,
        },
        computeConfig: { mathFidelity: "lofi", packerL1Acc: true },
      },
    });
  near(product(1), 235.5, 0.1);
  near(product(43), 53.8, 0.2);
});
