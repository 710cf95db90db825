// SPDX-License-Identifier: Apache-2.0
import { meshChips, meshText } from "../device/mesh.ts";
import { readLocalShape } from "../dialect/local_shape.ts";
import { meshFaults, readMeshShape } from "../dialect/module_mesh.ts";
import type { AttributeMap } from "../ir/attribute.ts";
import { dictionaryMap } from "../ir/attribute_reader.ts";
import { functionsOf } from "../ir/functions.ts";
import type { Span } from "../ir/module_text.ts";
import { tensorTypeAt } from "../ir/tensor_type.ts";
import type { Reporter } from "./reporter.ts";

/**
 * V18: a module says one mesh; what one chip has of an argument or result (`ttcore.local_shape`) divides it by chips of
 * the mesh, and is all of it where nothing is sharded.
 */
export function verifySharding(reporter: Reporter): void {
  const { module } = reporter;
  for (const { span, message } of meshFaults(module)) reporter.report("V18/mesh", "error", span, message);
  const mesh = readMeshShape(module);
  const check = (span: Span, attributes: AttributeMap) => {
    const local = readLocalShape(attributes);
    const whole = tensorTypeAt(module, span)?.shape;
    if (local === undefined || whole === undefined || whole.includes(-1)) return;
    const fault = localFault(whole, local.shape, local.isPresharded, mesh);
    if (fault !== undefined) reporter.report("V18/local-shape", "error", span, fault);
  };
  for (const view of functionsOf(module)) {
    for (const { type, attributes } of view.arguments) check(type, attributes);
    for (const { type, attributes } of view.operation.signature?.results ?? []) {
      check(type, dictionaryMap(module, attributes));
    }
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
