// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import type { CoreRange } from "../layout/core_range.ts";
import {
  type AutoConfigRequest,
  autoMatmulConfig,
  type MatmulExtents,
  type MatmulMemory,
} from "./matmul_auto_config.ts";

const DRAM: MatmulMemory = {
  bufferType: "dram",
  memoryLayout: "interleaved",
  shardShape: [],
  coreRanges: [],
  shardCores: 0,
};
const L1: MatmulMemory = { ...DRAM, bufferType: "l1" };

function shards(
  memoryLayout: "height_sharded" | "width_sharded" | "block_sharded",
  shardShape: readonly number[],
  [columns, rows]: readonly [number, number],
): MatmulMemory {
  const coreRanges: readonly CoreRange[] = [{ start: { x: 0, y: 0 }, end: { x: columns - 1, y: rows - 1 } }];
  return { bufferType: "l1", memoryLayout, shardShape, coreRanges, shardCores: columns * rows };
}

function derive(extents: Partial<MatmulExtents>, change: Partial<AutoConfigRequest> = {}) {
  return autoMatmulConfig({
    extents: { mt: 64, kt: 64, nt: 64, batchA: 1, batchB: 1, ...extents },
    a: DRAM,
    b: DRAM,
    output: DRAM,
    bias: undefined,
    tileBytes: { a: 2048, b: 2048, output: 2048 },
    compute: undefined,
    ...change,
  }, TEST_WORMHOLE);
}

/** Kind and the numbers that tell one program from another. */
function brief(config: ReturnType<typeof autoMatmulConfig>): string {
  if (config === undefined) return "no reuse";
  const { kind, perCoreM, perCoreN, in0BlockW } = config;
  const name = kind.replace("matmul_multi_core_reuse", "reuse").replace("multi_cast", "mcast");
  const direction = "mcastIn0" in config ? (config.mcastIn0 ? " in0" : " in1") : "";
  const fused = "fuseBatch" in config && config.fuseBatch ? " fused" : "";
  return `${name}${direction} ${perCoreM}x${perCoreN} k${in0BlockW}${fused}`;
}

Deno.test("autoMatmulConfig() spreads a product of DRAM tensors over the whole grid", () => {
  assertEquals(brief(derive({})), "reuse_mcast 8x8 k8");
  assertEquals(brief(derive({ kt: 63 })), "reuse_mcast 8x8 k1");
});

Deno.test("autoMatmulConfig() takes square blocks where an operand is in L1, and no reuse where they do not fit", () => {
  assertEquals(brief(derive({}, { a: L1 })), "reuse_mcast 16x16 k2");
  assertEquals(brief(derive({ mt: 256, nt: 256 }, { a: L1 })), "no reuse");
  assertEquals(brief(derive({ mt: 8, nt: 8 }, { a: L1 })), "no reuse");
});

Deno.test("autoMatmulConfig() multicasts narrow shapes in one dimension", () => {
  assertEquals(brief(derive({ mt: 1 })), "reuse_mcast_1d in0 1x1 k2");
  assertEquals(brief(derive({ nt: 1 })), "reuse_mcast_1d in1 1x1 k2");
  assertEquals(brief(derive({ mt: 7, kt: 3 })), "reuse_mcast_1d in0 7x1 k1");
  assertEquals(brief(derive({ mt: 8 }, { a: L1 })), "reuse_mcast_1d in0 8x1 k2");
});

Deno.test("autoMatmulConfig() repeats the program per batch; one A for many Bs multicasts B", () => {
  assertEquals(brief(derive({ batchA: 12, batchB: 12 })), "reuse_mcast 8x8 k8");
  assertEquals(brief(derive({ batchB: 12 })), "reuse_mcast_1d in1 1x64 k2");
  assertEquals(brief(derive({ batchA: 4 })), "reuse_mcast 8x8 k8");
});

Deno.test("autoMatmulConfig() follows the shards of A", () => {
  const height = shards("height_sharded", [1, 32], [8, 8]);
  assertEquals(brief(derive({ kt: 32, nt: 4 }, { a: height })), "reuse_mcast_1d in1 1x4 k32 fused");
  const width = shards("width_sharded", [1, 1], [8, 7]);
  assertEquals(
    brief(derive({ mt: 1, kt: 56, nt: 56 }, { a: width })),
    "reuse_mcast_1d in0 1x1 k1 fused",
  );
  const block = shards("block_sharded", [7, 8], [7, 8]);
  assertEquals(
    brief(derive({ mt: 56, kt: 56, nt: 56 }, { a: block })),
    "reuse_mcast 7x8 k8 fused",
  );
  assertEquals(
    brief(derive({ mt: 2, kt: 4, nt: 4, batchA: 16, batchB: 16 }, {
      a: shards("height_sharded", [2, 4], [8, 2]),
    })),
    "reuse 2x4 k4",
  );
});

Deno.test("autoMatmulConfig() gives sharded results subblocks of one whole row", () => {
  const a = shards("height_sharded", [4, 4], [8, 2]);
  const subblock = (output: MatmulMemory, compute: AutoConfigRequest["compute"]) => {
    const config = derive({ mt: 64, kt: 4, nt: 4 }, { a, output, compute });
    return config !== undefined && "outSubblockH" in config
      ? [config.outSubblockH, config.outSubblockW]
      : undefined;
  };
  assertEquals(subblock(DRAM, undefined), [4, 2]);
  assertEquals(subblock(DRAM, { fp32DestAccEn: true }), [2, 2]);
  assertEquals(subblock(a, undefined), [1, 4]);
});

Deno.test("autoMatmulConfig() cuts the output block until its buffers fit, the K block last", () => {
  const config = derive({ mt: 512, kt: 8, nt: 512 });
  assertEquals(config?.kind, "matmul_multi_core_reuse_multi_cast");
  if (config?.kind !== "matmul_multi_core_reuse_multi_cast") return;
  assertEquals([config.perCoreM, config.perCoreN, config.in0BlockW], [64, 64, 1]);
  assertEquals([config.outBlockH, config.outBlockW], [16, 16]);
});
