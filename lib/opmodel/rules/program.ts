// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../../layout/data_type.ts";
import { fillsTiles } from "../../layout/extents.ts";
import { isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import { definitionOf } from "../../ops/op_book.ts";
import { operandOfGroup } from "../../ops/operand_groups.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import type { OpLaunch } from "../../programs/op_launch.ts";
import { type ProgramTensor, programTensor } from "../../programs/program_tensor.ts";
import { type ConstraintQuery, isDramInterleaved } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import { refuseConfig, refuseOperand } from "../verdict.ts";

/** An operand. Refuses an op whose operand is no tensor. */
export function operandAt(query: ConstraintQuery, index: number): Tensor {
  return query.operands[index] ??
    refuseConfig(
      query,
      "operand/missing",
      `needs a tensor as operand ${index}`,
      "op definition (ttnn dialect)",
    );
}

/** The operand of an optional group with its index; `undefined` if there is none. */
export function operandIn(query: ConstraintQuery, group: number): readonly [number, Tensor] | undefined {
  const index = operandOfGroup(query.op, group);
  const tensor = index === undefined ? undefined : query.operands[index];
  return index === undefined || tensor === undefined ? undefined : [index, tensor];
}

/** What rules demand of the layout of an operand, in the words of the refusal. */
type OperandDemand = "tiled" | "row-major" | "interleaved" | "tiled and interleaved" | "interleaved in DRAM";

const DEMANDS: Readonly<Record<OperandDemand, (layout: TtnnLayout) => boolean>> = {
  "tiled": ({ tile }) => tile !== undefined,
  "row-major": ({ tile }) => tile === undefined,
  "interleaved": (layout) => !isSharded(layout),
  "tiled and interleaved": (layout) => layout.tile !== undefined && !isSharded(layout),
  "interleaved in DRAM": isDramInterleaved,
};

/** Refuses an operand whose layout is not as the op's kernel wants it. */
export function demand(
  query: ConstraintQuery,
  index: number,
  wanted: OperandDemand,
  rule: string,
  source?: string,
): void {
  const layout = query.operands[index]?.layout;
  if (layout !== undefined && !DEMANDS[wanted](layout)) {
    refuseOperand(query, index, rule, `must be ${wanted}`, source);
  }
}

/** {@linkcode demand} of every operand that is a tensor. */
export function demandOfAll(
  query: ConstraintQuery,
  wanted: OperandDemand,
  rule: string,
  source?: string,
): void {
  for (const index of query.operands.keys()) demand(query, index, wanted, rule, source);
}

/** Refuses an operand in a format that the op's kernel does not read. */
export function demandFormat(
  query: ConstraintQuery,
  index: number,
  formats: readonly DataType[],
  rule: string,
  source?: string,
): void {
  const format = query.operands[index]?.layout.dataType;
  if (format !== undefined && !formats.includes(format)) {
    refuseOperand(query, index, rule, `must be ${formats.join(" or ")}`, source);
  }
}

/** Refuses a first operand in a format that no op of its name takes ({@linkcode OpDefinition.takesFormats}). */
export function demandTakenFormat(query: ConstraintQuery, rule: string, fault: string): void {
  const { dataType } = operandAt(query, 0).layout;
  if (!definitionOf(query.op.name).takesFormats([dataType], undefined)) refuseOperand(query, 0, rule, fault);
}

/** Whether the query requests a sharded result. */
export function wantsShards({ hint }: ConstraintQuery): boolean {
  return hint !== undefined && isSharded(hint);
}

/** Whether a hint requests a sharded result without a shard spec. */
export function lacksSpec(hint: TtnnLayout | undefined): boolean {
  return hint !== undefined && isSharded(hint) && hint.ignorePhysicalLayout;
}

/**
 * Refuses an op on bytes whose last program tilizes them into a result that does not fill its tiles
 * (`ttnn:backend-0-81-1`).
 *
 * @param input index of the operand that is tilized
 */
export function checkPaddedBytes(
  query: ConstraintQuery,
  { shape, layout: { tile, dataType } }: Tensor,
  input = 0,
): void {
  if (tile === undefined || dataType !== "u8" || (shape.length > 1 && fillsTiles(shape))) return;
  refuseOperand(query, input, "layout/padded-bytes", "has bytes, which are not tilized with padding");
}

/** The op as programs see it. */
export function launchOf(
  { op, operands, config }: ConstraintQuery,
  outputs: readonly (Tensor | undefined)[],
): OpLaunch {
  const view = (tensor: Tensor | undefined) => tensor === undefined ? undefined : asProgramTensor(tensor);
  return {
    name: op.name,
    attributes: op.attributes,
    inputs: operands.map(view),
    outputs: outputs.map(view),
    config,
  };
}

/** The op with the requested memory as its result. */
export function askedLaunch(query: ConstraintQuery, type: TensorShape): OpLaunch {
  return { ...launchOf(query, []), outputs: [askedResult(type, query.hint)] };
}

/** The requested result; without shards if the spec is left open. */
function askedResult(type: TensorShape, hint: TtnnLayout | undefined): ProgramTensor {
  const asked = programTensor(type, hint);
  return hint?.ignorePhysicalLayout === true
    ? { ...asked, shardShape: [], gridShape: [], coreRanges: [], shardCores: 0 }
    : asked;
}
