// SPDX-License-Identifier: Apache-2.0
import { DEVICE_TYPE } from "../dialect/other_type.ts";
import { CALLS, LOAD_CACHED } from "../ops/calls.ts";
import { isDeterministicOp } from "../ops/effects.ts";
import type { TtnnOp } from "../ttnn/op.ts";
import type { TtnnValue } from "../ttnn/value.ts";
import type { TtnnFunction } from "../ttnn/function.ts";
import type { PassContext } from "./graph_pass.ts";

/** What {@linkcode InvariantValues.of} knows of a function with this number of replaced operands. */
interface Known {
  readonly replacedOperands: number;
  readonly values: InvariantValues;
}

/** Values of a function that are equal in every inference, by `ttcore.argument_type`. */
export class InvariantValues {
  /** Patterns ask at every op, and what a value depends on reaches up to the arguments. */
  static readonly #known: WeakMap<TtnnFunction, Known> = new WeakMap();

  readonly #body: TtnnFunction;
  readonly #isLoadKnown: (op: TtnnOp) => boolean;
  readonly #cached: Map<TtnnOp, boolean> = new Map();

  /** @param isLoadKnown whether the const-eval function called by a `load_cached` can be read */
  constructor(body: TtnnFunction, isLoadKnown: (op: TtnnOp) => boolean = () => true) {
    this.#body = body;
    this.#isLoadKnown = isLoadKnown;
  }

  /** Those of a function as it is now, for a pattern; valid until an operand is replaced. */
  static of(body: TtnnFunction): InvariantValues {
    const { replacedOperands } = body;
    const known = InvariantValues.#known.get(body);
    if (known?.replacedOperands === replacedOperands) return known.values;
    const values = new InvariantValues(body);
    InvariantValues.#known.set(body, { replacedOperands, values });
    return values;
  }

  /** Whether a value depends on parameters and constants only. */
  has(value: TtnnValue): boolean {
    if (isDevice(value)) return true;
    const { definition } = value;
    if (definition.kind === "result") return this.hasOp(definition.op);
    const role = this.#body.arguments[definition.index]?.role;
    return (role === "parameter" || role === "constant") && !this.#body.isWritten(value);
  }

  /** Whether an op's results are equal in every inference. */
  hasOp(op: TtnnOp): boolean {
    // An explicit stack of ops with undecided producers: recursion would overflow on long chains.
    const waiting = [op];
    for (let last = waiting.at(-1); last !== undefined; last = waiting.at(-1)) {
      const missing = this.#cached.has(last) || !this.#mayBeConstant(last)
        ? undefined
        : last.operands.find(({ producer }) => producer !== undefined && !this.#isKnown(producer))?.producer;
      if (missing !== undefined) waiting.push(missing);
      else {
        waiting.pop();
        if (!this.#cached.has(last)) this.#cached.set(last, this.#isConstant(last));
      }
    }
    return this.#cached.get(op) === true;
  }

  #isKnown(op: TtnnOp): boolean {
    return this.#cached.has(op) || op.name === "ttnn.get_device";
  }

  /** Whether everything but the op's operands allows it to be constant. */
  #mayBeConstant(op: TtnnOp): boolean {
    if (op.captured.length > 0 || op.results.length === 0 || op.name === "ttnn.get_device") return false;
    if (op.name === LOAD_CACHED ? !this.#isLoadKnown(op) : !isDeterministicOp(op.name)) return false;
    return op.results.every(isTensor);
  }

  /** Whether an op with decided producers is constant. */
  #isConstant(op: TtnnOp): boolean {
    return this.#mayBeConstant(op) && op.operands.every((operand) => this.has(operand));
  }
}

/** Whether a value is a tensor, including element types whose layouts we do not read (`!quant.uniform<…>`). */
function isTensor({ type }: TtnnValue): boolean {
  return type.kind === "tensor" || type.text.startsWith("tensor<");
}

/** Whether an op creates a tensor from its attributes alone. */
export function isLeaf(op: TtnnOp): boolean {
  return op.name !== LOAD_CACHED && op.operands.every(isDevice);
}

export function isDevice({ type, producer }: TtnnValue): boolean {
  return type.kind === "other" && type.text === DEVICE_TYPE.text && producer !== undefined;
}

/** Moves the ops that compute a constant value before another op. */
export function raiseConstant(value: TtnnValue, anchor: TtnnOp, body: TtnnFunction): void {
  const late: TtnnOp[] = [];
  const seen = new Set<TtnnOp>();
  const open = [value];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { producer } = at;
    if (producer === undefined || seen.has(producer) || body.isBefore(producer, anchor)) continue;
    seen.add(producer);
    late.push(producer);
    open.push(...producer.operands);
  }
  for (const op of late.sort((a, b) => a.order - b.order)) body.moveBefore(op, anchor);
}

/** Names of the functions that others call. */
export function calledNames(functions: readonly TtnnFunction[]): ReadonlySet<string | undefined> {
  return new Set(
    functions.flatMap((body) =>
      [...body.ops()].filter(({ opName }) => CALLS.has(opName)).map((op) => calleeName(op))
    ),
  );
}

/** The callee's name in a `load_cached` or call; `undefined` for other ops. */
export function calleeName(op: TtnnOp): string | undefined {
  if (op.callee !== undefined) return op.callee;
  const callee = op.attribute("callee");
  return callee?.kind === "symbol" ? callee.name : undefined;
}

/** The const-eval function called by a `load_cached`; `undefined` if it cannot be read. */
export function calledBody({ functions }: PassContext, op: TtnnOp): TtnnFunction | undefined {
  const name = calleeName(op);
  const body = functions.find(({ header }) => header.name === name);
  const isCopied = body !== undefined && [...body.ops()].every(({ captured }) => captured.length === 0);
  return isCopied ? body : undefined;
}

/** The value that a const-eval function returns for a loaded value; the value itself if it is not loaded. */
export function constantBelow(value: TtnnValue, context: PassContext): TtnnValue | undefined {
  const { definition } = value;
  if (definition.kind === "argument" || definition.op.name !== LOAD_CACHED) return value;
  return calledBody(context, definition.op)?.results[definition.index];
}
