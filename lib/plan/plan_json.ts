// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { type DiagnosticError, inputError } from "../diagnostics/diagnostic.ts";
import { readJson, validated } from "../diagnostics/read_json.ts";
import { DATA_TYPES } from "../layout/data_type.ts";
import { BUFFER_TYPES, TENSOR_MEMORY_LAYOUTS, type TtnnLayout } from "../layout/ttnn_layout.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import { OP_CONFIG_SCHEMA } from "../op_config/schema.ts";
import { CORE_RANGE } from "../op_config/value_kinds.ts";
import type { FunctionPlan, OpDecision, Plan } from "./plan.ts";
import { isId, type OpId, type SchedulePoint, type ValueId } from "../graph/graph.ts";

/** Reads `null` as `undefined`, which {@linkcode toJson} writes so: arrays keep their length and keys stay visible. */
export function orNull<Output>(
  schema: v.GenericSchema<unknown, Output>,
): v.GenericSchema<unknown, Output | undefined> {
  return v.pipe(v.nullable(schema), v.transform((value) => value ?? undefined));
}

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const opId = v.pipe(count, v.guard(isId<OpId>));
const valueId = v.pipe(count, v.guard(isId<ValueId>));
const place = v.pipe(count, v.guard(isId<SchedulePoint>));

const layout: v.GenericSchema<unknown, TtnnLayout> = v.strictObject({
  bufferType: v.picklist(BUFFER_TYPES),
  memoryLayout: orNull(v.picklist(TENSOR_MEMORY_LAYOUTS)),
  dataType: v.picklist(DATA_TYPES),
  tile: orNull(v.strictObject({ height: count, width: count })),
  gridShape: v.array(count),
  shardShape: v.array(count),
  coreRanges: v.array(CORE_RANGE),
  shardOrientation: v.picklist(["row_major", "col_major"]),
  ignorePhysicalLayout: v.boolean(),
});

const operandSource = v.variant("kind", [
  v.strictObject({ kind: v.literal("value") }),
  v.strictObject({ kind: v.literal("conversion"), conversion: count }),
]);

const functionPlan: v.GenericSchema<unknown, FunctionPlan> = v.strictObject({
  name: v.string(),
  decisions: v.array(v.strictObject({
    op: opId,
    outputLayouts: v.array(orNull(layout)),
    config: orNull(OP_CONFIG_SCHEMA),
    operands: v.array(operandSource),
    reasons: v.array(v.string()),
    spilled: v.exactOptional(v.literal(true)),
  })),
  conversions: v.array(v.strictObject({
    id: count,
    value: valueId,
    source: operandSource,
    layout,
    beforeOp: place,
    reason: v.picklist(["reshard", "spill", "reload", "return", "typecast", "override"]),
    note: v.string(),
  })),
  results: v.array(operandSource),
  schedule: orNull(v.array(opId)),
  counters: v.exactOptional(v.record(v.string(), count)),
  configured: v.exactOptional(v.strictObject({
    savedUs: v.number(),
    before: v.array(v.strictObject({ op: opId, config: orNull(OP_CONFIG_SCHEMA) })),
  })),
  lowerBoundUs: v.exactOptional(v.number()),
});

/** A document may have further keys (summary, per-op table), for people. */
const plan: v.GenericSchema<unknown, Plan> = v.object({
  schema: v.literal("tilewright.plan/1"),
  policy: v.string(),
  device: v.string(),
  functions: v.array(functionPlan),
});

/** JSON text of a value in which `undefined` is written as `null`. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, part) => part === undefined ? null : part, 2);
}

/**
 * JSON text of a plan, or of a document that contains one; {@linkcode parsePlan} reads it back. Equal plans
 * give equal bytes.
 */
export function planToJson(value: Plan): string {
  return toJson({ ...value, functions: value.functions.map(withConfigsInOrder) });
}

/**
 * The same plan with the fields of its op configs in the order of their tables: configs come from the text,
 * from overrides and from backend defaults, which all order them differently.
 */
function withConfigsInOrder(plan: FunctionPlan): FunctionPlan {
  const known = new Map<OpSpecificAttributes, OpSpecificAttributes>();
  const inOrder = (config: OpSpecificAttributes): OpSpecificAttributes => {
    return known.getOrInsertComputed(config, () => v.parse(OP_CONFIG_SCHEMA, config));
  };
  const ordered = <Decision extends Pick<OpDecision, "config">>(decision: Decision): Decision =>
    decision.config === undefined ? decision : { ...decision, config: inOrder(decision.config) };
  const { configured } = plan;
  return {
    ...plan,
    decisions: plan.decisions.map(ordered),
    ...(configured === undefined
      ? {}
      : { configured: { ...configured, before: configured.before.map(ordered) } }),
  };
}

/**
 * Reads a plan from JSON text, also from the larger document that `optimize --json` prints.
 *
 * @example
 * ```ts
 * import { DEFAULT_POLICY_OPTIONS, getPolicy, loadModule } from "@tilewright/tilewright";
 * import { parsePlan, planToJson } from "@tilewright/tilewright/plan";
 * import { assert, assertEquals } from "@std/assert";
 *
 * const ttir = `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
 *   %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
 *   return %0 : tensor<64x64xbf16>
 * }`;
 * const workbench = loadModule(ttir, { device: "n150" });
 * const { binding: { graph }, opModel, cost } = workbench;
 * const plan = getPolicy("dram").decide({ graph, opModel, cost, options: DEFAULT_POLICY_OPTIONS });
 * assertEquals(parsePlan(planToJson(plan), "plan.json"), plan);
 * ```
 *
 * @param file name to show in errors
 * @throws {DiagnosticError} when the text is no JSON or no plan; the message names the JSON path
 */
export function parsePlan(text: string, file: string): Plan {
  const refuse = (reason: string): DiagnosticError => invalid(file, reason);
  return validated(plan, readJson(text, refuse), refuse);
}

function invalid(file: string, reason: string): DiagnosticError {
  return inputError(
    "plan/invalid",
    `Cannot read a plan from ${file}: ${reason}; give what 'optimize --json' printed`,
  );
}
