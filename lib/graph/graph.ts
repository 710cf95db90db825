// SPDX-License-Identifier: Apache-2.0
import type { ArgumentType } from "../dialect/argument_type.ts";
import type { AttributeMap } from "../ir/attribute.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import type { TensorShape } from "../ops/op_signature.ts";

export { ARGUMENT_TYPES, type ArgumentType } from "../dialect/argument_type.ts";

/** Index of a value in {@linkcode GraphFunction.values}; the property exists only for the type checker. */
export type ValueId = number & { readonly isValueId: true };

/** Index of an op in {@linkcode GraphFunction.ops}, which is also its position in the input's schedule. */
export type OpId = number & { readonly isOpId: true };

/** A point of the schedule: directly before an op, or before `return`, which is `ops.length`. */
export type SchedulePoint = OpId | (number & { readonly isReturnPlace: true });

/**
 * The purposes of functions: the values of `tt.function_type` that we distinguish (tt-mlir:ttmlir-opt), and all
 * others.
 */
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

/** One of {@linkcode FUNCTION_KINDS}; a function with TTNN ops that does not declare its kind is `forward_device`. */
export type FunctionKind = (typeof FUNCTION_KINDS)[number];

/** Where a value comes from. */
export type ValueDefinition =
  | {
    readonly kind: "argument";
    readonly index: number;
    readonly argumentType: ArgumentType;
    /** `ttcore.kv_cache`. */
    readonly isKvCache: boolean;
    /** Shape of the part that each chip holds before the program starts; `undefined` if each chip holds all of it. */
    readonly chipShape: readonly number[] | undefined;
  }
  | { readonly kind: "result"; readonly op: OpId; readonly index: number };

/** One use of a value by an op. `return` is not an op; see {@linkcode GraphFunction.results}. */
export interface Use {
  /** The reader, or an op whose regions contain the reader. */
  readonly op: OpId;
  /** Index in {@linkcode GraphOp.operands}, whatever its operand group. */
  readonly operand: number;
}

/** An SSA value. */
export interface GraphValue {
  /** Own index. In a graph read from text: arguments first, then results in schedule order. */
  readonly id: ValueId;
  /** SSA name as the input spells it, for example `%12` or `%3#1`. */
  readonly name: string;
  /** Argument of the function or result of an op; there are no others. */
  readonly definition: ValueDefinition;
  /** `undefined` if the value is not a ranked tensor (a device handle, a semaphore). */
  readonly tensor: TensorShape | undefined;
  /** The layout that the input gives it; `undefined` if there is none or it is not understood. */
  readonly layout: TtnnLayout | undefined;
  /** In schedule order, then operand order; without `deallocate` ops. */
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
  /** Sizes of the operand groups, from `operandSegmentSizes`; `undefined` if the op has none. */
  readonly operandSegmentSizes: readonly number[] | undefined;
  /** Text of the op's location with aliases resolved, `""` if it has none. */
  readonly location: string;
}

/** A function: ops in schedule order, values, arguments and results by id. */
export interface GraphFunction {
  /**
   * Symbol name. If nested modules repeat one, the later function gets a qualified name, so that names are
   * unique in the graph.
   */
  readonly name: string;
  /** Policies decide `forward_device` and `trace_main`; all other kinds stay as in the input. */
  readonly kind: FunctionKind;
  /** By op id, which is the order of the input. */
  readonly ops: readonly GraphOp[];
  /** By value id. */
  readonly values: readonly GraphValue[];
  /** In the order of the signature; empty for functions without a single-block body. */
  readonly arguments: readonly ValueId[];
  /** Operands of `return`, in order. */
  readonly results: readonly ValueId[];
  /** Arguments that the input deallocates: they are free after their last use, all others when the caller says so. */
  readonly freedArguments: readonly ValueId[];
}

/** Analysis view of a TTNN module: only what layout decisions need; the text stays in the module. */
export interface Graph {
  /** One per `func.func`, in source order, including CPU functions and declarations. */
  readonly functions: readonly GraphFunction[];
  /** L1 bytes per core that const-eval results occupy while the program is loaded (`ttnn.l1_const_eval_usage`). */
  readonly constEvalL1Bytes: number;
}

/**
 * A number as an op id.
 *
 * @throws {RangeError} if the function has no such op
 */
export function opId({ name, ops }: GraphFunction, index: number): OpId {
  if (index >= ops.length) throw new RangeError(`Cannot look up op ${index}: @${name} has ${ops.length}`);
  return idAt(index);
}

/**
 * A number as a value id.
 *
 * @throws {RangeError} if the function has no such value
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
 * @throws {RangeError} if the function has no such op, so the id belongs to another function
 */
export function opAt({ name, ops }: GraphFunction, id: OpId): GraphOp {
  const op = ops[id];
  if (op === undefined) throw new RangeError(`Cannot look up op ${id}: @${name} has ${ops.length}`);
  return op;
}

/**
 * A value by id.
 *
 * @throws {RangeError} if the function has no such value, so the id belongs to another function
 */
export function valueAt({ name, values }: GraphFunction, id: ValueId): GraphValue {
  const value = values[id];
  if (value === undefined) throw new RangeError(`Cannot look up value ${id}: @${name} has ${values.length}`);
  return value;
}

/**
 * A function by name.
 *
 * @throws {RangeError} if the graph has no function with this name
 */
export function functionNamed({ functions }: Graph, name: string): GraphFunction {
  const fn = functions.find((candidate) => candidate.name === name);
  if (fn === undefined) throw new RangeError(`Cannot look up @${name}: the graph has no such function`);
  return fn;
}

/** Value of an op's first result; `undefined` for ops without results. */
export function firstResult(fn: GraphFunction, { results: [first] }: GraphOp): GraphValue | undefined {
  return first === undefined ? undefined : valueAt(fn, first);
}

/** The place of `return`. */
export function returnPlace({ ops }: { readonly ops: readonly unknown[] }): SchedulePoint {
  return idAt(ops.length);
}

/** Whether a place is an op, and not `return`. */
export function isOp({ ops }: { readonly ops: readonly unknown[] }, place: SchedulePoint): place is OpId {
  return place < ops.length;
}

/**
 * The id for an index, for code that builds functions or does not know the function.
 *
 * @throws {RangeError} if the number is not a valid index
 */
export function idAt<Id extends SchedulePoint | ValueId>(index: number): Id {
  if (!isId<Id>(index)) throw new RangeError(`Cannot take ${index} for an id: it is not an index`);
  return index;
}

/** Whether a number can be an id in some function. */
export function isId<Id extends SchedulePoint | ValueId>(index: number): index is Id {
  return Number.isInteger(index) && index >= 0;
}
