// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { MatmulProgramConfig } from "../op_config/op_config.ts";
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
        for (const config of leanerConfigs({ kind: "matmul", programConfig: before }, true)) {
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
    leanerConfigs({ kind: "conv2d", sliceConfig: { sliceType, numSlices: 0 } }, true)
      .map((config) => config.kind === "conv2d" ? config.sliceConfig?.sliceType : undefined);
  assertEquals(slices("l1_full"), ["dram_height", "dram_width"]);
  assertEquals(slices("dram_height"), ["dram_width"]);
  assertEquals(leanerConfigs(undefined, true), []);
  assertEquals(leanerConfigs({ kind: "matmul" }, true), []);
  assertEquals(leanerConfigs({ kind: "conv2d" }, false), [], "slices stream from DRAM");
});
