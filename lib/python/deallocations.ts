// SPDX-License-Identifier: Apache-2.0
import type { Operation, Value } from "../ir/mod.ts";
import { LOAD_CACHED } from "../ops/calls.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import { sharedBuffers } from "../ops/shared_buffers.ts";
import type { TtnnTensorType } from "../ttnn/value.ts";
import type { PythonText } from "./python_text.ts";

/** Op that ends a tensor. */
export const FREED = "ttnn.deallocate";

/** Deallocations that wait for the next statement. */
interface Pending {
  readonly force: boolean;
  /** Those of arguments, which the caller holds as well. */
  readonly given: PythonText[];
  readonly own: PythonText[];
  /** Whether one of the function's own may share its buffer. */
  hasShared: boolean;
}

/**
 * Deallocations of a function. Those that follow each other are one statement. A buffer that several variables may share
 * is freed when the last one lets go of it; others are freed by a call.
 */
export class Deallocations {
  readonly #shared: ReadonlySet<Value>;
  readonly #given: ReadonlySet<Value>;
  readonly #pending: Pending[] = [];

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
    if (this.#given.has(value)) pending.given.push(text);
    else pending.own.push(text);
    pending.hasShared ||= this.#shared.has(value) && !this.#given.has(value);
  }

  /** The statements of all that waits. */
  take(): readonly PythonText[] {
    return this.#pending.splice(0).flatMap(({ force, given, own, hasShared }) => {
      const called = hasShared && !force ? given : [...given, ...own];
      const words = force ? ", force=True" : "";
      return [
        ...(called.length > 0 ? [`free(${called.join(", ")}${words})`] : []),
        ...(hasShared ? [`del ${own.join(", ")}`] : []),
      ];
    });
  }
}

/** Values that may share their buffer: those of which the types say nothing that takes another one. */
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

/** What is freed, and where. */
export function frees(
  operations: readonly Operation[],
  terminator: Operation,
): ReadonlyMap<Operation, readonly Value[]> {
  return operations.some(({ name }) => name === FREED) ? new Map() : lastUses(operations, terminator);
}

/** Results by the op that uses them last, or makes them: what upstream's `TTNNDeallocate` will free there. */
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
    dying.set(operation, [...dying.get(operation) ?? [], value]);
  }
  return dying;
}
