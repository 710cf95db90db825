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

function tensor(shape: readonly number[]) {
  const layout = makeLayout(
    { shape, dataType: "bf16", bufferType: "dram", memoryLayout: "interleaved" },
    CONTEXT.chip.workerGrid,
  );
  return programTensor({ shape, dataType: "bf16" }, layout);
}

/** Two batches of rows, eight experts of 512 x 1024. */
const [A, B, C] = [tensor([1, 2, 32, 512]), tensor([1, 8, 512, 1024]), tensor([1, 2, 1, 8, 32, 1024])];

const CONFIG: MatmulProgramConfig = {
  kind: "matmul_multi_core_reuse_multi_cast_1d",
  computeWithStorageGridSize: [8, 1],
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
};

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
    inputs: [A, B, tensor([1, 2, 1, 8])],
    outputs: [C],
    config: { kind: "matmul", programConfig: config },
  }, { ...CONTEXT, assumed: { ...CONTEXT.assumed, activeExperts } });
}

function program(given: Parameters<typeof launched>[0] = {}): MatmulProgram {
  const programs = launched(given);
  assert(programs.status === "known");
  const [first] = programs.programs;
  assert(first?.kind === "matmul");
  return first;
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

Deno.test("a core makes all of its columns at a time: its buffers hold a row of tiles of them", () => {
  const tile = 2048;
  const buffers = new Map(program().circularBuffers.map(({ name, bytes }) => [name, bytes]));
  assertEquals([buffers.get("in0"), buffers.get("in1")], [2 * tile, 2 * 4 * tile]);
  assertEquals(program().cores, 8);
});

Deno.test("without a 1D program config that multicasts operand 0 the programs are unknown", () => {
  assertEquals(launched({ config: { ...CONFIG, mcastIn0: false } }).status, "unknown");
});
