// SPDX-License-Identifier: Apache-2.0
import { gemmRow, gemmWallRow, heightShardedRow, singleCoreRow } from "./matmul_rows.ts";
import { hostFloors } from "./host_floor.ts";
import type { MeasuredRow } from "./measured_row.ts";
import type { AuditRow } from "./row_model.ts";

/**
 * Turns measurements into questions for the simulator, in the order of the file; rows with two independent times give
 * two questions.
 */
export function auditRows(rows: readonly MeasuredRow[]): AuditRow[] {
  const hostFloor = hostFloors(rows);
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
