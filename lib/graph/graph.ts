// SPDX-License-Identifier: Apache-2.0
import type { ArgumentType } from "../dialect/argument_type.ts";
import type { AttributeMap } from "../ir/attribute.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import type { TensorShape } from "../ops/op_signature.ts";

export { ARGUMENT_TYPES, type ArgumentType } from "../dialect/argument_type.ts";

/** Index of a value in {@linkcode GraphFunction.values}; the property is for the checker of types, no number has it. */
export type ValueId = number & { readonly isValueId: true };

/** Index of an op in {@linkcode GraphFunction.ops}, which is also its place in the input's schedule. */
export type OpId = number & { readonly isOpId: true };

/** What a copy is made directly before: an op, or `return`, whose place is `ops.length`. */
export type Place = OpId | (number & { readonly isReturnPlace: true });

/** What functions are for: the values of `tt.function_type` that we tell apart (tt-mlir:ttmlir-opt), and all others. */
export const FUNCTION_KINDS = [
  "forward_device",
  "const_eval",
  "trace_main",
  "trace_run_and_capture",
  "trace_execute",
  "forward_cpu",
  "forward_cpu_declaration",
  "kernel",
  "other",
] as const;

/**
 * One of {@linkcode FUNCTION_KINDS}; a function that holds TTNN ops and does not say what it is for is
 * `forward_device`.
 */
export type FunctionKind = (typeof FUNCTION_KINDS)[number];

/** Where a value comes from. */
export type ValueDefinition =
  | {
    readonly kind: "argument";
    readonly index: number;
    readonly argumentType: ArgumentType;
    /** `ttcore.kv_cache`. */
    readonly isKvCache: boolean;
    /** Extents of the part that each chip holds before the program starts; `undefined` where it holds all of it. */
    readonly chipShape: readonly number[] | undefined;
  }
  | { readonly kind: "result"; readonly op: OpId; readonly index: number };

/** One use of a value by an op. `return` is not an op; see {@linkcode GraphFunction.results}. */
export interface Use {
  /** Reader, or an op in whose regions the reader stands. */
  readonly op: OpId;
  /** Index in {@linkcode GraphOp.operands}, groups not told apart. */
  readonly operand: number;
}

/** An SSA value. */
export interface GraphValue {
  /** Own index. Of a graph read from text: arguments first, then results in schedule order. */
  readonly id: ValueId;
  /** SSA name as the input spells it, for example `%12` or `%3#1`. */
  readonly name: string;
  /** Argument of the function or result of an op; there are no others. */
  readonly definition: ValueDefinition;
  /** `undefined` when the value is not a ranked tensor (a device handle, a semaphore). */
  readonly tensor: TensorShape | undefined;
  /** The layout that the input gives it; `undefined` when it has none or one that we do not understand. */
  readonly layout: TtnnLayout | undefined;
  /** In schedule order, then operand order; `deallocate` is not among them. */
  readonly uses: readonly Use[];
  /** How often the function returns the value. */
  readonly returned: number;
}

/** An op of the schedule. `deallocate` ops are not part of it; liveness is derived from uses. */
export interface GraphOp {
  /** Own index. */
  readonly id: OpId;
  /** Full name, for example `ttnn.matmul`, `ttcore.load_cached`, `func.call`. */
  readonly name: string;
  /** In the op's order, device handles included; after them the values that its regions use. */
  readonly operands: readonly ValueId[];
  /** In the op's order; empty for ops that only write into an operand (caches). */
  readonly results: readonly ValueId[];
  /** Properties and discardable attributes merged, aliases resolved. */
  readonly attributes: AttributeMap;
  /** Sizes of the operand groups, from `operandSegmentSizes`; `undefined` when the op has none. */
  readonly operandSegmentSizes: readonly number[] | undefined;
  /** Text of the op's location with aliases resolved, `""` when it has none. */
  readonly location: string;
}

/** A function: ops in schedule order, values, arguments and results by id. */
export interface GraphFunction {
  /** Symbol name; where nested modules repeat one, the later is qualified, so that it is unique in the graph. */
  readonly name: string;
  /** Policies decide `forward_device` and `trace_main`; all other kinds stay as the input has them. */
  readonly kind: FunctionKind;
  /** By op id, which is the order of the input. */
  readonly ops: readonly GraphOp[];
  /** By value id. */
  readonly values: readonly GraphValue[];
  /** In the order of the signature; empty for functions without one plain body. */
  readonly arguments: readonly ValueId[];
  /** Operands of `return`, in order. */
  readonly results: readonly ValueId[];
  /** Whether the input spells out `ttnn.deallocate` in this function. */
  readonly hasDeallocates: boolean;
}

/** Analysis view of a TTNN module: only what layout decisions need; the text stays in the module. */
export interface Graph {
  /** One per `func.func`, in source order, CPU functions and declarations among them. */
  readonly functions: readonly GraphFunction[];
  /** Bytes of L1 per core that const-eval results hold for the life of the program (`ttnn.l1_const_eval_usage`). */
  readonly constEvalL1Bytes: number;
}

/**
 * A number as the id of an op.
 *
 * @throws {RangeError} when the function has no such op
 */
export function opId({ name, ops }: GraphFunction, index: number): OpId {
  if (index >= ops.length) throw new RangeError(`Cannot look up op ${index}: @${name} has ${ops.length}`);
  return idAt(index);
}

/**
 * A number as the id of a value.
 *
 * @throws {RangeError} when the function has no such value
 */
export function valueId({ name, values }: GraphFunction, index: number): ValueId {
  if (index >= values.length) {
    throw new RangeError(`Cannot look up value ${index}: @${name} has ${values.length}`);
  }
  return idAt(index);
}

/**
 * An op by id.
 *
 * @throws {RangeError} when the function has no such op: the id is of another one
 */
export function opAt({ name, ops }: GraphFunction, id: OpId): GraphOp {
  const op = ops[id];
  if (op === undefined) throw new RangeError(`Cannot look up op ${id}: @${name} has ${ops.length}`);
  return op;
}

/**
 * A value by id.
 *
 * @throws {RangeError} when the function has no such value: the id is of another one
 */
export function valueAt({ name, values }: GraphFunction, id: ValueId): GraphValue {
  const value = values[id];
  if (value === undefined) throw new RangeError(`Cannot look up value ${id}: @${name} has ${values.length}`);
  return value;
}

/**
 * A function by name.
 *
 * @throws {RangeError} when the graph has no function of that name
 */
export function functionNamed({ functions }: Graph, name: string): GraphFunction {
  const fn = functions.find((candidate) => candidate.name === name);
  if (fn === undefined) throw new RangeError(`Cannot look up @${name}: the graph has no such function`);
  return fn;
}

/** Value of an op's first result; `undefined` for ops that have none. */
export function firstResult(fn: GraphFunction, { results: [first] }: GraphOp): GraphValue | undefined {
  return first === undefined ? undefined : valueAt(fn, first);
}

/** The place of `return`. */
export function returnPlace({ ops }: { readonly ops: readonly unknown[] }): Place {
  return idAt(ops.length);
}

/** Whether a place is an op, and not `return`. */
export function isOp({ ops }: { readonly ops: readonly unknown[] }, place: Place): place is OpId {
  return place < ops.length;
}

/**
 * The id of what stands, or will stand, at an index, for those who build functions or know no function.
 *
 * @throws {RangeError} when the number is no index
 */
export function idAt<Id extends Place | ValueId>(index: number): Id {
  if (!isId<Id>(index)) throw new RangeError(`Cannot take ${index} for an id: it is not an index`);
  return index;
}

/** Whether a number can be an id of some function. */
export function isId<Id extends Place | ValueId>(index: number): index is Id {
  return Number.isInteger(index) && index >= 0;
}
