// SPDX-License-Identifier: Apache-2.0
import type { GraphFunction, GraphOp, OpId } from "../graph/graph.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import type { Conv2dConfig, Conv3dConfig } from "../op_config/op_config.ts";
import type { CostClass } from "../ops/cost_class.ts";
import { definitionOf } from "../ops/op_book.ts";
import {
  isOverridden,
  nameOfLocation,
  type OptimizerOverrides,
  type OutputLayoutOverride,
} from "./overrides.ts";

/** The overrides of one op. */
export interface OpOverrides {
  /** The name by which they refer to the op. */
  readonly name: string;
  readonly outputLayout: OutputLayoutOverride | undefined;
  /** Operands to convert to the layout of the op's own result. */
  readonly memReconfigs: readonly number[];
  readonly conv2dConfig: Conv2dConfig | undefined;
  readonly conv3dConfig: Conv3dConfig | undefined;
}

/** Kinds of ops that convert a tensor from one layout to another. */
export const CONVERSIONS: ReadonlySet<CostClass> = new Set<CostClass>([
  "typecast",
  "to_layout",
  "reshard",
  "host_transfer",
]);

/**
 * The overrides of a function by op id. A name refers to all ops that have it, except ops that always run as in
 * the input (loading a const-eval result has the location of that result) and conversions that a compiler
 * inserted at the op's location: they are meant only if no other op has the name. A layout override with an
 * element format or pages applies to the ops of its name whose results already have these, if there are any, and to
 * conversions if they alone have them: these are the ops that produce what was asked for.
 */
export function opOverrides(
  fn: GraphFunction,
  overrides: OptimizerOverrides,
): ReadonlyMap<OpId, OpOverrides> {
  const found = new Map<OpId, OpOverrides>();
  if (!isOverridden(overrides)) return found;
  const byName = Map.groupBy(fn.ops, ({ location }) => nameOfLocation(location));
  for (const [name, located] of byName) {
    if (name === undefined) continue;
    const movable = located.filter((op) => definitionOf(op.name).movable);
    const ops = movable.length > 0 ? movable : located;
    const outputLayout = overrides.outputLayouts.get(name);
    const others = ops.filter((op) => !CONVERSIONS.has(definitionOf(op.name).costClass));
    const meant = others.length > 0 ? others : ops;
    const laidOut = outputLayout === undefined ? [] : laidOutBy(fn, outputLayout, [meant, ops]);
    for (const op of ops) {
      const isMeant = meant.includes(op);
      const resolved: OpOverrides = {
        name,
        outputLayout: laidOut.includes(op) ? outputLayout : undefined,
        memReconfigs: isMeant ? overrides.memReconfigs.get(name) ?? [] : [],
        conv2dConfig: isMeant ? overrides.conv2dConfigs.get(name) : undefined,
        conv3dConfig: isMeant ? overrides.conv3dConfigs.get(name) : undefined,
      };
      const { outputLayout: layout, memReconfigs, conv2dConfig, conv3dConfig } = resolved;
      if (layout === undefined && memReconfigs.length === 0 && (conv2dConfig ?? conv3dConfig) === undefined) {
        continue;
      }
      found.set(op.id, resolved);
    }
  }
  for (const [id, outputLayout] of overrides.heldLayouts.get(fn.name) ?? []) {
    if (found.get(id)?.outputLayout !== undefined) continue;
    const none = { memReconfigs: [], conv2dConfig: undefined, conv3dConfig: undefined };
    found.set(id, { name: `op ${id}`, ...none, ...found.get(id), outputLayout });
  }
  return found;
}

/** The ops whose results have the format that an override states: of the first group with any, else the first group. */
function laidOutBy(
  fn: GraphFunction,
  override: OutputLayoutOverride,
  groups: readonly [readonly GraphOp[], readonly GraphOp[]],
): readonly GraphOp[] {
  const [meant] = groups;
  if ((override.dataType ?? override.pageLayout) === undefined) return meant;
  const inFormat = groups.map((ops) => ops.filter((op) => hasFormat(fn, op, override)));
  return inFormat.find((ops) => ops.length > 0) ?? meant;
}

/** Whether an op's first result has the element format and pages of an override in the input. */
function hasFormat(
  { values }: GraphFunction,
  { results: [result] }: GraphOp,
  override: OutputLayoutOverride,
): boolean {
  const layout = result === undefined ? undefined : values[result]?.layout;
  return layout !== undefined && keepsFormat(layout, override);
}

/** Whether a layout has the element format and pages of an override, as far as it states them. */
export function keepsFormat(layout: TtnnLayout, { dataType, pageLayout }: OutputLayoutOverride): boolean {
  return (dataType === undefined || dataType === layout.dataType) &&
    (pageLayout === undefined || (pageLayout === "tile") === (layout.tile !== undefined));
}

/** Whether a layout satisfies an override in everything that it states. */
export function obeysOverride(layout: TtnnLayout, override: OutputLayoutOverride): boolean {
  return keepsFormat(layout, override) &&
    (override.grid === undefined || override.grid.join("x") === layout.gridShape.join("x")) &&
    (override.bufferType === undefined || override.bufferType === layout.bufferType) &&
    (override.memoryLayout === undefined || override.memoryLayout === layout.memoryLayout);
}
