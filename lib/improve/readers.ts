// SPDX-License-Identifier: Apache-2.0
import { REREAD_OPERANDS } from "../search/limits.ts";
import type { OpId, SchedulePoint, ValueId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { ConversionReason } from "../plan/plan.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import type { OpRoles } from "../search/op_roles.ts";
import { copyAt, decisionFor, ITSELF, type Source } from "../search/program.ts";
import type { OutputChoice } from "../search/impls.ts";

/** A reader of a value that is no copy; `use`: index among the value's uses, their number for results. */
export type FinalReader =
  & { readonly use: number; readonly position: number; readonly source: Source }
  & (
    | { readonly kind: "operand"; readonly op: OpId; readonly operand: number }
    | { readonly kind: "result"; readonly index: number }
  );

/** One reader of an instance; `position` is its place in the schedule. */
export type InstanceReader =
  | FinalReader
  | { readonly kind: "copy"; readonly copy: number; readonly position: number };

/** The readers of a value that are no copies, with the instance that each reads; in schedule order. */
export function finalReaders(program: LayoutProgram, value: ValueId): readonly FinalReader[] {
  const { fn } = program.evaluator;
  const { uses } = program.evaluator.value(value);
  const operands = uses.map(({ op, operand }, use): FinalReader => {
    const source = decisionFor(program, op).sources[operand] ?? ITSELF;
    return { kind: "operand", op, operand, use, position: program.positionOf(op), source };
  });
  const returned = program.evaluator.returnsOf(value).map((index): FinalReader => {
    const source = program.results[index] ?? ITSELF;
    return { kind: "result", index, use: uses.length, position: fn.ops.length, source };
  });
  return [...operands.sort((a, b) => a.position - b.position), ...returned];
}

/** All readers of an instance, in schedule order. A copy counts as a reader at the op that it is made before. */
export function readersOfInstance(
  program: LayoutProgram,
  value: ValueId,
  source: Source,
): readonly InstanceReader[] {
  const readers: InstanceReader[] = finalReaders(program, value).filter((reader) => reader.source === source);
  for (const copy of program.usedCopiesOf(value)) {
    const { source: from, before } = copyAt(program, copy);
    if (from === source) readers.push({ kind: "copy", copy, position: program.positionOf(before) });
  }
  return readers.sort((a, b) => a.position - b.position || kindOrder(a) - kindOrder(b));
}

/** Order of readers at one place: operands, then copies by index, then results. */
function kindOrder(reader: InstanceReader): number {
  if (reader.kind === "copy") return 1 + reader.copy;
  return reader.kind === "operand" ? 0 : Infinity;
}

/** A change of the layout of an instance, as its readers see it. */
export interface LayoutChange {
  readonly value: ValueId;
  readonly from: LayoutId;
  readonly to: LayoutId;
}

/** One reader after a {@linkcode LayoutChange}, reading the new layout. */
export interface ReaderCost {
  readonly reader: InstanceReader;
  /** Change of the predicted time in µs; `Infinity` if the reader cannot read the layout. */
  readonly microseconds: number;
  /** The op's new choice if it needs another config; its result layouts stay. */
  readonly choice: OutputChoice | undefined;
}

/**
 * The change of time if a reader reads the new layout; the program stays as it is. An op with more than
 * {@linkcode REREAD_OPERANDS} operands is not asked and counts as unable to read it.
 *
 * @param mayReconfigure whether an op may run with another config
 */
export function readerCost(
  program: LayoutProgram,
  roles: OpRoles,
  { value, from, to }: LayoutChange,
  reader: InstanceReader,
  mayReconfigure: boolean,
): ReaderCost {
  const { evaluator } = program;
  const choice = undefined;
  if (reader.kind === "operand") {
    return evaluator.op(reader.op).operands.length > REREAD_OPERANDS
      ? { reader, microseconds: Infinity, choice }
      : operandCost(program, roles, { value, to }, reader, mayReconfigure);
  }
  if (reader.kind === "result") {
    return { reader, choice, microseconds: evaluator.returnedIn(value) === to ? 0 : Infinity };
  }
  const { layout } = copyAt(program, reader.copy);
  const before = evaluator.copyMicroseconds(value, from, layout);
  const after = layout === to ? 0 : evaluator.copyMicroseconds(value, to, layout);
  return { reader, choice, microseconds: after - before };
}

/**
 * {@linkcode readerCost} for an operand. All operands of the op that read the same instance switch together; each
 * carries an equal share of the change.
 */
function operandCost(
  program: LayoutProgram,
  roles: OpRoles,
  { value, to }: Pick<LayoutChange, "value" | "to">,
  reader: InstanceReader & { readonly kind: "operand" },
  mayReconfigure: boolean,
): ReaderCost {
  const { evaluator } = program;
  const { op } = reader;
  let [least, choice]: [number, OutputChoice | undefined] = [Infinity, undefined];
  const decision = decisionFor(program, op);
  const source = decision.sources[reader.operand];
  const moved = evaluator.op(op).operands.flatMap((other, operand) =>
    other === value && decision.sources[operand] === source ? [operand] : []
  );
  if (roles.readsElsewhere[op] === true && acceptsAll(program, op, moved, to)) {
    const inputs = program.inputsOf(op).map((own, operand) => moved.includes(operand) ? to : own);
    if (evaluator.footprint(op, inputs, decision).refusal === undefined) {
      least = evaluator.runtime(op, inputs, decision);
    }
    for (const impl of mayReconfigure && roles.decided[op] === true ? evaluator.impls(op, inputs) : []) {
      if (impl.microseconds >= least || impl.outputs.some((made, at) => made !== decision.outputs[at])) {
        continue;
      }
      [least, choice] = [impl.microseconds, impl];
    }
  }
  return { reader, choice, microseconds: (least - program.opMicroseconds(op)) / moved.length };
}

/** Whether the input filter of an op accepts a layout for all of the given operands. */
function acceptsAll(
  { evaluator }: LayoutProgram,
  op: OpId,
  operands: readonly number[],
  layout: LayoutId,
): boolean {
  const signature = evaluator.signature(op);
  return operands.every((operand) => evaluator.opModel.acceptsInput(signature, operand, layout));
}

/** Readers after a {@linkcode LayoutChange}: some read the new layout, the others share a copy in the old one. */
export interface Rerouting extends LayoutChange {
  /** Change of the predicted time in µs. */
  readonly microseconds: number;
  readonly direct: readonly ReaderCost[];
  readonly copied: readonly InstanceReader[];
}

/**
 * The cheapest assignment of the readers of a changed value to the new layout or to a copy in the old one. The copy is made at
 * the first reader that needs it; earlier readers read the new layout.
 *
 * @param mayCopy whether a reader may read a copy in the old layout
 * @returns `undefined` if some reader can read neither
 */
export function reroute(
  program: LayoutProgram,
  change: LayoutChange,
  costs: readonly ReaderCost[],
  mayCopy: (reader: InstanceReader) => boolean = () => true,
): Rerouting | undefined {
  const copyUs = program.evaluator.copyMicroseconds(change.value, change.to, change.from);
  const must = costs.filter(({ microseconds }) => microseconds === Infinity);
  if (must.length > 0 && (copyUs === Infinity || must.some(({ reader }) => !mayCopy(reader)))) {
    return undefined;
  }
  const first = Math.min(...must.map(({ reader }) => reader.position));
  const slower = costs.filter(({ reader, microseconds }) => microseconds > 0 && mayCopy(reader));
  const gain = slower.reduce((sum, { microseconds }) => sum + microseconds, 0);
  // If some readers need the copy anyway, it is free for readers after the first of them; otherwise the gains of all
  // slower readers must exceed its cost.
  const copied = slower.filter(({ reader }) => must.length > 0 ? reader.position >= first : gain > copyUs);
  const isCopied = new Set(copied);
  const direct = costs.filter((each) => !isCopied.has(each));
  return {
    ...change,
    microseconds: direct.reduce(
      (sum, { microseconds }) => sum + microseconds,
      copied.length > 0 ? copyUs : 0,
    ),
    direct,
    copied: copied.map(({ reader }) => reader),
  };
}

/**
 * Applies a rerouting to a program.
 *
 * @param base the instance with the new layout
 * @param before the op before which the copy for the other readers is made; by default the first of them
 */
export function applyRerouting(
  program: LayoutProgram,
  { value, from, direct, copied }: Rerouting,
  base: Source,
  copy: { readonly reason: ConversionReason; readonly note: string; readonly before?: SchedulePoint },
): void {
  for (const { reader, choice } of direct) {
    redirect(program, reader, base);
    if (reader.kind !== "operand" || choice === undefined) continue;
    program.setOutputs(reader.op, choice, "reads its operand where it is", false);
  }
  const [first] = copied;
  if (first === undefined) return;
  const before = copy.before ?? program.placeAt(first.position);
  const made = program.addCopy({ ...copy, value, source: base, layout: from, before });
  for (const reader of copied) redirect(program, reader, made);
}

/**
 * Makes a reader read another instance of the same value. A copy in that instance's layout is replaced by the
 * instance.
 */
export function redirect(program: LayoutProgram, reader: InstanceReader, source: Source): void {
  if (reader.kind === "operand") program.setSource(reader.op, reader.operand, source);
  else if (reader.kind === "result") program.setResult(reader.index, source);
  else {
    const { value, layout } = copyAt(program, reader.copy);
    if (layout !== program.layoutOf(value, source)) program.setCopySource(reader.copy, source);
    else for (const its of readersOfInstance(program, value, reader.copy)) redirect(program, its, source);
  }
}
