// SPDX-License-Identifier: Apache-2.0
import { type Mesh, meshChips, meshText } from "../../lib/device/mesh.ts";
import type { SpreadTensor } from "../../lib/dialect/local_shape.ts";
import { type AxisLoad, type ChipClass, chipClasses, inferenceLoads } from "../../sim/timeline/mesh_load.ts";
import type { Timeline } from "../../sim/timeline/timeline.ts";

/** A mesh with what its links carry in one inference. */
export interface MeshLoad {
  /** Its axes. */
  readonly mesh: Mesh;
  /** Axes that exchanges use. */
  readonly loads: readonly AxisLoad[];
  /** Chips by what they send and receive. */
  readonly classes: readonly ChipClass[];
  /** Arguments and results that are divided among chips. */
  readonly spread: readonly SpreadTensor[];
}

/** The load of a program's mesh; `undefined` for one chip. */
export function meshLoad(
  { functions }: Timeline,
  mesh: Mesh,
  spread: readonly SpreadTensor[],
): MeshLoad | undefined {
  if (meshChips(mesh.map(({ chips }) => chips)) < 2) return undefined;
  const loads = inferenceLoads(functions, mesh);
  const parts = spread.filter(({ whole, shape }) => meshText(whole) !== meshText(shape));
  return { mesh, loads, classes: chipClasses(loads, mesh), spread: parts };
}
