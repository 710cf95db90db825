// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { type DeviceOp, statedFlag, statedNumber, statedPair } from "../device_op.ts";
import { parseMeasuredRows } from "../measured_row.ts";
import { deviceQuestion } from "../questions/device_question.ts";
import { programTensors } from "../questions/placed_op.ts";
import { readPerfReportRow } from "./perf_report.ts";

const P100 = { device: "p100", columns: 11, rows: 10, dramBanks: 7, chips: 1 };

/** A row of a report as the published file has it. */
function read(row: Readonly<Record<string, unknown>>): DeviceOp {
  const [measured] = parseMeasuredRows("rows.json", [{
    source: "profile",
    device: "p100",
    group: "op_profile",
    measured: { us: 10 },
    ...row,
  }]);
  const op = measured === undefined ? undefined : readPerfReportRow(measured);
  assert(op !== undefined);
  return op;
}

Deno.test("block shards whose split is not stated fit the worker grid", () => {
  const op = read({
    op: "Conv2dDeviceOperation",
    shapes: { in0: [1, 1, 32_000, 512], out: [1, 1, 2048, 256] },
    layouts: { in0: "L1_BLOCK_SHARDED/ROW_MAJOR", out: "L1_BLOCK_SHARDED/TILE" },
    dtype: "BFLOAT16>BFLOAT8_B",
    grid: "64 cores of 110",
  });
  assertEquals(programTensors(op, P100).outputs[0]?.gridShape, [8, 8]);
  // 15 rows of tiles on 20 cores lie evenly on five cores along x only.
  const columnMajor = read({
    op: "ShardedToInterleavedDeviceOperation",
    shapes: { in0: [1, 1, 480, 256], out: [1, 1, 480, 256] },
    layouts: { in0: "L1_BLOCK_SHARDED/TILE", out: "DRAM_INTERLEAVED/TILE" },
    dtype: "BFLOAT16>BFLOAT16",
    grid: "20 cores of 20",
  });
  assertEquals(programTensors(columnMajor, { ...P100, columns: 5, rows: 4 }).inputs[0]?.gridShape, [5, 4]);
});

Deno.test("the beginning of printed attributes is read; unset ones are absent", () => {
  const op = read({
    op: "MatmulDeviceOperation",
    shapes: { in0: [1, 1, 3200, 1792], in1: [1, 1, 1792, 1536], out: [1, 1, 3200, 1536] },
    layouts: { in0: "DRAM_INTERLEAVED/TILE", in1: "DRAM_INTERLEAVED/TILE", out: "L1_INTERLEAVED/TILE" },
    dtype: "BFLOAT16+BFLOAT8_B>BFLOAT16",
    grid: "100 cores of 110",
    fidelity: "HiFi2",
    config: {
      attributes:
        "{'scalar': 'std::nullopt'; 'compute_kernel_config': 'ComputeKernelConfig(math_fidelity=HiFi2;packer_l1_acc=1)'; " +
        "'program_config': 'MatmulMultiCoreReuseMultiCastProgramConfig(compute_with_storage_grid_size=(x=11;y=10);in0_block_w=14;out_subblock_h=5;out_",
    },
  });
  assert(op.isCut && !op.attributes.includes("scalar"));
  assertEquals(statedPair(op, "grid", "compute_with_storage_grid_size"), [11, 10]);
  assertEquals([
    statedNumber(op, "in0_block_w"),
    statedFlag(op, "packer_l1_acc"),
    statedFlag(op, "fuse_batch"),
  ], [
    14,
    true,
    undefined,
  ]);
  const config = deviceQuestion(op, P100)?.config;
  assert(config?.kind === "matmul" && config.programConfig?.kind === "matmul_multi_core_reuse_multi_cast");
  assertEquals(config.programConfig.outSubblockH, 5);
  assertEquals(config.programConfig.perCoreM, 10);
});

Deno.test("a norm is the one that its attributes name", () => {
  const op = read({
    op: "LayerNormDeviceOperation",
    shapes: { in0: [1, 1, 32, 512], out: [1, 1, 32, 512] },
    layouts: { in0: "DRAM_INTERLEAVED/TILE", out: "DRAM_INTERLEAVED/TILE" },
    dtype: "BFLOAT16>BFLOAT16",
    grid: "1 cores of 110",
    config: { attributes: "{'norm_type': 'LayerNormType::RMSNORM'}" },
  });
  assertEquals(deviceQuestion(op, P100)?.name, "ttnn.rms_norm");
});
