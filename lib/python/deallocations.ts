// SPDX-License-Identifier: Apache-2.0
import type { Operation, Value } from "../ir/mod.ts";
import { LOAD_CACHED } from "../ops/calls.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import { sharedBuffers } from "../ops/shared_buffers.ts";
import type { TtnnTensorType } from "../ttnn/value.ts";
import type { PythonText } from "./python_text.ts";

/** Name of the op that frees a tensor. */
export const FREED = "ttnn.deallocate";

/** Consecutive deallocations with the same `force`, until the next statement. */
interface Pending {
  readonly force: boolean;
  /** Arguments, which the caller holds as well. */
  readonly given: PythonText[];
  /** Variables of the function. */
  readonly own: PythonText[];
  /** Whether one of `own` may share its buffer. */
  hasShared: boolean;
}

/**
 * Deallocations of a function as statements; consecutive ones share a statement. `free(…)` calls `ttnn.deallocate`.
 * Where a variable may share its buffer (a view and its operand), only the last of them may free it: then `del …` leaves
 * that to Python's reference counts.
 */
export class Deallocations {
  readonly #shared: ReadonlySet<Value>;
  readonly #given: ReadonlySet<Value>;
  readonly #pending: Pending[] = [];
  /** Freed arguments that variables may share: their buffer is free once those are deleted. */
  readonly #held: Set<PythonText> = new Set();

  /**
   * @param shared values that may share their buffer with another one
   * @param given arguments of the function
   */
  constructor(shared: ReadonlySet<Value>, given: ReadonlySet<Value>) {
    this.#shared = shared;
    this.#given = given;
  }

  /** Frees a value before the next statement. */
  add(value: Value, text: PythonText, force: boolean): void {
    let pending = this.#pending.at(-1);
    if (pending?.force !== force) {
      this.#pending.push(pending = { force, given: [], own: [], hasShared: false });
    }
    if (this.#given.has(value)) {
      pending.given.push(text);
      if (this.#shared.has(value)) this.#held.add(text);
    } else pending.own.push(text);
    pending.hasShared ||= this.#shared.has(value) && !this.#given.has(value);
  }

  /** The statements of all that waits. */
  take(): readonly PythonText[] {
    return this.#pending.splice(0).flatMap(({ force, given, own, hasShared }) => {
      const deleted = hasShared ? [`del ${own.join(", ")}`] : [];
      if (force) return [...freed([...given, ...own], ", force=True"), ...deleted];
      // Python counts the variables that share a buffer, so they go first.
      return [...deleted, ...freed(hasShared ? [...new Set([...given, ...this.#held])] : [...given, ...own])];
    });
  }
}

function freed(texts: readonly PythonText[], words = ""): readonly PythonText[] {
  return texts.length === 0 ? [] : [`free(${texts.join(", ")}${words})`];
}

/** Operands and results of views and in-place ops that may lie in one buffer, as far as their types allow it. */
export function sharingValues(
  operations: readonly Operation[],
  signatureOf: (operation: Operation) => OpSignature & Typed,
): ReadonlySet<Value> {
  const shared = new Set<Value>();
  for (const operation of operations) {
    if (operation.name === FREED || operation.name === LOAD_CACHED || operation.results.length === 0) {
      continue;
    }
    const signature = signatureOf(operation);
    for (const { operand, result } of sharedBuffers(signature)) {
      const [a, b] = [operation.operands[operand]?.value, operation.results[result]];
      if (a === undefined || b === undefined) continue;
      if (mayBeOne(signature.operands[operand], signature.results[result])) shared.add(a).add(b);
    }
  }
  return shared;
}

/** The tensors of an op with their layouts. */
export interface Typed {
  readonly operands: readonly (TtnnTensorType | undefined)[];
  readonly results: readonly (TtnnTensorType | undefined)[];
}

/** Whether two tensors can lie in one buffer: same memory, format and pages. */
function mayBeOne(a: TtnnTensorType | undefined, b: TtnnTensorType | undefined): boolean {
  if (a === undefined || b === undefined) return true;
  const [one, other] = [a.layout, b.layout];
  return one.bufferType === other.bufferType && one.memoryLayout === other.memoryLayout &&
    one.dataType === other.dataType && (one.tile === undefined) === (other.tile === undefined);
}

/** Values to free behind each op: none if the text deallocates itself, else each result at its last use. */
export function frees(
  operations: readonly Operation[],
  terminator: Operation,
): ReadonlyMap<Operation, readonly Value[]> {
  return operations.some(({ name }) => name === FREED) ? new Map() : lastUses(operations, terminator);
}

/** Results by the op that uses them last (or makes them, if none does), as upstream's `TTNNDeallocate` frees them. */
function lastUses(
  operations: readonly Operation[],
  terminator: Operation,
): ReadonlyMap<Operation, readonly Value[]> {
  const last = new Map<Value, Operation>();
  for (const operation of operations) {
    for (const result of operation.results) last.set(result, operation);
    for (const { value } of operation.operands) {
      if (value !== undefined && last.has(value)) last.set(value, operation);
    }
  }
  const dying = new Map<Operation, Value[]>();
  for (const [value, operation] of last) {
    if (operation === terminator) continue;
    dying.getOrInsertComputed(operation, () => []).push(value);
  }
  return dying;
}
