// SPDX-License-Identifier: Apache-2.0
import { axisPosition, type Mesh, type MeshAxis, meshChips } from "../../lib/device/mesh.ts";
import { type EdgeLoad, edgeLoads, edgesOf } from "../../lib/programs/ccl/exchange.ts";
import type { DeviceProgram } from "../../lib/programs/program.ts";
import type { FunctionTimeline } from "./timeline.ts";

/**
 * Load of a row of chips along an axis. Parallel rows carry the same load; an exchange between two chips
 * counts in each row.
 */
export interface AxisLoad extends Pick<MeshAxis, "chips" | "links" | "topology"> {
  /** Index of the axis in the mesh. */
  readonly axis: number;
  /** Bytes over all links of an edge; edge `i` leads from chip `i` to the next, the last of a ring to chip 0. */
  readonly edges: readonly EdgeLoad[];
}

/** Chips with identical exchanges: they run the same programs in the same time. */
export interface ChipClass {
  /** Numbers of the chips, along the last axis first. */
  readonly chips: readonly number[];
  /** Bytes that each sends over its links, by the loads. */
  readonly sentBytes: number;
  /** Bytes that each receives. */
  readonly receivedBytes: number;
}

/**
 * Load of the links of each axis on which programs exchange anything; collectives whose axis the graph does not specify
 * are left out.
 */
export function axisLoads(programs: readonly DeviceProgram[], mesh: Mesh): readonly AxisLoad[] {
  return mesh.flatMap((own, axis): AxisLoad[] => {
    const { chips, links, topology } = own;
    const loads = programs.flatMap((program) =>
      program.kind === "collective"
        ? program.legs.filter((leg) => leg.axis === axis).map(({ path }) =>
          // A collective may use a line of a closed row; two chips take the shorter direction.
          edgeLoads(
            program.exchange,
            program.bytes,
            path === undefined ? { ...own, topology: program.topology } : own,
            path,
          )
        )
        : []
    );
    if (loads.length === 0) return [];
    const edges = Array.from({ length: edgesOf(own) }, (_, index) => ({
      forward: loads.reduce((sum, edges) => sum + (edges[index]?.forward ?? 0), 0),
      backward: loads.reduce((sum, edges) => sum + (edges[index]?.backward ?? 0), 0),
    }));
    return [{ axis, chips, links, topology, edges }];
  });
}

/** {@linkcode axisLoads} of one run of every function with the role `inference`. */
export function inferenceLoads(functions: readonly FunctionTimeline[], mesh: Mesh): readonly AxisLoad[] {
  const steps = functions.filter(({ role }) => role === "inference").flatMap(({ steps }) => steps);
  return axisLoads(steps.flatMap(({ estimate }) => estimate.programs), mesh);
}

/** Chips grouped by sent and received bytes, in the order of their first chips. */
export function chipClasses(loads: readonly AxisLoad[], mesh: Mesh): readonly ChipClass[] {
  const classes = new Map<string, { chips: number[]; sentBytes: number; receivedBytes: number }>();
  for (let chip = 0; chip < meshChips(mesh.map(({ chips }) => chips)); chip++) {
    let sentBytes = 0;
    let receivedBytes = 0;
    for (const { axis, chips, edges } of loads) {
      const at = axisPosition(chip, axis, mesh);
      const ahead = edges[at];
      const behind = edges[(at - 1 + chips) % chips];
      sentBytes += (ahead?.forward ?? 0) + (behind?.backward ?? 0);
      receivedBytes += (ahead?.backward ?? 0) + (behind?.forward ?? 0);
    }
    const key = `${Math.round(sentBytes)} ${Math.round(receivedBytes)}`;
    classes.getOrInsertComputed(key, () => ({ chips: [], sentBytes, receivedBytes })).chips.push(chip);
  }
  return [...classes.values()];
}
