// SPDX-License-Identifier: Apache-2.0
import { type MeasuredRow, numberOf } from "./measured_row.ts";

/**
 * Host time of one untraced op, per set of runs: the median of the shorter half of the set's untraced rows,
 * without the row itself, so that no row explains itself. The host and its software determine it, not the
 * chip: all short ops take this long.
 *
 * @returns a lookup that gives `undefined` when fewer than four other rows of the set are known
 */
export function hostFloors(rows: readonly MeasuredRow[]): (row: MeasuredRow) => number | undefined {
  const sets = new Map<string, MeasuredRow[]>();
  for (const row of rows) {
    if (row.group !== "gemm" || row.config.trace !== false) continue;
    sets.getOrInsertComputed(keyOf(row), () => []).push(row);
  }
  return (row) => {
    const others = (sets.get(keyOf(row)) ?? []).filter((other) => other !== row);
    const times = others.map((other) => numberOf(other.measured, "us") ?? 0).sort((a, b) => a - b);
    const shorter = times.slice(0, Math.ceil(times.length / 2));
    return shorter.length < 2 ? undefined : shorter[Math.floor(shorter.length / 2)];
  };
}

function keyOf(row: MeasuredRow): string {
  return [row.source, row.device, row.grid, String(row.config.tuning)].join("|");
}
