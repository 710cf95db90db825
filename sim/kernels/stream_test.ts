// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { definitionOf } from "../../lib/ops/op_book.ts";
import type { ProgramTensor } from "../../lib/programs/program_tensor.ts";
import { attributesOf, DRAM, kernelMicroseconds } from "../audit/op_question.ts";
import { getDevice } from "../devices/device_registry.ts";
import { getMeasuredDevice } from "../microbenchmarks/measured_device.ts";
import { recordedWait } from "../microbenchmarks/profiler.ts";
import { pricedTensor } from "../testing/priced.ts";
import { type KernelCost, microsecondsOf } from "./kernel.ts";
import { priceLaunch } from "./price_program.ts";

const P150 = getDevice("p150");
const ROWS = { tile: null } as const;

function cost(
  name: string,
  inputs: readonly ProgramTensor[],
  outputs: readonly ProgramTensor[],
  attributes: Parameters<typeof attributesOf>[0] = {},
): KernelCost {
  const op = { name, attributes: attributesOf(attributes), inputs, outputs, config: undefined };
  return priceLaunch(definitionOf(name).costClass, op, P150);
}

/**
 * Asserts that a prediction is within a share of what was published (published:ops-2).
 *
 * @param gap recorded before the program, where a profiler timed it behind another one
 */
function near({ cycles, cores }: KernelCost, microseconds: number, share: number, gap?: number): void {
  const predicted = microsecondsOf(P150, cycles) + recordedWait(getMeasuredDevice(P150.name), cores, gap);
  assert(Math.abs(predicted / microseconds - 1) < share, `${predicted} us, published ${microseconds} us`);
}

Deno.test("updates of a cache take turns over the heads of a user, while users share DRAM", () => {
  const update = (users: number, heads: number) =>
    cost("ttnn.paged_update_cache", [
      pricedTensor(P150, [users * 4, heads, 32, 128]),
      pricedTensor(P150, [1, users, heads, 128], {
        bufferType: "l1",
        memoryLayout: "height_sharded",
        grid: [users, 1],
      }),
    ], []);
  const [two, four, eight] = [update(1, 2), update(1, 4), update(1, 8)];
  assertAlmostEquals((eight.cycles - four.cycles) / (four.cycles - two.cycles), 2, 0.01);
  near(eight, 8.3, 0.2);
  near(update(32, 4), 7.5, 0.2);
});

Deno.test("fills of a cache wait once per row of tiles", () => {
  const fill = (width: number) =>
    cost("ttnn.paged_fill_cache", [
      pricedTensor(P150, [4, 4, 32, width]),
      pricedTensor(P150, [1, 4, 128, width]),
      pricedTensor(P150, [1, 4], { ...ROWS, dataType: "si32" }),
    ], []);
  const four = fill(256).cycles - fill(128).cycles;
  assert(four < 2 * P150.stream.readBarrier, `${four} cycles for four tiles more`);
  near(fill(128), 2.05, 0.2);
});

Deno.test("pages that are fewer than the banks keep the others idle", () => {
  const heads = pricedTensor(P150, [32, 32, 32, 128]);
  const rotary = (positions: number) => {
    const angles = pricedTensor(P150, [1, 1, positions, 128]);
    return cost("ttnn.rotary_embedding", [heads, angles, angles], [heads]).cycles;
  };
  // Cosines and sines of 32 positions lie in 4 of 8 banks, those of 64 in all of them.
  assert(rotary(32) > 1.15 * rotary(64), `${rotary(32)} and ${rotary(64)}`);
  assert(Math.abs(rotary(64) / rotary(128) - 1) < 0.01);
});

Deno.test("pages of L1 leave the cores that hold them no faster than through their ports", () => {
  const whole = pricedTensor(P150, [32768, 32]);
  const bytes = whole.pages * whole.pageBytes;
  const sum = (place: Parameters<typeof pricedTensor>[2], width = 32) => {
    const wide = pricedTensor(P150, [32768 * 32 / width, width]);
    return cost("ttnn.add", [wide, pricedTensor(P150, [1, width], place)], [wide]).cycles;
  };
  const port = bytes / P150.noc.linkBytesPerCycle;
  // A row of one tile is read for every tile, by all cores.
  const one = sum({ bufferType: "l1" });
  assert(one >= port, `${one} cycles, its port ${port}`);
  const shard = { bufferType: "l1", memoryLayout: "height_sharded", grid: [1, 1] } as const;
  assert(sum(shard) >= port);
  // The pages of a wide row lie on many cores.
  const many = sum({ bufferType: "l1" }, 1024);
  assert(many < 0.9 * one, `${many} cycles, ${one}`);
});

Deno.test("one unit per core passes through the threads in turn; of many, the slowest thread sets the pace", () => {
  const cast = (tiles: number) =>
    cost("ttnn.typecast", [pricedTensor(P150, [1, 1, 32, tiles * 32])], [
      pricedTensor(P150, [1, 1, 32, tiles * 32], { dataType: "f32" }),
    ]);
  const busy = ({ read, compute, write }: KernelCost) => [read, compute, write];
  const single = cast(110);
  assert(single.cycles > busy(single).reduce((sum, cycles) => sum + cycles, 0));
  const long = cast(22_000);
  assert(long.cycles < 1.2 * Math.max(...busy(long)));
  near(cast(88), 2.45, 0.2);
});

Deno.test("several cores do not begin at once", () => {
  const copy = (tiles: number) => {
    const tensor = pricedTensor(P150, [1, 1, 32, tiles * 32]);
    return cost("ttnn.assign", [tensor], [tensor]).cycles;
  };
  assert(copy(2) - copy(1) > 0.99 * P150.stream.spread);
  assert(copy(4) - copy(2) < P150.stream.spread);
});

// It still runs for five dimensions.
Deno.test("the older kernel reads a repeated row once, and its core writes the copies one by one", () => {
  const repeat = (factor: number) =>
    cost(
      "ttnn.repeat",
      [pricedTensor(P150, [1, 1, 1, 1, 2880], ROWS)],
      [pricedTensor(P150, [1, 1, factor, 1, 2880], ROWS)],
      { repeat_dims: [1, 1, factor, 1, 1] },
    );
  const perCopy = (repeat(64).cycles - repeat(32).cycles) / 32;
  assertAlmostEquals(perCopy, 5760 / P150.noc.writeBytesPerCycle, 2);
  near(repeat(32), 3.3, 0.15);
});

Deno.test("a thread that reads and writes by itself waits as long as the memory of its rows takes", () => {
  const repeat = (bufferType: "dram" | "l1") =>
    cost(
      "ttnn.repeat",
      [pricedTensor(P150, [1, 1, 1, 1, 32], { ...ROWS, bufferType })],
      [pricedTensor(P150, [1, 1, 2, 1, 32], ROWS)],
      { repeat_dims: [1, 1, 2, 1, 1] },
    ).cycles;
  assertAlmostEquals(repeat("dram") - repeat("l1"), P150.noc.readLatency - P150.stream.l1ReadBarrier, 1);
});

Deno.test("repeats wait for four pages at once, and for copies behind a row", () => {
  const repeat = (device: string, shape: readonly number[], factors: readonly number[]) =>
    kernelMicroseconds([{
      name: "ttnn.repeat",
      attributes: attributesOf({ repeat_dims: factors }),
      inputs: [{ shape, dataType: "bf16", place: { ...DRAM, ...ROWS } }],
      outputs: [{
        shape: shape.map((extent, dim) => extent * (factors[dim] ?? 1)),
        dataType: "bf16",
        place: { ...DRAM, ...ROWS },
      }],
    }], getDevice(device));
  const within = (predicted: number, published: number) =>
    assert(Math.abs(predicted / published - 1) < 0.2, `${predicted} us, published ${published} us`);
  // Published:ops-2, kernels that replaced the older one.
  within(repeat("n300", [1, 2, 20, 40], [2, 2, 2, 2]), 5.653);
  within(repeat("p150-13x10", [1, 2, 20, 40], [1, 3, 12, 24]), 19.265);
  within(repeat("p150-13x10", [1, 2, 12, 24], [1, 3, 16, 32]), 14.445);
  // A row of 72 bytes ends inside of a memory word, one of 80 bytes on its end.
  within(repeat("p150-13x10", [1, 2, 18, 36], [1, 3, 4, 8]), 8.06);
  assert(
    repeat("p150-13x10", [1, 2, 18, 36], [1, 1, 1, 8]) >
      2 * repeat("p150-13x10", [1, 2, 18, 40], [1, 1, 1, 8]),
  );
});

Deno.test("copies within a row, or in one bank, wait for that bank", () => {
  const repeat = (rows: number, factors: readonly [number, number]) =>
    cost(
      "ttnn.repeat",
      [pricedTensor(P150, [1, 1, 1, rows, 640], ROWS)],
      [pricedTensor(P150, [1, 1, factors[0], rows, 640 * factors[1]], ROWS)],
      { repeat_dims: [1, 1, factors[0], 1, factors[1]] },
    ).cycles;
  const perCopy = (of: (factor: number) => number) => (of(32) - of(16)) / 16;
  const inRow = perCopy((factor) => repeat(1, [1, factor]));
  const inOneBank = perCopy((factor) => repeat(P150.dram.banks, [factor, 1]));
  const roundTheBanks = perCopy((factor) => repeat(P150.dram.banks - 1, [factor, 1]));
  assert(Math.abs(inRow / inOneBank - 1) < 0.03, `${inRow} and ${inOneBank} cycles`);
  assert(inRow > 1.5 * roundTheBanks, `${inRow} and ${roundTheBanks} cycles`);
});

Deno.test("a strided slice copies its elements byte by byte", () => {
  const slice = (step: number) =>
    cost(
      "ttnn.slice_static",
      [pricedTensor(P150, [1, 32, 1, 5760], ROWS)],
      [pricedTensor(P150, [1, 32, 1, 5760 / step], ROWS)],
      { begins: [0, 0, 0, 0], ends: [1, 32, 1, 5760], step: [1, 1, 1, step] },
    );
  const ratio = slice(2).cycles / slice(4).cycles;
  assert(ratio > 1.9 && ratio < 2.1, `${ratio}`);
  assert(slice(2).cycles > 20 * slice(1).cycles);
  near(slice(2), 84, 0.1);
});

Deno.test("one number is fetched once per matrix and a column once per row of tiles, a row for every tile", () => {
  const whole = pricedTensor(P150, [32, 1, 32, 2880]);
  const product = (shape: readonly number[]) =>
    cost("ttnn.multiply", [whole, pricedTensor(P150, shape)], [whole]);
  assert(product([32, 1, 1, 1]).cycles < product([32, 1, 32, 2880]).cycles);
  assert(product([32, 1, 32, 1]).cycles < product([32, 1, 1, 2880]).cycles);
  near(product([32, 1, 1, 1]), 35, 0.25);
});

Deno.test("a move between shards computes the source cores before the first read", () => {
  const shards = (cores: number) =>
    pricedTensor(P150, [1, 1, 32, 4096], {
      bufferType: "l1",
      memoryLayout: "width_sharded",
      grid: [1, cores],
    });
  near(cost("ttnn.to_memory_config", [shards(32)], [shards(16)]), 1.94, 0.2, 0.53);
});

Deno.test("a core waits for its rows even where they do not fill a batch", () => {
  const rows = (count: number) => pricedTensor(P150, [1, 1, count, 64], { ...ROWS, dataType: "si32" });
  const slice = cost("ttnn.slice_static", [rows(2)], [rows(1)], {
    begins: [0, 0, 0, 0],
    ends: [1, 1, 1, 64],
    step: [1, 1, 1, 1],
  });
  const { startup, readBarrier, writeBarrier } = P150.stream;
  assert(slice.cycles > startup + readBarrier + writeBarrier);
});

Deno.test("a transpose of rows into heads writes half rows of tiles, and the padding when all are out", () => {
  const heads = (shape: readonly number[], dimensions: readonly number[]) =>
    cost("ttnn.permute", [pricedTensor(P150, shape)], [
      pricedTensor(P150, dimensions.map((dimension) => shape[dimension] ?? 1)),
    ], { permutation: dimensions });
  // Published:ops-2, a decoder of Qwen 4B and one of north-mini: 31 of 32 rows of each tile of the result are padding.
  near(heads([1, 32, 32, 128], [0, 2, 1, 3]), 6.63, 0.1);
  near(heads([1, 1, 32, 2048], [0, 2, 1, 3]), 16.56, 0.1);
  const padded = heads([1, 8, 32, 128], [0, 2, 1, 3]);
  near(padded, 4.32, 0.1);
  // 32 tiles are read and 128 written, of which three quarters are padding.
  assertEquals(padded.dramBytes, (32 + 128) * 2048);
});

Deno.test("one tile of two operands takes longer than one of one by the strides, not by a second wait", () => {
  const tile = () => pricedTensor(P150, [32, 32]);
  const difference = cost("ttnn.subtract", [tile(), tile()], [tile()]).cycles -
    cost("ttnn.neg", [tile()], [tile()]).cycles + P150.sfpu.simple;
  assert(difference > P150.stream.strides && difference < P150.stream.strides + 100, `${difference}`);
});

Deno.test("an embedding waits for the rows that its indices name, and hands them on one by one", () => {
  const picked = (rows: number) =>
    cost("ttnn.embedding", [
      pricedTensor(P150, [1, rows], { ...ROWS, dataType: "u32" }),
      pricedTensor(P150, [1024, 768], ROWS),
    ], [pricedTensor(P150, [1, rows, 768], ROWS)]);
  const { readBarrier } = P150.stream;
  // A wait per row, beside which the row before is written.
  const perRow = (picked(32).cycles - picked(16).cycles) / 16;
  assert(perRow > readBarrier && perRow < 1.5 * readBarrier, `${perRow} cycles`);
});
