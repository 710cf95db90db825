// SPDX-License-Identifier: Apache-2.0
import type { FunctionBinding } from "../graph/binding.ts";
import type { GraphOp, ValueId } from "../graph/graph.ts";
import {
  addedResultTypes,
  functionOf,
  type ModuleText,
  type Operation,
  signaturePatches,
} from "../ir/mod.ts";
import type { PreparedWeights } from "./prepared_weights.ts";
import { propertyEdits } from "./property_edits.ts";
import type { StatementEdits } from "./statement_edits.ts";

/** A function that may prepare or load weights, with the edits of its ops. */
export interface PreparationSite {
  readonly module: ModuleText;
  readonly binding: FunctionBinding;
  readonly prepared: PreparedWeights;
  readonly edits: StatementEdits;
  /** Spells the planned type of a value. */
  readonly typeOf: (value: ValueId) => string;
}

/** A value that the function has in addition to those of the input. */
export interface AddedValue {
  readonly name: string;
  readonly type: string;
  /** The op of the input at which it is made. */
  readonly op: GraphOp;
}

/**
 * Updates the ops of a function that prepare weights to the decisions for their convolutions, adds preparations
 * where several are needed, and passes them on where they are loaded.
 *
 * @returns the added values that live and die in this function
 */
export function writePreparations(site: PreparationSite): readonly AddedValue[] {
  const { binding, prepared, edits } = site;
  const made: AddedValue[] = [];
  const loaded: AddedValue[] = [];
  for (const op of binding.fn.ops) {
    const operation = binding.ops[op.id];
    if (operation === undefined) continue;
    made.push(...writeBeside(site, op, operation));
    loaded.push(...writeLoad(site, op, operation));
    const own = prepared.inPlaceOf(op);
    if (own !== undefined) edits.add(propertyEdits(operation, prepared.propertiesOf(own, operation)));
  }
  if (binding.fn.kind !== "const_eval") return [...made, ...loaded];
  returnAlso(site, made);
  return loaded;
}

/** Inserts additional preparations before an op of the input, because its operands may be freed after it. */
function writeBeside(site: PreparationSite, op: GraphOp, operation: Operation): readonly AddedValue[] {
  const { prepared, edits } = site;
  const [group] = operation.resultGroups;
  if (group === undefined) return [];
  return prepared.beside(op).map((preparation) => {
    const name = prepared.nameAt(preparation, op);
    const properties = propertyEdits(operation, prepared.propertiesOf(preparation, operation));
    edits.insertBefore(operation, edits.textOf(operation, [{ ...group.span, text: name }, ...properties]));
    return { name, type: typeOfResult(site, op, 0), op };
  });
}

/** Adds the additional preparations to the results of a load. */
function writeLoad(site: PreparationSite, op: GraphOp, operation: Operation): readonly AddedValue[] {
  const { module, prepared, edits } = site;
  const end = operation.resultGroups.at(-1)?.span.end;
  const beside = prepared.loadedBeside(op);
  if (end === undefined || beside.length === 0) return [];
  const added = beside.map((preparation) => ({
    name: prepared.nameAt(preparation, op),
    type: typeOfResult(site, op, preparation.like),
    op,
  }));
  edits.add([{ start: end, end, text: added.map(({ name }) => `, ${name}`).join("") }]);
  edits.add(addedResultTypes(module, operation.resultTypes ?? [], added.map(({ type }) => type)));
  return added;
}

/** Adds the additional preparations to the returned values of a const-eval function. */
function returnAlso({ module, binding, edits }: PreparationSite, made: readonly AddedValue[]): void {
  const { returnOperation } = binding;
  const operands = returnOperation?.operands.at(-1)?.span.end;
  const types = returnOperation?.operandTypes?.at(-1)?.end;
  const view = functionOf(module, binding.operation);
  if (made.length === 0 || operands === undefined || types === undefined || view === undefined) return;
  for (const { name, type } of made) {
    edits.add([
      { start: operands, end: operands, text: `, ${name}` },
      { start: types, end: types, text: `, ${type}` },
    ]);
  }
  edits.add(signaturePatches(module, view, { addedResults: made.map(({ type }) => type) }));
}

function typeOfResult({ typeOf }: PreparationSite, { name, results }: GraphOp, index: number): string {
  const result = results[index];
  if (result === undefined) throw new RangeError(`Cannot copy result ${index} of ${name}: it has none`);
  return typeOf(result);
}
