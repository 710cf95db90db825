// SPDX-License-Identifier: Apache-2.0
import type { SharedBuffer } from "../ops/shared_buffers.ts";
import { type GraphFunction, type GraphOp, opAt, type OpId, valueAt, type ValueId } from "../graph/graph.ts";

/** Constraints on the order of ops beside their operands. */
export interface OpEffects {
  /** Operands that the op overwrites. */
  readonly writtenOperands: readonly number[];
  /** Results that may lie in the buffer of an operand. */
  readonly shared: readonly SharedBuffer[];
}

/**
 * Whether the scheduler orders an op: TTNN ops except `empty` and `get_device` (tt-mlir `Scheduler`), and all ops
 * without results, which run for their side effects.
 */
export function isSchedulable(op: GraphOp): boolean {
  if (op.name === "ttnn.empty" || op.name === "ttnn.get_device") return false;
  return op.name.startsWith("ttnn.") || op.results.length === 0;
}

/** Maps a value to one representative of all values that may share its buffer. */
function owners(fn: GraphFunction, effectsOf: (op: OpId) => OpEffects): (value: ValueId) => ValueId {
  const parents = new Map<ValueId, ValueId>();
  const ownerOf = (value: ValueId): ValueId => {
    let owner = value;
    for (let parent = parents.get(owner); parent !== undefined; parent = parents.get(owner)) owner = parent;
    return owner;
  };
  for (const op of fn.ops) {
    for (const { operand, result } of effectsOf(op.id).shared) {
      const [source, view] = [op.operands[operand], op.results[result]];
      if (source === undefined || view === undefined) continue;
      // Definitions come first, so that a view is walked to its source at once.
      const [first, second] = [ownerOf(source), ownerOf(view)];
      if (first !== second) parents.set(second, first);
    }
  }
  return ownerOf;
}

/**
 * Per op, in ascending order: the schedulable ops that must run before it:
 *
 * - the producers of its operands, including those behind ops that are not scheduled themselves;
 * - if an op overwrites a buffer: every reader and writer of that buffer stays on its side of the op;
 * - ops without results keep their order among each other.
 */
export function scheduleDependencies(
  fn: GraphFunction,
  effectsOf: (op: OpId) => OpEffects,
): readonly (readonly OpId[])[] {
  const dependencies: (readonly OpId[])[] = [];
  const ownerOf = owners(fn, effectsOf);
  const writer = new Map<ValueId, OpId>();
  const readers = new Map<ValueId, OpId[]>();
  let lastEffect: OpId | undefined;
  for (const op of fn.ops) {
    const before = new Set<OpId>();
    const add = (id: OpId): void => {
      if (isSchedulable(opAt(fn, id))) before.add(id);
      else dependencies[id]?.forEach((transitive) => before.add(transitive));
    };
    for (const value of op.operands) {
      const definition = valueAt(fn, value).definition;
      if (definition.kind === "result") add(definition.op);
      const write = writer.get(ownerOf(value));
      if (write !== undefined) add(write);
    }
    const { writtenOperands } = effectsOf(op.id);
    const overwritten = writtenOperands.flatMap((operand) => op.operands[operand] ?? []);
    for (const value of overwritten) readers.get(ownerOf(value))?.forEach(add);
    if (op.results.length === 0) {
      if (lastEffect !== undefined) add(lastEffect);
      lastEffect = op.id;
    }
    for (const value of op.operands) {
      readers.getOrInsertComputed(ownerOf(value), () => []).push(op.id);
    }
    for (const value of overwritten) {
      writer.set(ownerOf(value), op.id);
      readers.set(ownerOf(value), []);
    }
    before.delete(op.id);
    dependencies.push([...before].toSorted((a, b) => a - b));
  }
  return dependencies;
}
