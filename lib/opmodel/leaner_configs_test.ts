// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import type { MatmulProgramConfig, OpSpecificAttributes } from "../op_config/op_config.ts";
import { leanerConfigs } from "./leaner_configs.ts";

function program(
  change: Partial<Extract<MatmulProgramConfig, { kind: "matmul_multi_core_reuse_multi_cast" }>>,
) {
  return {
    kind: "matmul_multi_core_reuse_multi_cast",
    computeWithStorageGridSize: [8, 8],
    in0BlockW: 2,
    outSubblockH: 1,
    outSubblockW: 2,
    outBlockH: 2,
    outBlockW: 4,
    perCoreM: 2,
    perCoreN: 4,
    transposeMcast: false,
    fuseBatch: true,
    ...change,
  } as const;
}

function leaner(name: string, used: OpSpecificAttributes | undefined, isInDram: boolean) {
  return leanerConfigs({ name, used, isInDram }, TEST_WORMHOLE.workerGrid);
}

const powers = fc.integer({ min: 0, max: 4 }).map((exponent) => 2 ** exponent);

Deno.test("leanerConfigs() of a matmul keeps its share per core and every divisibility, in smaller blocks", () => {
  fc.assert(
    fc.property(
      powers,
      powers,
      powers,
      fc.integer({ min: 1, max: 6 }),
      (outBlockH, outBlockW, in0BlockW, k) => {
        const before = program({
          outBlockH,
          outBlockW,
          in0BlockW,
          outSubblockH: 1,
          outSubblockW: Math.min(outBlockW, 4),
          perCoreM: outBlockH * k,
          perCoreN: outBlockW * 3,
        });
        for (const config of leaner("ttnn.matmul", { kind: "matmul", programConfig: before }, true)) {
          assert(
            config.kind === "matmul" && config.programConfig !== undefined &&
              "outBlockH" in config.programConfig,
          );
          const after = config.programConfig;
          assertEquals([after.perCoreM, after.perCoreN], [before.perCoreM, before.perCoreN]);
          const rests = [
            after.perCoreM % after.outBlockH,
            after.perCoreN % after.outBlockW,
            after.outBlockH % after.outSubblockH,
            after.outBlockW % after.outSubblockW,
            before.in0BlockW % after.in0BlockW,
          ];
          assertEquals(rests, [0, 0, 0, 0, 0]);
          const tiles = after.outBlockH * after.outBlockW * after.in0BlockW;
          assert(tiles < outBlockH * outBlockW * in0BlockW);
        }
      },
    ),
  );
});

Deno.test("leanerConfigs() slices an unsliced convolution, and has none for other ops", () => {
  const slices = (sliceType: "l1_full" | "dram_height") =>
    leaner("ttnn.conv2d", { kind: "conv2d", sliceConfig: { sliceType, numSlices: 0 } }, true)
      .map((config) => config.kind === "conv2d" ? config.sliceConfig?.sliceType : undefined);
  assertEquals(slices("l1_full"), ["dram_height", "dram_width"]);
  assertEquals(slices("dram_height"), ["dram_width"]);
  assertEquals(leaner("ttnn.relu", undefined, true), []);
  assertEquals(leaner("ttnn.matmul", { kind: "matmul" }, true), []);
  assertEquals(leaner("ttnn.conv2d", { kind: "conv2d" }, false), [], "slices stream from DRAM");
});

Deno.test("leanerConfigs() of decode attention has no more cores per head and no larger chunks than what it runs with", () => {
  const name = "ttnn.scaled_dot_product_attention_decode";
  const told = (used: OpSpecificAttributes | undefined) =>
    leaner(name, used, true).map((config) =>
      config.kind === "sdpa"
        ? [config.programConfig?.kChunkSize, config.programConfig?.maxCoresPerHeadBatch]
        : undefined
    );
  assertEquals(told(undefined).slice(0, 3), [[0, 64], [0, 32], [0, 16]]);
  const programConfig = {
    computeWithStorageGridSize: [4, 2],
    qChunkSize: 0,
    kChunkSize: 64,
    maxCoresPerHeadBatch: 2,
  } as const;
  assertEquals(told({ kind: "sdpa", programConfig }), [[64, 2], [64, 1], [32, 2], [32, 1]]);
});
