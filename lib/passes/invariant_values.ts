// SPDX-License-Identifier: Apache-2.0
import { DEVICE_TYPE } from "../dialect/other_type.ts";
import { LOAD_CACHED } from "../ops/calls.ts";
import { isDeterministicOp } from "../ops/effects.ts";
import type { BodyOp } from "./body/body_op.ts";
import type { BodyValue } from "./body/body_value.ts";
import type { FunctionBody } from "./body/function_body.ts";
import type { PassContext } from "./graph_pass.ts";

/** Values of a function that are the same in every inference, as `ttcore.argument_type` says. */
export class InvariantValues {
  readonly #body: FunctionBody;
  readonly #isLoadKnown: (op: BodyOp) => boolean;
  readonly #known: Map<BodyOp, boolean> = new Map();

  /** @param isLoadKnown whether the const-eval function that a `load_cached` calls can be read */
  constructor(body: FunctionBody, isLoadKnown: (op: BodyOp) => boolean = () => true) {
    this.#body = body;
    this.#isLoadKnown = isLoadKnown;
  }

  /** Whether a value depends on parameters and constants only. */
  has(value: BodyValue): boolean {
    if (isDevice(value)) return true;
    const { definition } = value;
    if (definition.kind === "result") return this.hasOp(definition.op);
    const role = this.#body.arguments[definition.index]?.role;
    return (role === "parameter" || role === "constant") && !this.#body.isWritten(value);
  }

  /** Whether an op gives the same results in every inference. */
  hasOp(op: BodyOp): boolean {
    const known = this.#known.get(op);
    if (known !== undefined) return known;
    const is = this.#isConstant(op);
    this.#known.set(op, is);
    return is;
  }

  #isConstant(op: BodyOp): boolean {
    if (op.captured.length > 0 || op.results.length === 0 || op.name === "ttnn.get_device") return false;
    if (op.name === LOAD_CACHED ? !this.#isLoadKnown(op) : !isDeterministicOp(op.name)) return false;
    return op.operands.every((operand) => this.has(operand)) && op.results.every(isTensor);
  }
}

/** Whether a value is a tensor, including element types whose layouts we do not read (`!quant.uniform<…>`). */
function isTensor({ type }: BodyValue): boolean {
  return type.kind === "tensor" || type.text.startsWith("tensor<");
}

/** Whether an op makes a tensor from its attributes alone. */
export function isLeaf(op: BodyOp): boolean {
  return op.name !== LOAD_CACHED && op.operands.every(isDevice);
}

/** Whether a value is the device. */
export function isDevice({ type, producer }: BodyValue): boolean {
  return type.kind === "other" && type.text === DEVICE_TYPE.text && producer !== undefined;
}

/** Moves the ops that make a constant value to before another op. */
export function raiseConstant(value: BodyValue, anchor: BodyOp, body: FunctionBody): void {
  const { producer } = value;
  if (producer === undefined || body.isBefore(producer, anchor)) return;
  for (const operand of producer.operands) raiseConstant(operand, anchor, body);
  body.moveBefore(producer, anchor);
}

/** The function that a `load_cached` or a call names. */
export function calleeName(op: BodyOp): string | undefined {
  if (op.callee !== undefined) return op.callee;
  const callee = op.attribute("callee");
  return callee?.kind === "symbol" ? callee.name : undefined;
}

/** The const-eval function that a `load_cached` calls; `undefined` where it cannot be read. */
export function calledBody({ functions }: PassContext, op: BodyOp): FunctionBody | undefined {
  const name = calleeName(op);
  const body = functions.find(({ header }) => header.name === name);
  const isCopied = body !== undefined && [...body.ops()].every(({ captured }) => captured.length === 0);
  return isCopied ? body : undefined;
}

/**
 * The value that a const-eval function returns for a loaded value; the value itself when it is not loaded.
 */
export function constantBelow(value: BodyValue, context: PassContext): BodyValue | undefined {
  const { definition } = value;
  if (definition.kind === "argument" || definition.op.name !== LOAD_CACHED) return value;
  return calledBody(context, definition.op)?.results[definition.index];
}
