// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { makeLayout } from "../layout/make_layout.ts";
import type { TensorMemoryLayout, TtnnLayout } from "../layout/ttnn_layout.ts";
import { matmulProgramConfig } from "./matmul_program_config.ts";

const WORKER_GRID = { rows: 8, columns: 8 };

function sharded(
  shape: readonly number[],
  memoryLayout: TensorMemoryLayout,
  grid: readonly [number, number],
): TtnnLayout {
  return makeLayout({ shape, dataType: "bf16", bufferType: "l1", memoryLayout, grid }, WORKER_GRID);
}

Deno.test("matmulProgramConfig() is a 2D multicast when a real block is wanted", () => {
  const output = [512, 768];
  const config = matmulProgramConfig({
    a: [512, 96],
    b: [96, 768],
    output,
    layout: sharded(output, "block_sharded", [8, 8]),
  });
  assertEquals(config, {
    kind: "matmul_multi_core_reuse_multi_cast",
    computeWithStorageGridSize: [8, 8],
    in0BlockW: 1,
    outSubblockH: 1,
    outSubblockW: 3,
    outBlockH: 2,
    outBlockW: 3,
    perCoreM: 2,
    perCoreN: 3,
    transposeMcast: false,
    fuseBatch: true,
  });
});

Deno.test("matmulProgramConfig() is 1D along the width or the height, also for degenerate blocks", () => {
  const output = [32, 4096];
  const pick = (layout: TtnnLayout, k: number) => {
    const config = matmulProgramConfig({ a: [32, k], b: [k, 4096], output, layout });
    return config?.kind === "matmul_multi_core_reuse_multi_cast_1d"
      ? [config.mcastIn0, config.perCoreM, config.perCoreN, config.in0BlockW, config.outSubblockW]
      : undefined;
  };
  assertEquals(pick(sharded(output, "width_sharded", [1, 64]), 256), [true, 1, 2, 8, 2]);
  assertEquals(pick(sharded(output, "width_sharded", [1, 64]), 96), [true, 1, 2, 1, 2]);
  assertEquals(pick(sharded(output, "block_sharded", [1, 8]), 128), [true, 1, 16, 4, 8]);
  const tall = [4096, 64];
  const config = matmulProgramConfig({
    a: [4096, 96],
    b: [96, 64],
    output: tall,
    layout: sharded(tall, "block_sharded", [8, 1]),
  });
  assertEquals(config?.kind === "matmul_multi_core_reuse_multi_cast_1d" && config.mcastIn0, false);
  assertEquals([config?.perCoreM, config?.perCoreN, config?.in0BlockW], [16, 2, 3]);
});

Deno.test("matmulProgramConfig() counts the bounding box when a tail row holds shards", () => {
  // 12 shards fill one row of eight and four of the next: the box has 16 cores, so 12 tiles give one per core.
  const output = [32, 12 * 64];
  const config = matmulProgramConfig({
    a: [32, 64],
    b: [64, output[1] ?? 0],
    output,
    layout: sharded(output, "width_sharded", [1, 12]),
  });
  assertEquals([config?.perCoreN, config?.kind], [2, "matmul_multi_core_reuse_multi_cast_1d"]);
});

Deno.test("matmulProgramConfig() takes small inner steps when the output is wide", () => {
  const output = [32, 129 * 32];
  const layout = sharded(output, "width_sharded", [1, 43]);
  const step = (k: number) =>
    matmulProgramConfig({ a: [32, k], b: [k, output[1] ?? 0], output, layout })?.in0BlockW;
  assertEquals([step(256), step(96)], [2, 1]);
});

Deno.test("matmulProgramConfig() halves subblocks in f32 accumulation, full synchronization or not", () => {
  const output = [32, 64 * 16 * 32];
  const layout = sharded(output, "width_sharded", [1, 64]);
  const width = (fp32DestAccEn: boolean, dstFullSyncEn: boolean) => {
    const config = matmulProgramConfig({
      a: [32, 64],
      b: [64, output[1] ?? 0],
      output,
      layout,
      computeConfig: { fp32DestAccEn, dstFullSyncEn },
    });
    return config?.kind === "matmul_multi_core_reuse_multi_cast_1d" ? config.outSubblockW : undefined;
  };
  assertEquals([width(false, false), width(true, false), width(false, true), width(true, true)], [
    8,
    4,
    8,
    4,
  ]);
});

Deno.test("matmulProgramConfig() leaves batched, flat and unsharded matmuls to the backend", () => {
  const output = [2, 64, 64];
  const layout = sharded(output, "height_sharded", [4, 1]);
  assertEquals(matmulProgramConfig({ a: [2, 64, 64], b: [2, 64, 64], output, layout }), undefined);
  assertEquals(matmulProgramConfig({ a: [64], b: [64, 64], output: [64, 64], layout }), undefined);
  const dram = makeLayout({
    shape: output,
    dataType: "bf16",
    bufferType: "dram",
    memoryLayout: "interleaved",
  }, WORKER_GRID);
  assertEquals(matmulProgramConfig({ a: [2, 64, 64], b: [64, 64], output, layout: dram }), undefined);
});

Deno.test("matmulProgramConfig() counts the batch of A as rows, unless it is to be as upstream has it", () => {
  const output = [8, 384, 768];
  const request = { a: [8, 384, 64], b: [64, 768], output, layout: sharded(output, "block_sharded", [8, 8]) };
  assertEquals(matmulProgramConfig(request)?.perCoreM, 12);
  assertEquals(matmulProgramConfig({ ...request, foldBatch: false })?.perCoreM, 2);
});

Deno.test("matmulProgramConfig() counts rows by the rows of cores, and K of a transposed A by its rows", () => {
  const output = [512, 256];
  const layout = sharded(output, "block_sharded", [4, 2]);
  const plain = matmulProgramConfig({ a: [512, 128], b: [128, 256], output, layout });
  assertEquals(
    plain?.kind === "matmul_multi_core_reuse_multi_cast" && [plain.perCoreM, plain.perCoreN, plain.in0BlockW],
    [
      4,
      4,
      2,
    ],
  );
  // A is K x M: three tiles of K, where its columns would say sixteen.
  const transposed = matmulProgramConfig({ a: [96, 512], b: [96, 256], output, layout, transposeA: true });
  assertEquals(transposed?.kind === "matmul_multi_core_reuse_multi_cast" && transposed.in0BlockW, 1);
});
