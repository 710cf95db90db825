// SPDX-License-Identifier: Apache-2.0
import { decoderRow } from "./decoder_rows.ts";
import { dispatchRow } from "./dispatch_rows.ts";
import { dramBandwidthRow } from "./dram_rows.ts";
import { unaryNeighbours, unaryRow } from "./eltwise_rows.ts";
import { hostFloors } from "./host_floor.ts";
import { gemmRow, gemmWallRow, heightShardedRow, singleCoreRow } from "./matmul_rows.ts";
import type { MeasuredRow } from "./measured_row.ts";
import { nocBandwidthRow, nocLatencyRow } from "./noc_rows.ts";
import { profileRow } from "./profile_report_rows.ts";
import { reshardRow } from "./reshard_rows.ts";
import { type AuditRow, excluding } from "./row_model.ts";

/**
 * Turns measurements into questions for the simulator, in the order of the file; rows with two independent times give
 * two questions.
 */
export function auditRows(rows: readonly MeasuredRow[]): AuditRow[] {
  const hostFloor = hostFloors(rows);
  const neighbours = unaryNeighbours(rows);
  const questionsOf = (row: MeasuredRow): AuditRow[] => {
    switch (row.group) {
      case "gemm": {
        const wall = gemmWallRow(row);
        return wall === undefined ? [gemmRow(row, hostFloor)] : [gemmRow(row, hostFloor), wall];
      }
      case "matmul_height_sharded":
        return [heightShardedRow(row)];
      case "matmul_1core":
        return [singleCoreRow(row)];
      case "eltwise_unary":
        return [unaryRow(row, neighbours)];
      case "noc_latency":
        return [nocLatencyRow(row)];
      case "noc_bw":
        return [nocBandwidthRow(row)];
      case "dram_bw":
        return [dramBandwidthRow(row)];
      case "dispatch":
        return [dispatchRow(row)];
      case "reshard":
        return [reshardRow(row)];
      case "op_profile":
        return [profileRow(row)];
      case "llm_decode_op":
      case "llm_prefill_op":
      case "op_target":
        return [excluding(row.group, row.device)("shapes are not in the row")];
      case "e2e":
        return [decoderRow(row)];
      default:
        return [excluding(row.group, row.device)("the group is not modelled")];
    }
  };
  return rows.flatMap((row) => {
    if (!OF_OPS.has(row.group)) return questionsOf(row);
    const parameters = parametersOf(row);
    return questionsOf(row).map((question) =>
      question.status === "modelled" && !question.group.endsWith("_wall")
        ? { ...question, parameters }
        : question
    );
  });
}

/** Groups whose rows are times of ops that plans decide about. */
const OF_OPS: ReadonlySet<string> = new Set(["gemm", "matmul_height_sharded", "eltwise_unary", "op_profile"]);

/** The parameters of a run. */
function parametersOf(row: MeasuredRow): Readonly<Record<string, string>> {
  const { source, op, dtype, fidelity, grid } = row;
  const named = (prefix: string, values: Readonly<Record<string, unknown>>) =>
    Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, JSON.stringify(value)]);
  return Object.fromEntries([
    ...Object.entries({ source, op, dtype, fidelity, grid }),
    ...named("shape", row.shapes),
    ...named("layout", row.layouts),
    ...named("config", row.config),
  ]);
}
