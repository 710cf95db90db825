// SPDX-License-Identifier: Apache-2.0
import type { AttributeMap } from "../lib/ir/attribute.ts";
import { layoutKey } from "../lib/layout/layout_table.ts";
import { makeLayout } from "../lib/layout/make_layout.ts";
import type { TtnnLayout } from "../lib/layout/ttnn_layout.ts";
import {
  type GraphFunction,
  type GraphOp,
  type GraphValue,
  idAt,
  type OpId,
  type ValueId,
} from "../lib/graph/graph.ts";
import type { TensorShape } from "../lib/ops/op_signature.ts";

/** A function as it was before layouts were decided. */
export interface UndecidedFunction {
  readonly fn: GraphFunction;
  /** Per op of `fn` the op of the decided function that it was. */
  readonly originalOp: readonly OpId[];
}

/** Attributes in which an optimizer leaves its decisions about one op. */
const DECISION_ATTRIBUTES: ReadonlySet<string> = new Set([
  "memory_config",
  "matmul_program_config",
  "program_config",
  "conv2d_slice_config",
]);

/**
 * Takes a function's layout decisions back: everything on the device is DRAM interleaved, memory-only conversions are
 * gone, program configs are left to the backend. Pages, formats, host tensors and op order stay. It is what an optimizer
 * can be run on to compare its decisions, op by op, with those that a dump already holds.
 */
export function undecidedFunction(fn: GraphFunction): UndecidedFunction {
  const replaced = new Map<ValueId, ValueId>();
  const resolve = (value: ValueId): ValueId => {
    const next = replaced.get(value);
    return next === undefined ? value : resolve(next);
  };
  const kept: GraphOp[] = [];
  for (const op of fn.ops) {
    const [operand] = op.operands;
    const [result] = op.results;
    if (operand !== undefined && result !== undefined && isMemoryConversion(fn, op)) {
      replaced.set(result, operand);
    } else kept.push(op);
  }
  const results = fn.results.map(resolve);
  const liveValues = new Set([...fn.arguments, ...kept.flatMap((op) => op.results)]);
  const newId = new Map(
    [...liveValues].toSorted((a, b) => a - b).map((id, index) => [id, idAt<ValueId>(index)]),
  );
  const idOf = (value: ValueId): ValueId => known(newId.get(resolve(value)), value);
  const newOp = new Map(kept.map((op, index) => [op.id, idAt<OpId>(index)]));
  const ops = kept.map((op, index): GraphOp => ({
    ...op,
    id: idAt(index),
    operands: op.operands.map(idOf),
    results: op.results.map(idOf),
    attributes: withoutDecisions(op.attributes),
  }));
  const uses = Map.groupBy(
    ops.flatMap(({ id, operands }) => operands.map((value, operand) => ({ op: id, operand, value }))),
    ({ value }) => value,
  );
  const values = [...newId].map(([original, id]): GraphValue => {
    const value = fn.values[original];
    if (value === undefined) throw new RangeError(`Cannot undecide ${fn.name}: value ${original} is missing`);
    const { definition } = value;
    return {
      ...value,
      id,
      definition: definition.kind === "argument"
        ? definition
        : { ...definition, op: known(newOp.get(definition.op), definition.op) },
      layout: undecidedLayout(value.tensor, value.layout),
      uses: uses.get(id)?.map(({ op, operand }) => ({ op, operand })) ?? [],
      returned: results.filter((result) => result === original).length,
    };
  });
  return {
    fn: { ...fn, ops, values, arguments: fn.arguments.map(idOf), results: fn.results.map(idOf) },
    originalOp: kept.map((op) => op.id),
  };
}

/** Whether an op changes nothing but memory: a `to_memory_config` on the device, or a `to_layout` that keeps pages and format. */
function isMemoryConversion(fn: GraphFunction, op: GraphOp): boolean {
  if (op.name !== "ttnn.to_memory_config" && op.name !== "ttnn.to_layout") return false;
  const [from, to] = [op.operands[0], op.results[0]].map((value) =>
    value === undefined ? undefined : fn.values[value]
  );
  if (from?.tensor === undefined || to?.tensor === undefined) return false;
  const before = undecidedLayout(from.tensor, from.layout);
  const after = undecidedLayout(to.tensor, to.layout);
  return before !== undefined && after !== undefined && layoutKey(before) === layoutKey(after);
}

function undecidedLayout(
  tensor: TensorShape | undefined,
  layout: TtnnLayout | undefined,
): TtnnLayout | undefined {
  if (tensor === undefined || layout === undefined || layout.bufferType === "system_memory") return layout;
  return makeLayout({
    shape: tensor.shape,
    dataType: layout.dataType,
    tile: layout.tile ?? null,
    bufferType: "dram",
    memoryLayout: "interleaved",
  }, { rows: 1, columns: 1 });
}

function withoutDecisions(attributes: AttributeMap): AttributeMap {
  return new Map([...attributes].filter(([name]) => !DECISION_ATTRIBUTES.has(name)));
}

function known<Id>(id: Id | undefined, original: number): Id {
  if (id === undefined) throw new RangeError(`Cannot renumber ${original}: nothing is left of it`);
  return id;
}
