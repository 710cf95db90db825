// SPDX-License-Identifier: Apache-2.0
import {
  applyPatches,
  type AttributeDictionary,
  attributeOf,
  type ModuleText,
  type Operand,
  type Operation,
  parseModule,
  type Patch,
  type Span,
  textOf,
  type Value,
} from "../ir/mod.ts";
import { definitionOf } from "../ops/op_book.ts";
import { todaysName } from "./older_names.ts";
import { windowsInPairs } from "./older_windows.ts";

/** A module whose ops make their results. */
export interface WithoutDestinations {
  /** Every line keeps its number. */
  readonly module: ModuleText;
  /** Ops whose destinations are left out. */
  readonly ops: number;
}

/**
 * Leaves out the destinations that ops of TTNN before mid 2025 write to (destination-passing style); wherever else the
 * text names a destination, it names the op's result instead. Destinations are the last operands that
 * `ttnn.empty` makes, if they have the results' types: no input is read from unwritten memory. If the op has as many
 * operands beyond today's as results, `ttnn.full` may make them too. Ops get today's names, and extents of windows become lists.
 */
export function withoutDestinations(module: ModuleText): WithoutDestinations {
  const written = new Map<Operation, ReadonlySet<Operand>>();
  for (const operation of module.operations) {
    const destinations = destinationsOf(module, operation);
    if (destinations.size > 0) written.set(operation, destinations);
  }
  const patches = module.operations.flatMap((operation): readonly Patch[] => {
    const name = todaysName(module, operation);
    const windows = windowsInPairs(module, operation);
    return name === operation.name ? windows : [...windows, { ...operation.nameSpan, text: `"${name}"` }];
  });
  if (written.size === 0 && patches.length === 0) return { module, ops: 0 };
  const stands = new Map<Value, Value>();
  for (const [operation, destinations] of written) {
    [...destinations].forEach(({ value }, index) => {
      const result = operation.results[index];
      if (value !== undefined && result !== undefined && !isDevice(module, value)) stands.set(value, result);
    });
    patches.push(...withoutOperands(module, operation, destinations));
    // It also moved between host and device, and changed pages.
    if (operation.name === "ttnn.to_memory_config") {
      patches.push({ ...operation.nameSpan, text: '"ttnn.to_tensor_spec"' });
    }
  }
  for (const operation of module.operations) patches.push(...renamed(operation, stands, written));
  const text = applyPatches(module.text, patches);
  const end = module.offset + module.text.length;
  const fileText = module.fileText.slice(0, module.offset) + text + module.fileText.slice(end);
  return {
    module: parseModule(text, module.fileName, { fileText, offset: module.offset }),
    ops: new Set(stands.values()).size,
  };
}

/**
 * Operands that an op of older generations writes its results to, in the order of the results, and the device behind them
 * where the op takes none today (pools of early 2025).
 */
function destinationsOf(module: ModuleText, operation: Operation): ReadonlySet<Operand> {
  const { operands, results, operandTypes, operandsSpan } = operation;
  const none: ReadonlySet<Operand> = new Set();
  if (!operation.name.startsWith("ttnn.") || results.length === 0) return none;
  if (operandTypes === undefined || operandsSpan === undefined || operands.length < results.length) {
    return none;
  }
  const { operands: groups, inPlaceOperand } = definitionOf(todaysName(module, operation));
  const most = groups.reduce((sum, group) => sum + group.most, 0);
  // Such an op is told where to write in every generation.
  if (inPlaceOperand !== undefined && operands.length <= most) return none;
  const makers = operands.length === most + results.length ? MADE_FOR_RESULTS : MADE_EMPTY;
  const made = operands.filter(({ value }) =>
    value?.source.kind === "result" && makers.test(value.source.operation.name)
  ).slice(-results.length);
  const destinations = areLikeResults(module, operation, made.map(({ value }) => value)) ? made : [];
  const last = operands.at(-1);
  const isSurplus = operands.length - destinations.length > most && isDevice(module, last?.value);
  return new Set(last !== undefined && isSurplus ? [...destinations, last] : destinations);
}

/** Whether values are as many as an op's results, each of the type of its result. */
export function areLikeResults(
  module: ModuleText,
  { results, resultTypes }: Operation,
  values: readonly (Value | undefined)[],
): boolean {
  const spelled = (type: Span | undefined) => type === undefined ? undefined : textOf(module, type);
  const types = resultTypes?.map(spelled) ?? [];
  return values.length === results.length &&
    values.every((value, index) => value?.type !== undefined && spelled(value.type) === types[index]);
}

function isDevice(module: ModuleText, value: Value | undefined): boolean {
  return value?.type !== undefined && /^!(?:tt|ttcore|ttnn)\.device\b/.test(textOf(module, value.type));
}

const MADE_EMPTY = /^ttnn\.empty$/;
const MADE_FOR_RESULTS = /^ttnn\.(?:empty|full)$/;

/** Cuts operands out of an op: names, types and their share of `operandSegmentSizes`. */
function withoutOperands(
  module: ModuleText,
  operation: Operation,
  cut: ReadonlySet<Operand>,
): readonly Patch[] {
  const { operands, operandTypes = [], properties, attributes } = operation;
  const keeps = operands.map((operand) => !cut.has(operand));
  const listed = <T>(all: readonly T[]): readonly T[] => all.filter((_, index) => keeps[index]);
  const patches = [
    relisted(module, operands.map(({ span }) => span), listed(operands.map(({ span }) => span))),
    relisted(module, operandTypes, listed(operandTypes)),
  ];
  const sizes = attributeOf(module, operation, SEGMENTS);
  if (sizes?.kind !== "denseArray") return patches;
  let end = 0;
  const left = sizes.values.map((size) => {
    end += size;
    return keeps.slice(end - size, end).filter((kept) => kept).length;
  });
  const groups = left.filter((size, index) => size > 0 || sizes.values[index] === 0);
  for (const dictionary of [properties, attributes]) {
    if (dictionary !== undefined) patches.push(...resized(module, dictionary, groups));
  }
  return patches;
}

const SEGMENTS = "operandSegmentSizes";

/** A list of the text with only some of its entries. */
function relisted(module: ModuleText, all: readonly Span[], kept: readonly Span[]): Patch {
  const [first] = all;
  const last = all.at(-1);
  const text = kept.map((span) => textOf(module, span)).join(", ");
  return { start: first?.start ?? 0, end: last?.end ?? 0, text };
}

/** A dictionary with other sizes of the groups of operands; one group of all operands needs none. */
function resized(module: ModuleText, dictionary: AttributeDictionary, groups: readonly number[]): Patch[] {
  const { entries } = dictionary;
  const at = entries.findIndex(({ key }) => key === SEGMENTS);
  const entry = entries[at];
  if (entry === undefined) return [];
  if (groups.length > 1) return [{ ...entry.span, text: `${SEGMENTS} = array<i32: ${groups.join(", ")}>` }];
  const next = entries[at + 1];
  const before = entries[at - 1];
  if (next !== undefined) return [{ start: entry.span.start, end: next.span.start, text: "" }];
  if (before !== undefined) return [{ start: before.span.end, end: entry.span.end, text: "" }];
  const { start, end } = dictionary.span;
  return [{ start: module.text[start - 1] === " " ? start - 1 : start, end, text: "" }];
}

/** An op that names a destination elsewhere, such as its deallocation or its return, names the result. */
function renamed(
  operation: Operation,
  stands: ReadonlyMap<Value, Value>,
  written: ReadonlyMap<Operation, ReadonlySet<Operand>>,
): readonly Patch[] {
  return operation.operands.flatMap((operand) => {
    const result = operand.value === undefined ? undefined : stands.get(operand.value);
    if (result === undefined || written.get(operation)?.has(operand)) return [];
    if (result.source.kind === "result" && operation.id < result.source.operation.id) return [];
    return [{ ...operand.span, text: result.name }];
  });
}
