// SPDX-License-Identifier: Apache-2.0
import { decoderRow } from "./decoder_rows.ts";
import { dispatchRow } from "./dispatch_rows.ts";
import { dramBandwidthRow } from "./dram_rows.ts";
import { unaryNeighbours, unaryRow } from "./eltwise_rows.ts";
import { hostFloors } from "./host_floor.ts";
import { gemmRow, gemmWallRow, heightShardedRow, singleCoreRow } from "./matmul_rows.ts";
import type { MeasuredRow } from "./measured_row.ts";
import { nocBandwidthRow, nocLatencyRow } from "./noc_rows.ts";
import { profileRow } from "./profile_rows.ts";
import { reshardRow } from "./reshard_rows.ts";
import type { AuditRow } from "./row_model.ts";

/**
 * Turns measurements into questions for the simulator, in the order of the file; rows with two independent times give
 * two questions.
 */
export function auditRows(rows: readonly MeasuredRow[]): AuditRow[] {
  const hostFloor = hostFloors(rows);
  const neighbours = unaryNeighbours(rows);
  return rows.flatMap((row): AuditRow[] => {
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
        return [{
          status: "excluded",
          group: row.group,
          device: row.device,
          reason: "shapes are not in the row",
        }];
      case "e2e":
        return [decoderRow(row)];
      default:
        return [{
          status: "excluded",
          group: row.group,
          device: row.device,
          reason: "the group is not modelled",
        }];
    }
  });
}
