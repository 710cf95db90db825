// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import type { RuntimeEstimate } from "../../lib/cost/cost_model.ts";
import type { Attribute } from "../../lib/ir/attribute.ts";
import type { LayoutRequest } from "../../lib/layout/make_layout.ts";
import type { OpSpecificAttributes } from "../../lib/op_config/op_config.ts";
import { definitionOf } from "../../lib/ops/op_book.ts";
import { attributesOf, DRAM, kernelMicroseconds } from "../audit/op_question.ts";
import { launchMicroseconds } from "../cost/estimate.ts";
import type { Device } from "../devices/device.ts";
import { getDevice } from "../devices/device_registry.ts";
import { pricedTensor } from "../testing/priced.ts";
import { createClock } from "../timeline/device_clock.ts";
import { microsecondsOf, startCycles } from "./kernel.ts";
import { priceLaunch } from "./price_program.ts";

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
  near(topk(96, 4064, 64) / topk(96, 4064, 32), 2, 0.1);
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

Deno.test("argmax of rows of tiles waits for each tile, then looks through its rows one by one", () => {
  const argmax = (rows: number) =>
    microseconds({
      device: "p150",
      name: "argmax",
      inputs: [[[rows, 262_144]]],
      outputs: [[[rows, 1], { ...ROWS, dataType: "u32" }]],
    });
  // Published: 9.1 ms for one row of 8,192 tiles, 155.8 ms for 32: 0.5 us a tile beside 0.58 us for each of its rows.
  near(argmax(1), 9128, 0.2);
  near(argmax(32), 155_808, 0.2);
});

Deno.test("a column that cores share waits for one core that adds up their parts; alone a core waits for every tile", () => {
  const mean = (tiles: number, only?: "first" | "last") =>
    kernelMicroseconds([{
      name: "ttnn.mean",
      attributes: attributesOf({ dim_arg: [0], keep_dim: true }),
      inputs: [{ shape: [32 * tiles, 32], dataType: "bf16", place: DRAM }],
      outputs: [{ shape: [1, 32], dataType: "bf16", place: DRAM }],
      ...only === undefined ? {} : { only },
    }], getDevice("n300"));
  // Published: 816.8 us of 1,602 tiles on one core, 200.7 us of 392; cut into 64 slices 18.1 and 11.3 us.
  near((mean(19) - mean(3)) / 16, 816.8 / 1602, 0.12);
  near(mean(1602, "first"), 18.1, 0.15);
  near(mean(1602, "last"), 11.3, 0.15);
  // Fewer tiles would be done by one core in less time than by two programs.
  near(mean(20), mean(19), 0.15);
});

Deno.test("a norm of one row of tiles runs on one core for tens of microseconds", () => {
  const norm = (request: Partial<LayoutRequest>) =>
    microseconds({
      device: "p150",
      name: "rms_norm",
      inputs: [[[1, 1, 32, 2816], request], [[1, 2816]]],
      outputs: [[[1, 1, 32, 2816], request]],
      config: { kind: "norm", computeConfig: { fp32DestAccEn: true } },
    });
  const alone = norm({});
  near(alone, 44, 0.25);
  const sharded = norm({ bufferType: "l1", memoryLayout: "width_sharded", grid: [1, 88] });
  near(sharded, 7.3, 0.15);
  // A third of the cores have three times the tiles, and fewer parts of the sum to hand over.
  const fewer = norm({ bufferType: "l1", memoryLayout: "width_sharded", grid: [1, 29] });
  assert(fewer < sharded, `${fewer} us on 29 cores`);
});

Deno.test("a core with one row of a softmax waits for it to come and go; further rows are only worked on", () => {
  const softmax = (rows: number) =>
    microseconds({
      device: "n300",
      name: "softmax",
      attributes: { dimension: 3 },
      inputs: [[[1, 1, 32 * 64 * rows, 256], { bufferType: "l1", dataType: "bfp_bf8" }]],
      outputs: [[[1, 1, 32 * 64 * rows, 256], { bufferType: "l1", dataType: "bfp_bf8" }]],
      // The default when it was measured.
      config: { kind: "norm", computeConfig: { fp32DestAccEn: false } },
    });
  // SegFormer's on Wormhole.
  near(softmax(1), 11, 0.15);
  near(softmax(4), 24.9, 0.15);
  near(softmax(8), 46.3, 0.15);
});

Deno.test("a softmax of rows that do not fill their tiles first makes a mask", () => {
  const softmax = (columns: number) =>
    microseconds({
      device: "p150",
      name: "softmax",
      attributes: { dimension: 3 },
      inputs: [[[1, 1, 32, columns]]],
      outputs: [[[1, 1, 32, columns]]],
    });
  // Published: 6.4 us for 8 columns of a tile, 5.4 us for the 64 of two.
  const mask = softmax(8) - softmax(32);
  assert(mask > 0.2 && mask < 1.5, `${mask} us`);
});

Deno.test("rows whose last dimension moves cost many times those that keep it", () => {
  const permute = (permutation: readonly number[]) => {
    const shape = [1, 4, 96, 128];
    return microseconds({
      device: "p150",
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
      device: "p150",
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
      attributes: { dim: -1 },
      inputs: [[[1, 1, 32, width]], [[1, 1, 32, 7680], { dataType: "u32" }]],
      outputs: [[[1, 1, 32, 7680]]],
    });
  near(gather(15360), 39_813, 0.2);
  near(gather(30720) / gather(15360), 2, 0.1);
});

Deno.test("every K block of a matmul with sharded weights takes at least 0.68 us", () => {
  const product = (in0BlockW: number) =>
    microseconds({
      device: "p150",
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

Deno.test("rows of 16 bytes go into shards one by one, half a microsecond each", () => {
  const place = (rows: number) =>
    microseconds({
      device: "n150",
      name: "to_memory_config",
      inputs: [[[1, 1, rows, 8], ROWS]],
      outputs: [[[1, 1, rows, 8], {
        ...ROWS,
        bufferType: "l1",
        memoryLayout: "height_sharded",
        grid: [64, 1],
      }]],
    });
  near(place(802_816), 5705, 0.35);
  near(place(802_816) / place(401_408), 2, 0.05);
});

Deno.test("weights that few cores read are bound by these cores, not by DRAM", () => {
  const product = (cores: number) =>
    microseconds({
      device: "p150",
      name: "matmul",
      inputs: [[[1, 1, 32, 23_040]], [[23_040, 3072], { dataType: "bfp_bf8" }]],
      outputs: [[[1, 1, 32, 3072]]],
      config: {
        kind: "matmul",
        programConfig: {
          kind: "matmul_multi_core_reuse_multi_cast_1d",
          computeWithStorageGridSize: [cores, 1],
          in0BlockW: 8,
          outSubblockH: 1,
          outSubblockW: 1,
          outBlockH: 1,
          outBlockW: 96 / cores,
          perCoreM: 1,
          perCoreN: 96 / cores,
          fuseBatch: true,
          mcastIn0: true,
          gatherIn0: false,
          hopCores: [],
          numGlobalCbReceivers: 0,
          untilizeOut: false,
        },
        computeConfig: { mathFidelity: "hifi2", packerL1Acc: true },
      },
    });
  near(product(8), 303.7, 0.1);
  assert(product(2) > 3 * product(8), `${product(2)} us on 2 cores`);
});

Deno.test("experts on the few cores of a default config take many times what DRAM needs for their weights", () => {
  // Eight experts of 2816 x 704 take 547 us on 2 cores; the config decides, not the chip.
  const experts = (cores: number, in0BlockW: number) =>
    microseconds({
      device: "p150",
      name: "matmul",
      inputs: [[[1, 8, 32, 2816]], [[1, 8, 2816, 704]]],
      outputs: [[[1, 8, 32, 704]]],
      config: {
        kind: "matmul",
        programConfig: {
          kind: "matmul_multi_core_reuse_multi_cast_1d",
          computeWithStorageGridSize: [cores, 1],
          in0BlockW,
          outSubblockH: 1,
          outSubblockW: 1,
          outBlockH: 1,
          outBlockW: 22 / cores,
          perCoreM: 1,
          perCoreN: 22 / cores,
          fuseBatch: false,
          mcastIn0: true,
          gatherIn0: false,
          hopCores: [],
          numGlobalCbReceivers: 0,
          untilizeOut: false,
        },
        computeConfig: { mathFidelity: "lofi", packerL1Acc: true },
      },
    });
  const { peakBandwidth, interleavedReadShare } = getDevice("p150").dram;
  const weights = 8 * 2816 * 704 * 2 / (peakBandwidth * 1000 * interleavedReadShare);
  near(experts(2, 1), 547, 0.5);
  assert(experts(2, 1) > 6 * weights, `${experts(2, 1)} us on 2 cores, DRAM ${weights} us`);
  assert(experts(11, 44) < experts(2, 1) / 3, `${experts(11, 44)} us on 11 cores`);
});

Deno.test("multicasts to many cores wait for each of them in every K block", () => {
  const product = (columns: number, rows: number, n: number) =>
    microseconds({
      device: "p150",
      name: "matmul",
      inputs: [[[1, 1, 32, 3072]], [[3072, n]]],
      outputs: [[[1, 1, 32, n]]],
      config: {
        kind: "matmul",
        programConfig: {
          kind: "matmul_multi_core_reuse_multi_cast_1d",
          computeWithStorageGridSize: [columns, rows],
          in0BlockW: 2,
          outSubblockH: 1,
          outSubblockW: 1,
          outBlockH: 1,
          outBlockW: 1,
          perCoreM: 1,
          perCoreN: 1,
          fuseBatch: true,
          mcastIn0: true,
          gatherIn0: false,
          hopCores: [],
          numGlobalCbReceivers: 0,
          untilizeOut: false,
        },
        computeConfig: { mathFidelity: "hifi2", packerL1Acc: true },
      },
    });
  // 48 blocks of 1.16 us on 64 cores, where DRAM alone would need 0.65.
  near(product(8, 8, 2048), 55.6, 0.1);
});

Deno.test("senders of a grid that read sharded weights begin anew after every K block", () => {
  const product = (columns: number) =>
    microseconds({
      device: "p150",
      name: "matmul",
      inputs: [[[1, 8, 512, 6656]], [[6656, columns * 256], {
        dataType: "bfp_bf4",
        memoryLayout: "width_sharded",
        grid: [1, 8],
      }]],
      outputs: [[[1, 8, 512, columns * 256]]],
      config: {
        kind: "matmul",
        programConfig: {
          kind: "matmul_multi_core_reuse_multi_cast",
          computeWithStorageGridSize: [8, 8],
          in0BlockW: 8,
          outSubblockH: 1,
          outSubblockW: 2,
          outBlockH: 2,
          outBlockW: columns,
          perCoreM: 2,
          perCoreN: columns,
          transposeMcast: false,
          fuseBatch: false,
        },
        computeConfig: { mathFidelity: "lofi", packerL1Acc: true },
      },
    });
  // Prefill of a 30B model on p300: 208 blocks, each 0.65 us beside what its columns take.
  const [narrow, wide] = [product(16), product(18)];
  near(narrow, 1026, 0.05);
  near(wide, 1130, 0.05);
  const rest = narrow - 16 * (wide - narrow) / 2;
  assert(rest > 208 * 0.5, `${rest} us for 208 blocks without columns`);
});

Deno.test("a small collective of a trace is without the skew of its launches", () => {
  // Profiles without a trace show 40 to 55 us of skew for each.
  const gather = microseconds({
    device: "p150-13x10",
    name: "all_gather",
    attributes: { all_gather_dim: 3, cluster_axis: 1 },
    inputs: [[[1, 1, 32, 128]]],
    outputs: [[[1, 1, 32, 256]]],
  });
  assert(gather > 1 && gather < 40, `${gather} us`);
});

Deno.test("programs shorter than their dispatch follow at a period of their own; a long kernel hides it", () => {
  const device = getDevice("p150-13x10");
  const period = (kernelUs: number) => {
    const clock = createClock(true, device);
    const starts = Array.from({ length: 40 }, () => clock(shortProgram(kernelUs, device)).startUs);
    return ((starts.at(-1) ?? 0) - (starts[0] ?? 0)) / (starts.length - 1);
  };
  // Kernels of 0.8 to 1.6 us: 2.24 us on 4 cores and 7.57 on 88.
  near(period(0.8) / period(1.6), 1, 0.001);
  assert(period(1) > 2.24 && period(1) < 7.57, `${period(1)} us`);
  near(period(50), 50 + device.dispatch.tracedGap, 0.001);
  // Eight short programs behind a long one follow at once.
  const clock = createClock(true, device);
  clock(shortProgram(1000, device));
  for (let i = 0; i < 8; i++) near(clock(shortProgram(1, device)).gapUs, device.dispatch.tracedGap, 0.001);
});

Deno.test("a program on one core begins later than one on several, and their sum is no longer", () => {
  for (const device of [getDevice("n150"), getDevice("p150-13x10")]) {
    const [one, two] = [1, 2].map((cores) => launchMicroseconds([{ cores }], device));
    assert(one !== undefined && two !== undefined && one > two, `${one} and ${two} us`);
    const spread = startCycles(2, device) - startCycles(1, device);
    near(one - two, microsecondsOf(device, spread), 1e-6);
  }
  assertEquals(launchMicroseconds([{ cores: 0 }], getDevice("n150")), 0);
});

/** What is known of a kernel that takes so long and is launched once. */
function shortProgram(kernelUs: number, device: Device): RuntimeEstimate {
  const launch = device.dispatch.tracedGap;
  return {
    programs: [],
    microseconds: kernelUs + launch,
    bound: "SLOW",
    relativeError: 0,
    ownError: 0,
    cores: 88,
    dramBytes: 0,
    nocBytes: 0,
    flops: 0,
    terms: { launch, read: kernelUs, compute: 0, write: 0 },
    dominant: "read",
  };
}
