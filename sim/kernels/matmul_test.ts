// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import type { LayoutRequest } from "../../lib/layout/make_layout.ts";
import { autoMatmulConfig } from "../../lib/programs/matmul/matmul_auto_config.ts";
import {
  type MatmulBlocks,
  matmulBlocks,
  type MatmulProblem,
  matmulProblem,
} from "../../lib/programs/matmul/matmul_blocks.ts";
import { matmulProgram } from "../../lib/programs/matmul/matmul.ts";
import { emptyRoom } from "../../lib/programs/op_launch.ts";
import { attributesOf } from "../audit/op_question.ts";
import { chipDescription } from "../devices/device.ts";
import { getDevice } from "../devices/device_registry.ts";
import { kernelCost, pricedTensor } from "../testing/priced.ts";
import { matmulCost, matmulTileCycles } from "./matmul.ts";
import { priceLaunch } from "./price_program.ts";

const N150 = getDevice("n150");
const CHIP = chipDescription(N150);

function problem(M: number, K: number, N: number, in0: Partial<LayoutRequest> = {}): MatmulProblem {
  const found = matmulProblem({
    name: "ttnn.matmul",
    attributes: new Map(),
    inputs: [pricedTensor(N150, [M, K], in0), pricedTensor(N150, [K, N])],
    outputs: [pricedTensor(N150, [M, N])],
    config: undefined,
  }, CHIP);
  assert(found !== undefined);
  return found;
}

/** Blocks of the config that the backend makes. */
function autoBlocks(product: MatmulProblem): MatmulBlocks {
  return matmulBlocks(product, autoMatmulConfig(product, emptyRoom(CHIP).beforeResults, CHIP).config, CHIP);
}

Deno.test("matmulBlocks() of an automatic config: takes a two-dimensional program when the shape is square", () => {
  const blocks = autoBlocks(problem(2048, 2048, 2048));
  assertEquals(blocks.dataflow, "mcast_2d");
  assertEquals([blocks.gridX, blocks.gridY, blocks.perCoreM, blocks.perCoreN], [8, 8, 8, 8]);
  assertEquals(blocks.in0BlockW, 8);
});

Deno.test("matmulBlocks() of an automatic config: multicasts the shorter operand when the shape is narrow", () => {
  const wide = autoBlocks(problem(32, 4096, 4096));
  assertEquals([wide.dataflow, wide.perCoreM, wide.perCoreN, wide.in0BlockW], ["mcast_in0", 1, 2, 2]);
  const tall = autoBlocks(problem(8192, 512, 64));
  assertEquals([tall.dataflow, tall.perCoreM, tall.perCoreN], ["mcast_in1", 4, 2]);
});

Deno.test("matmulBlocks() of an automatic config: takes the blocks from the shards when the first operand is sharded", () => {
  const height = autoBlocks(
    problem(2048, 256, 256, { bufferType: "l1", memoryLayout: "height_sharded", grid: [64, 1] }),
  );
  assertEquals([height.dataflow, height.perCoreM, height.perCoreN, height.in0BlockW], [
    "mcast_in1",
    1,
    8,
    8,
  ]);
  const block = autoBlocks(
    problem(2048, 2048, 2048, { bufferType: "l1", memoryLayout: "block_sharded", grid: [8, 8] }),
  );
  assertEquals([block.dataflow, block.perCoreM, block.perCoreN, block.in0BlockW], ["mcast_2d", 8, 8, 8]);
});

Deno.test("matmulBlocks() puts one core on each bank when weights are sharded over DRAM", () => {
  const blocks = matmulBlocks(problem(32, 4096, 14_336), {
    kind: "matmul_multi_core_reuse_multi_cast_dram_sharded",
    in0BlockW: 4,
    perCoreM: 1,
    perCoreN: 7,
  }, CHIP);
  // 448 tiles over 12 banks are 38 columns, in five subblocks of eight.
  assertEquals([blocks.gridX, blocks.perCoreN, blocks.outSubblockW], [12, 40, 8]);
});

Deno.test("matmulTileCycles() is the unpackers' time when a subblock reuses nothing, else the matrix engine's", () => {
  const alone = matmulTileCycles(N150, "lofi", [2048, 2048], 1, 1);
  const reusing = matmulTileCycles(N150, "lofi", [1088, 1088], 2, 4);
  assert(alone > 2 * reusing);
  assertAlmostEquals(matmulTileCycles(N150, "hifi4", [1088, 1088], 2, 4), 64, 4);
  // Along the longer side every product takes a new tile: the second operand counts more.
  assert(
    matmulTileCycles(N150, "lofi", [2048, 1088], 1, 8) < matmulTileCycles(N150, "lofi", [1088, 2048], 1, 8),
  );
});

Deno.test("matmul() streams weights near the DRAM bandwidth when they are sharded over the banks", () => {
  const input = pricedTensor(N150, [32, 4096], { bufferType: "l1" });
  const weight = pricedTensor(N150, [4096, 14_336], { dataType: "bfp_bf8" });
  const output = pricedTensor(N150, [32, 14_336], { bufferType: "l1" });
  const interleaved = kernelCost(N150, "matmul", "ttnn.matmul", [input, weight], output);
  const sharded = kernelCost(
    N150,
    "matmul",
    "ttnn.matmul",
    [{ ...input, placement: "l1_sharded" }, { ...weight, placement: "dram_sharded" }],
    { ...output, placement: "l1_sharded" },
    {
      kind: "matmul",
      programConfig: {
        kind: "matmul_multi_core_reuse_multi_cast_dram_sharded",
        in0BlockW: 4,
        perCoreM: 1,
        perCoreN: 7,
      },
    },
  );
  assert(sharded.cycles < interleaved.cycles);
  // 1 byte per cycle is 1 GB/s at the 1 GHz of Wormhole.
  const bandwidth = weight.bytes / sharded.cycles;
  assert(bandwidth > 200 && bandwidth < 288, `${bandwidth} GB/s`);
});

Deno.test("weights that are stored transposed keep banks idle where the banks divide a row of K tiles", () => {
  const blackhole = getDevice("p150");
  const cycles = (tilesK: number, transposed: boolean) => {
    const [depth, columns] = [tilesK * 32, 9728];
    const weight = transposed ? [columns, depth] : [depth, columns];
    return priceLaunch("matmul", {
      name: "ttnn.matmul",
      attributes: attributesOf({ transpose_b: transposed }),
      inputs: [
        pricedTensor(blackhole, [32, depth], { bufferType: "l1" }),
        pricedTensor(blackhole, weight, { dataType: "bfp_bf4" }),
      ],
      outputs: [pricedTensor(blackhole, [32, columns])],
      config: undefined,
    }, blackhole).cycles;
  };
  // Two blocks of two tiles of K lie in 4 of 8 banks; rows of 82 tiles begin in every other bank.
  assert(cycles(80, true) > 1.4 * cycles(80, false), `${cycles(80, true)} and ${cycles(80, false)}`);
  assertAlmostEquals(cycles(82, true), cycles(82, false));
});

Deno.test("a row that a product adds comes the way of the weights, beside the last block of a long product", () => {
  const added = (rows: number, depth: number) => {
    const input = pricedTensor(N150, [rows, depth]);
    const weight = pricedTensor(N150, [depth, 64]);
    const output = pricedTensor(N150, [rows, 64]);
    const row = pricedTensor(N150, [64]);
    const product = kernelCost(N150, "matmul", "ttnn.linear", [input, weight], output);
    return kernelCost(N150, "matmul", "ttnn.linear", [input, weight, row], output).cycles - product.cycles;
  };
  const { senderLatency } = N150.matmul;
  // Two tiles per core: the row has to be waited for.
  assert(added(2048, 32) > senderLatency, `${added(2048, 32)} cycles`);
  // Many tiles per core hide the wait; each of them is gone over once more.
  assert(added(64 * 32 * 32, 32) > 32 * N150.tensix.eltwiseTile, `${added(64 * 32 * 32, 32)} cycles`);
});

Deno.test("of a matmul each operand crosses the network once per row or column of cores that needs it", () => {
  const bytes = (tiles: number) => tiles * 2048;
  const noc = (M: number, K: number, N: number) =>
    priceLaunch("matmul", {
      name: "ttnn.matmul",
      attributes: new Map(),
      inputs: [pricedTensor(N150, [M, K]), pricedTensor(N150, [K, N])],
      outputs: [pricedTensor(N150, [M, N])],
      config: undefined,
    }, N150).nocBytes;
  // 64 x 64 tiles on 8 x 8 cores: A goes to eight columns, B to eight rows, the result leaves once.
  assertEquals(noc(2048, 2048, 2048), bytes(8 * 64 * 64 + 8 * 64 * 64 + 64 * 64));
  // One core: everything once.
  assertEquals(noc(32, 64, 32), bytes(2 + 2 + 1));
});

Deno.test("a fused activation goes over every tile of the result; the packer does relu", () => {
  const product = problem(512, 1024, 4096);
  const { config } = autoMatmulConfig(product, emptyRoom(CHIP).beforeResults, CHIP);
  assert(config !== undefined && "fuseBatch" in config);
  const cyclesWith = (opType: string | undefined, ...params: readonly number[]): number => {
    const fused = opType === undefined ? config : { ...config, fusedActivation: { opType, params } };
    return matmulCost(matmulProgram(product, fused, CHIP), N150).cycles;
  };
  const { perCoreM, perCoreN } = autoBlocks(product);
  assertEquals(cyclesWith("relu"), cyclesWith(undefined));
  assertAlmostEquals(cyclesWith("exp") - cyclesWith(undefined), perCoreM * perCoreN * N150.sfpu.exp, 1e-6);
  assertEquals(cyclesWith("gelu", 0), cyclesWith("gelu"));
  const approximate = cyclesWith("gelu", 1) - cyclesWith(undefined);
  assertAlmostEquals(approximate, perCoreM * perCoreN * N150.sfpu.lookup, 1e-6);
});

Deno.test("rows of many matrices in one block cost as much as one matrix of these rows", () => {
  const cyclesOf = (rows: readonly number[]): number => {
    const operands = [[...rows, 1024], [1024, 4096], [4096]];
    const product = matmulProblem({
      name: "ttnn.linear",
      attributes: new Map(),
      inputs: operands.map((shape) => pricedTensor(N150, shape)),
      outputs: [pricedTensor(N150, [...rows, 4096])],
      config: undefined,
    }, CHIP);
    const { config } = autoMatmulConfig(problem(512, 1024, 4096), emptyRoom(CHIP).beforeResults, CHIP);
    assert(product?.bias !== undefined && config !== undefined && "fuseBatch" in config);
    const fused = { ...config, fuseBatch: true, fusedActivation: { opType: "gelu", params: [] } };
    return matmulCost(matmulProgram(product, fused, CHIP), N150).cycles;
  };
  assertEquals(cyclesOf([16, 32]), cyclesOf([512]));
});
