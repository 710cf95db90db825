// SPDX-License-Identifier: Apache-2.0
import { layoutKey } from "../lib/layout/layout_table.ts";
import { makeLayout } from "../lib/layout/make_layout.ts";
import type { TtnnLayout } from "../lib/layout/ttnn_layout.ts";
import { type GraphFunction, type GraphOp, type OpId, valueAt, type ValueId } from "../lib/graph/graph.ts";
import type { TensorShape } from "../lib/ops/op_signature.ts";
import { GraphBuilder } from "../testing/graph_builder.ts";

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
  const builder = new GraphBuilder(fn.name, fn.kind);
  const ids = new Map<ValueId, ValueId>();
  const idOf = (value: ValueId): ValueId => {
    const id = ids.get(value);
    if (id === undefined) throw new RangeError(`Cannot undecide ${fn.name}: value ${value} is not defined`);
    return id;
  };
  for (const id of fn.arguments) {
    const { tensor, layout, definition } = valueAt(fn, id);
    const role = definition.kind === "argument" ? definition : {};
    ids.set(id, builder.argument(tensor, { ...role, layout: undecidedLayout(tensor, layout) ?? null }));
  }
  const originalOp: OpId[] = [];
  for (const op of fn.ops) {
    const [operand] = op.operands;
    const [result] = op.results;
    if (operand !== undefined && result !== undefined && isMemoryConversion(fn, op)) {
      ids.set(result, idOf(operand));
      continue;
    }
    const values = op.results.map((id) => valueAt(fn, id));
    const made = builder.multiOp(op.name, op.operands.map(idOf), values.map(({ tensor }) => tensor), {
      attributes: new Map([...op.attributes].filter(([name]) => !DECISION_ATTRIBUTES.has(name))),
      ...(op.operandSegmentSizes === undefined ? {} : { operandSegmentSizes: op.operandSegmentSizes }),
      location: op.location,
      layouts: values.map(({ tensor, layout }) => undecidedLayout(tensor, layout) ?? null),
    });
    for (const [index, { id }] of values.entries()) {
      const changed = made[index];
      if (changed !== undefined) ids.set(id, changed);
    }
    originalOp.push(op.id);
  }
  builder.return(...fn.results.map(idOf));
  return { fn: { ...builder.build(), freedArguments: fn.freedArguments.map(idOf) }, originalOp };
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
