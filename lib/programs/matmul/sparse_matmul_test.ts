// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { getDevice } from "../../../sim/devices/device_registry.ts";
import { loneChip } from "../../../sim/kernels/price_program.ts";
import { makeLayout } from "../../layout/make_layout.ts";
import type { MatmulProgramConfig } from "../../op_config/op_config.ts";
import { sparseMatmulPrograms } from "./matmul.ts";
import type { MatmulProgram } from "../program.ts";
import { programTensor } from "../program_tensor.ts";

const CONTEXT = loneChip(getDevice("n150"));

function tensor(shape: readonly number[], page: { readonly tile?: null } = {}) {
  const layout = makeLayout(
    { shape, dataType: "bf16", bufferType: "dram", memoryLayout: "interleaved", ...page },
    CONTEXT.chip.workerGrid,
  );
  return programTensor({ shape, dataType: "bf16" }, layout);
}

/** Two batches of rows, eight experts of 512 x 1024. */
const [A, B, C] = [tensor([1, 2, 32, 512]), tensor([1, 8, 512, 1024]), tensor([1, 2, 1, 8, 32, 1024])];

const CONFIG = {
  kind: "matmul_multi_core_reuse_multi_cast_1d" as const,
  computeWithStorageGridSize: [8, 1] as const,
  in0BlockW: 1,
  outSubblockH: 1,
  outSubblockW: 1,
  outBlockH: 1,
  outBlockW: 1,
  perCoreM: 1,
  perCoreN: 4,
  fuseBatch: false,
  mcastIn0: true,
  gatherIn0: false,
  hopCores: [],
  numGlobalCbReceivers: 0,
  untilizeOut: false,
} satisfies MatmulProgramConfig;

function launched(
  given: { readonly nnz?: number; readonly activeExperts?: number; readonly config?: MatmulProgramConfig } =
    {},
) {
  const { nnz, activeExperts, config } = { config: CONFIG, ...given };
  return sparseMatmulPrograms({
    name: "ttnn.sparse_matmul",
    attributes: new Map(
      nnz === undefined ? [] : [["nnz", { kind: "integer", value: BigInt(nnz), type: "i64" }]],
    ),
    inputs: [A, B, tensor([1, 2, 1, 8], { tile: null })],
    outputs: [C],
    config: { kind: "matmul", programConfig: config },
  }, { ...CONTEXT, assumed: { ...CONTEXT.assumed, activeExperts } });
}

function program(given: Parameters<typeof launched>[0] = {}): MatmulProgram {
  const programs = launched(given);
  assert(programs.status === "known");
  const product = programs.programs.at(-1);
  assert(product?.kind === "matmul");
  return product;
}

Deno.test("every batch of rows is multiplied with all experts, with the assumed number, or with those of nnz", () => {
  const flops = (pairs: number): number => pairs * 2 * 32 * 512 * 1024;
  assertEquals([program().flops, program().byExpert], [flops(16), true]);
  assertEquals(program({ activeExperts: 3 }).flops, flops(6));
  assertEquals(program({ activeExperts: 99 }).flops, flops(16));
  assertEquals([program({ nnz: 5, activeExperts: 3 }).flops, program({ nnz: 5 }).byExpert], [
    flops(5),
    undefined,
  ]);
});

Deno.test("weights are read once per pair, results are written per existing pair", () => {
  const { reads: [, weights], writes: [result] } = program({ nnz: 4 });
  assertAlmostEquals(weights?.bytes ?? NaN, B.bytes / 2);
  assertAlmostEquals(result?.bytes ?? NaN, C.bytes / 4);
});

Deno.test("buffers hold the configured output blocks and the marks of a row twice (ttnn 0.81.1)", () => {
  const bytes = (changed: Partial<typeof CONFIG>): readonly number[] =>
    program({ config: { ...CONFIG, ...changed } }).circularBuffers.map((buffer) => buffer.bytes);
  assertEquals(bytes({}), [4096, 4096, 2048, 64]);
  assertEquals(bytes({ outBlockW: 4, outSubblockW: 2 }), [4096, 16_384, 8192, 64]);
  assertEquals(bytes({ in0BlockW: 4 }), [16_384, 16_384, 2048, 64]);
  assertEquals(program().cores, 8);
});

Deno.test("the result becomes zeros before the products are written", () => {
  const programs = launched();
  assert(programs.status === "known");
  assertEquals(programs.programs.map(({ kind }) => kind), ["stream", "matmul"]);
  const [zeros] = programs.programs;
  assertEquals([zeros?.reads[0]?.bytes, zeros?.writes[0]?.bytes], [C.bytes, C.bytes]);
});

Deno.test("without a 1D program config that multicasts operand 0 the programs are unknown", () => {
  assertEquals(launched({ config: { ...CONFIG, mcastIn0: false } }).status, "unknown");
});
