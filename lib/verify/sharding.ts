// SPDX-License-Identifier: Apache-2.0
import { meshChips, meshText } from "../device/mesh.ts";
import { spreadTensors } from "../dialect/local_shape.ts";
import { meshFaults, readMeshShape } from "../dialect/module_mesh.ts";
import type { Reporter } from "./reporter.ts";

/**
 * V18: a module says one mesh; what one chip has of an argument or result (`ttcore.local_shape`) divides it by chips of
 * the mesh, and is all of it where nothing is sharded.
 */
export function verifySharding(reporter: Reporter): void {
  const { module } = reporter;
  for (const { span, message } of meshFaults(module)) reporter.report("V18/mesh", "error", span, message);
  const mesh = readMeshShape(module);
  for (const { span, whole, shape, isPresharded } of spreadTensors(module)) {
    const fault = localFault(whole, shape, isPresharded, mesh);
    if (fault !== undefined) reporter.report("V18/local-shape", "error", span, fault);
  }
}

function localFault(
  whole: readonly number[],
  local: readonly number[],
  isPresharded: boolean,
  mesh: readonly number[],
): string | undefined {
  const says = `'ttcore.local_shape' ${meshText(local)} is no part of ${meshText(whole)}`;
  if (local.length !== whole.length) return says;
  const parts = whole.map((extent, index) => extent / (local[index] ?? 1));
  if (parts.some((count) => !Number.isInteger(count) || count < 1)) return says;
  const chips = meshChips(parts);
  if (chips > 1 && !isPresharded) return `${says}: its chips are not said to hold parts ('presharded')`;
  const most = meshChips(mesh);
  return mesh.length > 0 && most % chips !== 0
    ? `${says} on a mesh of ${meshText(mesh)}: it is cut into ${chips} parts`
    : undefined;
}
