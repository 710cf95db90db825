// SPDX-License-Identifier: Apache-2.0

/**
 * Reference interpreter for TTIR and TTNN text: what the ops mean, element by element in f64, for tests that hold a
 * rewritten module against the one it came from. Layouts, element types and compute configs change no number; shapes are
 * checked against the types. Slow on purpose: for tensors of a few hundred elements.
 *
 * @module
 */

import { dataTypeOfElement } from "../../lib/dialect/data_type.ts";
import { isFloat } from "../../lib/layout/data_type.ts";
import { sameExtents } from "../../lib/layout/extents.ts";
import { roundedTo } from "../../lib/layout/float_rounding.ts";
import {
  attributeOf,
  type Block,
  functionsOf,
  type FunctionView,
  type ModuleText,
  type Operation,
  tensorTypeOf,
  type Value,
} from "../../lib/ir/mod.ts";
import { ATTENTION, PAGED_CACHES } from "./attention.ts";
import { COLLECTIVES } from "./collectives.ts";
import { CONVOLUTION, VOLUMES } from "./convolution.ts";
import { GENERAL_FORMS } from "./general_forms.ts";
import { CREATION } from "./creation.ts";
import { DATA_MOVEMENT } from "./data_movement.ts";
import { ELEMENTWISE } from "./elementwise.ts";
import { MATMUL } from "./matmul.ts";
import { NORMALIZATION } from "./normalization.ts";
import { type Evaluate, OpCall } from "./op_call.ts";
import { ORDERING } from "./ordering.ts";
import { QUANTIZATION } from "./quantization.ts";
import { REDUCTION } from "./reduction.ts";
import { inBuffers } from "./shared_buffers.ts";
import { TRAINING } from "./training.ts";
import type { NumericTensor } from "./tensor.ts";

const MEANINGS: ReadonlyMap<string, Evaluate> = new Map(
  [
    ELEMENTWISE,
    CREATION,
    DATA_MOVEMENT,
    REDUCTION,
    MATMUL,
    NORMALIZATION,
    CONVOLUTION,
    VOLUMES,
    ATTENTION,
    ORDERING,
    COLLECTIVES,
    GENERAL_FORMS,
    PAGED_CACHES,
    QUANTIZATION,
    TRAINING,
  ].flatMap((family) => Object.entries(family)),
);

/** Ops that do not affect the numbers. */
const SILENT: ReadonlySet<string> = new Set(["ttnn.deallocate", "ttnn.get_device"]);

/** Op names that the interpreter knows. */
export function knownOps(): ReadonlySet<string> {
  return new Set(MEANINGS.keys());
}

/** What a run of a function leaves. */
export interface Run {
  /** One tensor per returned value. */
  readonly results: readonly NumericTensor[];
  /** The arguments as the run left them: ops write into some of them. */
  readonly inputs: readonly NumericTensor[];
}

/**
 * Runs a function of a module once.
 *
 * @param name function to run
 * @param inputs one tensor per argument; they are copied, so in-place ops change nothing for the caller
 * @returns one tensor per returned value
 * @throws {RangeError} for an op without meaning here, and where a tensor differs in shape from its type
 */
export function interpret(
  module: ModuleText,
  name: string,
  inputs: readonly NumericTensor[],
): readonly NumericTensor[] {
  return new Interpreter(module).run(name, inputs).results;
}

/**
 * A loaded module. Tensors lie in buffers as on the device: a view shares that of its operand, and what
 * `ttcore.load_cached` loads stays from one run to the next, so that what is written into either is seen in the other.
 */
export class Interpreter {
  readonly #module: ModuleText;
  readonly #functions: ReadonlyMap<string, FunctionView>;
  /** Loaded results, by the function that made them and the values it was given. */
  readonly #loaded: Map<string, readonly NumericTensor[]> = new Map();
  readonly #keepsDigits: boolean;

  /** @param keepsDigits whether results keep all digits; otherwise they are rounded to the element type */
  constructor(module: ModuleText, keepsDigits: boolean = true) {
    this.#module = module;
    this.#keepsDigits = keepsDigits;
    this.#functions = new Map(functionsOf(module).map((view) => [view.name, view]));
  }

  /** Runs a function, see {@linkcode interpret}. */
  run(name: string, given: readonly NumericTensor[]): Run {
    const inputs = given.map(({ shape, data }) => ({ shape, data: data.slice() }));
    return { results: this.#call(name, inputs), inputs };
  }

  #call(name: string, inputs: readonly NumericTensor[]): readonly NumericTensor[] {
    const view = this.#functions.get(name);
    if (view === undefined) throw new RangeError(`no function '${name}'`);
    const values = new Map<Value, NumericTensor>();
    view.arguments.forEach(({ value }, index) => {
      const input = inputs[index];
      if (value === undefined || input === undefined) throw new RangeError(`no input ${index} of '${name}'`);
      this.#define(values, value, input);
    });
    return this.#run(view.blocks[0], values, `function '${name}'`);
  }

  /** What a block returns or yields. */
  #run(block: Block | undefined, values: Map<Value, NumericTensor>, what: string): readonly NumericTensor[] {
    for (const operation of block?.operations ?? []) {
      if (SILENT.has(operation.name)) continue;
      const operands = operandsOf(this.#module, operation, values);
      if (operation.name === "func.return" || operation.name === "ttir.yield") return operands;
      const results = operation.name === "ttir.while"
        ? this.#loop(operation, operands, values)
        : this.#results(operation, operands);
      operation.results.forEach((result, index) => {
        const tensor = results[index];
        if (tensor === undefined) throw new RangeError(`${operation.name}: no result ${index}`);
        this.#define(values, result, tensor);
      });
    }
    throw new RangeError(`${what} does not return`);
  }

  /** Runs the body as long as the condition is true; both get what is carried, then what is captured. */
  #loop(
    operation: Operation,
    operands: readonly NumericTensor[],
    values: Map<Value, NumericTensor>,
  ): readonly NumericTensor[] {
    const [condition, body] = operation.regions.map(({ blocks }) => blocks[0]);
    const captured = operands.slice(operation.results.length);
    let carried = operands.slice(0, operation.results.length);
    const within = (block: Block | undefined): readonly NumericTensor[] => {
      block?.arguments.forEach(({ value }, index) => {
        const given = [...carried, ...captured][index];
        if (given !== undefined) this.#define(values, value, given);
      });
      return this.#run(block, values, operation.name);
    };
    while (within(condition)[0]?.data[0] !== 0) carried = [...within(body)];
    return carried;
  }

  #results(operation: Operation, operands: readonly NumericTensor[]): readonly NumericTensor[] {
    const callee = calleeOf(this.#module, operation);
    if (callee === undefined) {
      const results = evaluate(new OpCall(this.#module, operation, operands));
      return inBuffers(this.#module, operation, operands, results);
    }
    if (operation.name === "func.call") return this.#call(callee, operands);
    const key = `${callee}(${operation.operands.map((operand) => operand.name).join(", ")})`;
    let loaded = this.#loaded.get(key);
    if (loaded === undefined) this.#loaded.set(key, loaded = this.#call(callee, operands));
    return loaded;
  }

  #define(values: Map<Value, NumericTensor>, value: Value, tensor: NumericTensor): void {
    const { shape, elementType } = tensorTypeOf(this.#module, value) ?? {};
    if (shape !== undefined && tensor.prepared !== true && !sameExtents(shape, tensor.shape)) {
      throw new RangeError(
        `${value.name} is [${tensor.shape.join(", ")}], its type says [${shape.join(", ")}]`,
      );
    }
    if (!this.#keepsDigits && elementType !== undefined) storeAs(tensor, elementType);
    values.set(value, tensor);
  }
}

/** Bits of the types that are narrower than whole numbers of 32. */
const NARROW_BITS: Readonly<Record<string, number>> = { u8: 8, u16: 16 };

/** Leaves of every number what an element of a type holds: the nearest float, the low bits of a whole number. */
function storeAs({ data }: NumericTensor, elementType: string): void {
  const type = dataTypeOfElement(elementType);
  if (type === undefined) return;
  const [isWhole, bits] = [!isFloat(type), NARROW_BITS[type] ?? 32];
  data.forEach((value, at) => {
    data[at] = isWhole ? Math.trunc(value) % 2 ** bits : roundedTo(value, type);
  });
}

function operandsOf(
  module: ModuleText,
  operation: Operation,
  values: ReadonlyMap<Value, NumericTensor>,
): readonly NumericTensor[] {
  return operation.operands.flatMap(({ value, name }) => {
    const tensor = value === undefined ? undefined : values.get(value);
    if (tensor !== undefined) return [tensor];
    if (value !== undefined && tensorTypeOf(module, value) === undefined) return [];
    throw new RangeError(`${operation.name}: operand ${name} has no value`);
  });
}

function evaluate(call: OpCall): readonly NumericTensor[] {
  const meaning = MEANINGS.get(call.operation.name);
  if (meaning === undefined) throw call.fail("no meaning in the interpreter");
  const results = meaning(call);
  return "shape" in results ? [results] : results;
}

function calleeOf(module: ModuleText, operation: Operation): string | undefined {
  if (operation.name !== "func.call" && operation.name !== "ttcore.load_cached") return undefined;
  const callee = attributeOf(module, operation, "callee");
  if (callee?.kind === "symbol") return callee.name;
  if (callee?.kind === "string") return callee.value;
  throw new RangeError(`${operation.name} without callee`);
}
