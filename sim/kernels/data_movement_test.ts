// SPDX-License-Identifier: Apache-2.0
import { definitionOf } from "../../lib/ops/op_book.ts";
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { withConstants } from "../devices/device.ts";
import { getDevice } from "../devices/device_registry.ts";
import { microsecondsOf } from "./kernel.ts";
import { kernelCost, pricedTensor } from "../testing/priced.ts";

/** Few cores, so that what one core does shows, not what DRAM delivers to all. */
const P150 = withConstants(
  getDevice("p150-13x10"),
  { grid: { workerColumns: 5, workerRows: 4 } },
  "test",
  "guess",
);
const ROW_MAJOR = { tile: null } as const;

Deno.test("to_layout waits for every row of elements that it takes padding off", () => {
  const cost = (rows: number) =>
    kernelCost(
      P150,
      "to_layout",
      "ttnn.to_layout",
      [pricedTensor(P150, [1, 1, rows, 256])],
      pricedTensor(P150, [1, 1, rows, 256], ROW_MAJOR),
    ).cycles;
  const perRow = (cost(25_281) - cost(25_312)) / (25_281 / 20);
  assert(perRow > 0.5 * P150.stream.stickWait && perRow < P150.stream.stickWait, `${perRow} cycles`);
});

Deno.test("the core with the last rows of a matrix fills them up to whole tiles word by word", () => {
  const cost = (rows: number) =>
    kernelCost(
      P150,
      "to_layout",
      "ttnn.to_layout",
      [pricedTensor(P150, [1, 1, rows, 256], ROW_MAJOR)],
      pricedTensor(P150, [1, 1, rows, 256]),
    ).cycles;
  // One row of tiles per core: 20 more rows of padding are 20 times 128 words for one of them.
  const { padWord, padRun } = P150.stream;
  assertAlmostEquals(cost(300) - cost(320), 20 * 128 * padWord + padRun, 1000);
});

Deno.test("a tilize is neither read nor written ahead of while it computes", () => {
  const cost = (rows: number) =>
    kernelCost(
      P150,
      "to_layout",
      "ttnn.to_layout",
      [pricedTensor(P150, [1, 1, rows, 256], { ...ROW_MAJOR, dataType: "f32" })],
      pricedTensor(P150, [1, 1, rows, 256], { dataType: "f32" }),
    );
  // Two and three rows of tiles per core; tiles of f32 take longer to compute than to move.
  const [two, three] = [cost(1280), cost(1920)];
  const read = P150.stream.readBarrier + 32 * P150.noc.interleavedIssue;
  assert(three.cycles - two.cycles > three.compute / 3 + read, `${three.cycles - two.cycles} cycles`);
});

Deno.test("to_memory_config stages rows of elements into shards, not out of them", () => {
  const interleaved = pricedTensor(P150, [1, 1, 7680, 256], ROW_MAJOR);
  const sharded = pricedTensor(P150, [1, 1, 7680, 256], {
    ...ROW_MAJOR,
    bufferType: "l1",
    memoryLayout: "height_sharded",
    grid: [20, 1],
  });
  const into = kernelCost(P150, "reshard", "ttnn.to_memory_config", [interleaved], sharded).cycles;
  const out = kernelCost(P150, "reshard", "ttnn.to_memory_config", [sharded], interleaved).cycles;
  assert(into > 4 * out);
});

Deno.test("reshape is free as a view and copies half rows otherwise", () => {
  const input = pricedTensor(P150, [1, 1, 1920, 256]);
  const view = pricedTensor(P150, [1, 24, 96, 256]);
  const other = pricedTensor(P150, [1, 24, 80, 256]);
  assertEquals(kernelCost(P150, "reshape", "ttnn.reshape", [input], view).cycles, 0);
  const { cycles } = kernelCost(P150, "reshape", "ttnn.reshape", [input], other);
  const copies = pricedTensor(P150, [1, 24, 80, 256]).tiles * 64 / 20;
  assert(cycles > copies * P150.stream.mappedPiece);
  // Two tiles with one element each: both waits for their map, then their only source.
  const pair = pricedTensor(P150, [1, 1, 2, 1]);
  const moved = kernelCost(P150, "reshape", "ttnn.reshape", [pair], pricedTensor(P150, [1, 2, 1, 1]));
  assert(moved.read > 3 * P150.stream.readBarrier && moved.read < 4 * P150.stream.readBarrier);
});

Deno.test("a reshape of tiles takes a wait per tile that it reads, and longer the more pieces the map names", () => {
  const device = getDevice("p150");
  const reshaped = (from: readonly number[], to: readonly number[]) =>
    microsecondsOf(
      device,
      kernelCost(device, "reshape", "ttnn.reshape", [pricedTensor(device, from)], pricedTensor(device, to))
        .cycles,
    );
  // Published:ops-2, decoders of Qwen 4B and Gemma: 8 and 32 sources of two half rows each, 4 of sixteen.
  const [eight, many] = [
    reshaped([1, 1, 1, 1024], [1, 1, 8, 128]),
    reshaped([1, 1, 1, 4096], [1, 1, 32, 128]),
  ];
  assertAlmostEquals(many - eight, 18.93 - 6.22, 0.15 * (18.93 - 6.22));
  assertAlmostEquals(reshaped([1, 32, 8, 256], [1, 1, 256, 256]), 6.51, 0.2 * 6.51);
});

Deno.test("reshape of rows waits for every row that it reads", () => {
  const cost = (rows: number) =>
    kernelCost(
      P150,
      "reshape",
      "ttnn.reshape",
      [pricedTensor(P150, [1, 1, rows, 6], ROW_MAJOR)],
      pricedTensor(P150, [1, 1, rows / 7, 42], ROW_MAJOR),
    ).cycles;
  const perRow = (cost(28_000) - cost(14_000)) / (14_000 / 20);
  assert(perRow > P150.noc.readLatency && perRow < 1.3 * P150.noc.readLatency, `${perRow} cycles`);
});

Deno.test("unary ops leave the shards' path when the last shard is not full, two tensors of one memory stay", () => {
  const on = (rows: number, cores: number, name: "ttnn.add" | "ttnn.relu") => {
    const tensor = pricedTensor(P150, [1, 1, rows, 1792], {
      bufferType: "l1",
      memoryLayout: "height_sharded",
      grid: [cores, 1],
    });
    return kernelCost(
      P150,
      definitionOf(name).costClass,
      name,
      name === "ttnn.add" ? [tensor, tensor] : [tensor],
      tensor,
    )
      .nocBytes;
  };
  assertEquals([on(1920, 20, "ttnn.relu"), on(1920, 20, "ttnn.add")], [0, 0]);
  assert(on(1408, 15, "ttnn.relu") > 0);
  assertEquals(on(1408, 15, "ttnn.add"), 0);
});

Deno.test("binary ops fill tiles out when an operand has one row only", () => {
  const whole = pricedTensor(P150, [1, 1, 8192, 256]);
  const row = pricedTensor(P150, [1, 1, 1, 256]);
  const cost = (second: typeof whole) =>
    microsecondsOf(P150, kernelCost(P150, "eltwise_binary", "ttnn.add", [whole, second], whole).cycles);
  assert(cost(row) > 1.2 * cost(whole));
});

Deno.test("tiles that leave shards wait for the one before; the last one takes no longer than its way", () => {
  const cost = (device: typeof P150, tiles: number) => {
    const sharded = pricedTensor(device, [1, 1, 32, 32 * 20 * tiles], {
      bufferType: "l1",
      memoryLayout: "width_sharded",
      grid: [1, 20],
    });
    const interleaved = pricedTensor(device, [1, 1, 32, 32 * 20 * tiles], { bufferType: "l1" });
    return kernelCost(device, "reshard", "ttnn.to_memory_config", [sharded], interleaved).write;
  };
  const slow = withConstants(P150, { stream: { tileDeparture: 1e5 } }, "test", "guess");
  assertEquals(cost(slow, 1), cost(P150, 1));
  assert(cost(slow, 3) > 2e5 && cost(slow, 3) < 2.1e5);
});

Deno.test("banks that only give serve cores in turn; those that also take make them wait for one another", () => {
  const n300 = getDevice("n300");
  const tensor = (memory: "dram" | "l1") =>
    pricedTensor(n300, [1, 1, 1600, 1024], memory === "l1" ? { bufferType: "l1" } : {});
  const copied = (from: "dram" | "l1", to: "dram" | "l1") =>
    kernelCost(n300, "concat", "ttnn.assign", [tensor(from)], tensor(to));
  // Published:ops-2, profile of RT-DETR: copies out of DRAM reach two thirds of its bandwidth.
  const read = copied("dram", "l1");
  assertAlmostEquals(microsecondsOf(n300, read.cycles), 17.43, 0.1 * 17.43);
  const loose = (cost: typeof read) => cost.cycles / Math.max(cost.read, cost.write);
  assert(loose(read) < loose(copied("l1", "l1")), "reading waits for nobody");
});

Deno.test("cores that concatenate heads of a decoded token compute their places before the first read", () => {
  const joined = (device: typeof P150) =>
    kernelCost(
      device,
      "heads",
      "ttnn.nlp_concat_heads_decode",
      [pricedTensor(device, [1, 1, 64, 64], {
        bufferType: "l1",
        memoryLayout: "height_sharded",
        grid: [1, 1],
      })],
      pricedTensor(device, [1, 1, 32, 4096], {
        bufferType: "l1",
        memoryLayout: "width_sharded",
        grid: [1, 64],
      }),
    ).cycles;
  const device = getDevice("p150");
  const slow = withConstants(
    device,
    {
      stream: { shardRanges: device.stream.shardRanges + 1000 },
    },
    "test",
    "guess",
  );
  assertAlmostEquals(joined(slow) - joined(device), 1000, 1);
  // Published:ops-2, a decoder of GPT-OSS.
  assertAlmostEquals(microsecondsOf(device, joined(device)), 1.31, 0.2 * 1.31);
});

Deno.test("tiles that change their format on the way into shards are cast while the next one is read", () => {
  const cost = (dataType: "bf16" | "bfp_bf8") => {
    const shape = [1, 1, 32, 32 * 20 * 8];
    const sharded = pricedTensor(P150, shape, {
      bufferType: "l1",
      memoryLayout: "width_sharded",
      grid: [1, 20],
      dataType,
    });
    return kernelCost(P150, "reshard", "ttnn.to_memory_config", [pricedTensor(P150, shape)], sharded);
  };
  const [kept, cast] = [cost("bf16"), cost("bfp_bf8")];
  const added = cast.cycles - kept.cycles;
  assertEquals(kept.compute, 0);
  // Of eight tiles per core all but one are cast behind a read.
  assert(cast.compute > 0 && added > 0 && added < Math.min(cast.compute, kept.read) / 4, `${added} cycles`);
});

Deno.test("a move into shards transfers its reads over the network, a move out of shards its writes", () => {
  const shards = { bufferType: "l1", memoryLayout: "height_sharded", grid: [4, 1] } as const;
  const bytes = (dataType: "bf16" | "bfp_bf8") => 128 * 32 / 1024 * (dataType === "bf16" ? 2048 : 1088);
  const [from, to] = ["bf16", "bfp_bf8"] as const;
  const moved = (into: boolean) =>
    kernelCost(
      P150,
      "reshard",
      "ttnn.to_memory_config",
      [pricedTensor(P150, [1, 1, 128, 32], { dataType: from, ...(into ? {} : shards) })],
      pricedTensor(P150, [1, 1, 128, 32], { dataType: to, ...(into ? shards : {}) }),
    ).nocBytes;
  assertEquals(moved(true), bytes(from));
  assertEquals(moved(false), bytes(to));
});
