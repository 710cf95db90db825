// SPDX-License-Identifier: Apache-2.0
import { readAttributes } from "../ops/attributes/read_attributes.ts";
import { ALL_GATHER, COLLECTIVE_AXIS, REDUCE_SCATTER } from "../ops/attributes/collective.ts";
import { meshChips, meshText } from "../device/mesh.ts";
import { spreadTensors } from "../dialect/local_shape.ts";
import { meshFaults, readMeshNames, readMeshShape } from "../dialect/module_mesh.ts";
import { aliasTextOf, meshOf } from "../dialect/ttnn_layout.ts";
import { errorIn, type Operation, type Span } from "../ir/module_text.ts";
import { attributeMap } from "../ir/attribute_reader.ts";
import { DYNAMIC, tensorTypeAt } from "../ir/tensor_type.ts";
import { normalDim } from "../layout/extents.ts";
import type { Reporter } from "./reporter.ts";

/**
 * V18: a module has one mesh; the part of an argument or result on one chip (`ttcore.local_shape`) is its shape
 * divided by chips of the mesh, or all of it if nothing is sharded; gathered or scattered tensors have the
 * extents that follow from their mesh axis.
 */
export function verifySharding(reporter: Reporter): void {
  const { module } = reporter;
  for (const { span, message } of meshFaults(module)) reporter.error("V18/mesh", span, message);
  const mesh = readMeshShape(module);
  for (const { span, whole, shape, isPresharded } of spreadTensors(module)) {
    const fault = localFault(whole, shape, isPresharded, mesh);
    if (fault !== undefined) reporter.error("V18/local-shape", span, fault);
  }
  verifyExchanges(reporter, mesh);
}

/** Ops by which the chips along an axis of the mesh exchange tensors. */
const EXCHANGES = /\.(?:all_gather|all_reduce|reduce_scatter)(?:_async)?$/;

/**
 * Collectives run along axes of the mesh: a gathered extent grows by the number of chips of the axis, a
 * scattered one shrinks by it.
 */
function verifyExchanges(reporter: Reporter, mesh: readonly number[]): void {
  const { module } = reporter;
  // A shortcut, because most modules are for one chip.
  if (!module.text.includes("cluster_axis")) return;
  for (const operation of module.operations) {
    const attributes = attributeMap(module, operation);
    const fail = (reason: string): Error =>
      errorIn(module, "V20/attribute", operation.nameSpan.start, `'${operation.name}': ${reason}`);
    const op = { attributes, fail };
    const { cluster_axis: axis } = readAttributes(op, COLLECTIVE_AXIS);
    if (axis !== undefined && mesh.length > 0 && axis >= mesh.length) {
      reporter.error(
        "V18/cluster-axis",
        operation.nameSpan,
        `'cluster_axis' ${axis} is not one of the ${mesh.length} axes of the mesh ${meshText(mesh)}`,
      );
    }
    const busy = mesh.findIndex((chips) => chips > 1);
    if (axis !== undefined && mesh[axis] === 1 && busy >= 0 && EXCHANGES.test(operation.name)) {
      reporter.report(
        "V18/exchange",
        "warning",
        operation.nameSpan,
        `'${operation.name}' over axis ${axis} of the mesh ${
          meshText(mesh)
        } is its operand: the axis has one chip, axis ${busy} has ${mesh[busy]}`,
      );
      continue;
    }
    const name = /^tt(?:nn|ir)\.(all_gather|reduce_scatter)$/.exec(operation.name)?.[1];
    const [from] = operation.operandTypes ?? [];
    const [to] = operation.resultTypes ?? [];
    if (name === undefined || from === undefined || to === undefined) continue;
    const dim = name === "all_gather"
      ? readAttributes(op, ALL_GATHER).all_gather_dim
      : readAttributes(op, REDUCE_SCATTER).scatter_dim;
    const chips = axis === undefined ? undefined : mesh[axis];
    const [before, after] = [from, to].map((span) => tensorTypeAt(module, span)?.shape);
    if (chips === undefined || before === undefined || after === undefined) continue;
    const at = normalDim(dim, before.length);
    const [whole, part] = name === "all_gather" ? [after, before] : [before, after];
    const joins = (count: number) =>
      meshText(part.map((extent, index) => index === at ? extent * count : extent)) === meshText(whole);
    if (part.includes(DYNAMIC) || whole.includes(DYNAMIC) || joins(chips)) continue;
    const other = mesh.findIndex(joins);
    reporter.report(
      "V18/exchange", // A warning, because upstream's own tests gather along axes of one chip.
      "warning",
      to,
      `'${operation.name}' of ${meshText(before)} along dimension ${dim} over ${chips} chips is no ${
        meshText(after)
      }${other < 0 ? "" : `; over axis ${other} of the mesh ${meshText(mesh)} it is`}`,
    );
  }
}

function localFault(
  whole: readonly number[],
  local: readonly number[],
  isPresharded: boolean,
  mesh: readonly number[],
): string | undefined {
  const says = `'ttcore.local_shape' ${meshText(local)} is not a part of ${meshText(whole)}`;
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

/** V17: a layout names a mesh of the module, and all tensors of an op that name a mesh name the same one. */
export function verifyMeshes(reporter: Reporter): void {
  const { module } = reporter;
  const known = readMeshNames(module);
  const alias = aliasTextOf(module);
  const nameAt = (span: Span): string | undefined => {
    const type = tensorTypeAt(module, span);
    const mesh = type === undefined ? undefined : meshOf(module, type);
    return mesh === undefined ? undefined : /"([^"]*)"/.exec(alias(mesh))?.[1];
  };
  for (const operation of module.operations) {
    const named = typesOf(operation).flatMap((span) => {
      const name = nameAt(span);
      return name === undefined ? [] : [{ span, name }];
    });
    const [first] = named;
    if (first === undefined) continue;
    const unknown = named.find(({ name }) => known.length > 0 && !known.includes(name));
    if (unknown !== undefined) {
      const names = known.map((name) => `"${name}"`).join(", ");
      reporter.error(
        "V17/unknown-mesh",
        unknown.span,
        `the layout is on mesh "${unknown.name}", which the module does not have; it has ${names}`,
      );
    }
    const other = named.find(({ name }) => name !== first.name);
    if (other !== undefined) {
      reporter.error(
        "V17/two-meshes",
        other.span,
        `'${operation.name}' has tensors on meshes "${first.name}" and "${other.name}"`,
      );
    }
  }
}

function typesOf(operation: Operation): readonly Span[] {
  return [...operation.operandTypes ?? [], ...operation.resultTypes ?? []];
}
