// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../layout/data_type.ts";
import type { AttributeForm } from "./attributes/attribute_form.ts";
import { NO_ATTRIBUTES } from "./attributes/common.ts";
import type { CostClass } from "./cost_class.ts";
import type { EltwiseParts } from "./eltwise_parts.ts";
import { ANY_FORMATS, type CastOperand, type TakesFormats } from "./operand_formats.ts";
import type { InferShape } from "./shape_inference.ts";
import type { OpSignature } from "./op_signature.ts";
import type { WindowForm } from "./sliding_window.ts";

/** Role of an operand; decides which candidate layouts make sense for it. */
export type OperandRole = "activation" | "weight" | "bias" | "index" | "cache" | "mask" | "scalar" | "device";

const ROLES: readonly OperandRole[] = [
  "activation",
  "weight",
  "bias",
  "index",
  "cache",
  "mask",
  "scalar",
  "device",
];

/** Operands of one name in the op's definition (tt-mlir:ttir-to-ttnn). */
export interface OperandGroup {
  readonly role: OperandRole;
  /** Fewest and most operands of the group. */
  readonly least: number;
  readonly most: number;
}

/** An operand group in a definition: one operand of a role, with `?` at most one, with `*` any number. */
export type OperandWord = `${OperandRole}${"" | "?" | "*"}`;

/** A word several times. */
export function repeated(count: number, word: OperandWord): readonly OperandWord[] {
  return Array.from({ length: count }, () => word);
}

function operandGroup(word: OperandWord): OperandGroup {
  const role = ROLES.find((known) => word.startsWith(known)) ?? "activation";
  if (word.endsWith("*")) return { role, least: 0, most: Number.POSITIVE_INFINITY };
  return { role, least: word.endsWith("?") ? 0 : 1, most: 1 };
}

/** The config that an op takes. `compute_config` has the same key for all ops. */
export interface ConfigSlot {
  /** Key of its slots in `lib/op_config`. */
  readonly kind: string;
  /** Key of the program or conv config among the op's properties; `undefined` where the op has none. */
  readonly program: string | undefined;
  /** Whether policies search for a config; otherwise the op keeps its own. */
  readonly searched: boolean;
}

/** Classes of vector-unit work per tile, by cost (published:ops-2, cycles of the math thread and of 255 ops). */
export type VectorFunction =
  /** None: ops of the matrix engine (sums) and ops that only move data. */
  | "none"
  /** A handful of instructions per vector. */
  | "simple"
  /** Two operands multiplied and rounded to even. */
  | "product"
  /** One reciprocal. */
  | "reciprocal"
  /** One polynomial on a reduced range, or iterations to a root: tanh, sine, logarithm. */
  | "polynomial"
  /** An exponential. */
  | "exp"
  /** An exponential or polynomial and a quotient or a second branch: sigmoid, softplus, tangent. */
  | "quotient"
  /** Several of the above: gelu, inverse tangent. */
  | "transcendental"
  /** Roots and logarithms in sequence, or long polynomials: powers, inverse hyperbolic functions, tails. */
  | "inverse";

/**
 * Elementwise work of the matrix unit: sums, of all formats but two equal ones of f32, si32, u32 and u16, and products,
 * of these but two bf16 (`ttnn:backend-0-81-1`).
 */
export type MatrixUnitWork = "sum" | "product";

/** Which norm an op computes over rows or groups. */
export interface NormForm {
  /** Whether the mean is subtracted: layer norm and group norm do, RMS norm does not. */
  readonly subtractsMean: boolean;
  /** Groups of channels instead of rows. */
  readonly ofGroups?: boolean;
  /** The half of a norm whose rows are spread over chips: sums of a chip's part of a row, or scaling with all sums. */
  readonly half?: "statistics" | "scaling";
}

/** An exchange of tokens between chips (tt-mlir:workarounds). */
export interface ExpertExchange {
  /** Whether tokens go to the chips of their experts; else what the experts made of them comes back. */
  readonly dispatches: boolean;
  /** Operand with the chip of each expert; the scores precede it if they are sent along. */
  readonly mapping: number;
}

/** Everything known about an op independent of its shapes and layouts. */
export interface OpDefinition<out Family extends string = string> {
  /** Full name, for example `ttnn.matmul`. */
  readonly name: string;
  /**
   * Selects the rule of the op model: legal layouts and memory needs. Ops of one family differ only in name and cost.
   */
  readonly family: Family;
  /** Which kernel model prices it. */
  readonly costClass: CostClass;
  /** In the op's order; where the op has operand groups, one per group. */
  readonly operands: readonly OperandGroup[];
  /** Role per operand group; the last entry holds for all further ones. */
  readonly roles: readonly OperandRole[];
  /** Fewest and most tensor operands. */
  readonly minOperands: number;
  readonly maxOperands: number;
  /** Whether properties are part of what an elementwise op computes: a slope, bounds, an exponent. */
  readonly hasParameters: boolean;
  /** The attributes that the op takes beside those of all ops; `undefined` for ops that may take any. */
  readonly attributes: AttributeForm | undefined;
  /** Number of results; `undefined` if it varies. */
  readonly results: number | undefined;
  /** Shape of the first result from operands and properties; `undefined` where it does not follow from them. */
  readonly inferShape: InferShape | undefined;
  /** The norm that the op computes; `undefined` for ops that are none. */
  readonly norm?: NormForm;
  /** Which way tokens go between the chips of their experts; `undefined` for ops that send none. */
  readonly expertExchange?: ExpertExchange;
  /** Whether keys and values lie in the pages of a cache, which a page table lists. */
  readonly isPaged: boolean;
  /** How the op spells the window that it moves over an image; `undefined` for ops without one. */
  readonly window?: WindowForm;
  /**
   * Element format of result 0, regardless of the declared one: that of an operand, or a fixed one; that of operand 0
   * on the device where its pages stay (`same_pages`); `undefined` if the kernel takes a format (element-wise ops of two operands, matmuls, convolutions, casts) or if it is unknown.
   * {@linkcode returnedFormat} reads it.
   */
  readonly formatOf: number | DataType | "same_pages" | undefined;
  /** Whether result 0 has the page layout (tiles or rows) of operand 0, regardless of the declared one. */
  readonly keepsPages: boolean;
  /** Whether result 0 is in rows, regardless of the declared page layout. */
  readonly returnsRows: boolean;
  /**
   * Whether rows of a row-major result 0 are as long as whole tiles: where its last dimension is not, ttnn refuses to
   * view it (`ttnn:backend-0-81-1`).
   */
  readonly padsRows: boolean;
  /** Whether the results behind the first lie in rows on the first core, wherever result 0 lies. */
  readonly gathersOnOneCore: boolean;
  /** Whether result 0 may share the buffer of operand 0 for these shapes; layouts may still forbid it. */
  readonly isView?: (op: OpSignature, tiled: boolean) => boolean;
  /** Operand that is overwritten; such ops have no result, or return that operand's tensor. */
  readonly inPlaceOperand?: number;
  /**
   * Operands that are overwritten and read afterwards as such, `inPlaceOperand` first: a copy must not take their
   * place.
   */
  readonly writtenOperands: readonly number[];
  /** False for ops that run as in the input and are never moved. */
  readonly movable: boolean;
  /** Whether the op expects operands in host memory. */
  readonly acceptsHost: boolean;
  readonly config?: ConfigSlot;
  /** `undefined` for ops that are not elementwise. */
  readonly vectorFunction?: VectorFunction;
  /** Function of the vector unit that is applied to each operand before the op itself; `undefined` for most ops. */
  readonly operandFunction?: VectorFunction;
  /** Work of the matrix unit if the formats allow it; `undefined` for ops of the vector unit. */
  readonly matrixUnit?: MatrixUnitWork;
  /** Which element formats of operands the kernel takes. */
  readonly takesFormats: TakesFormats;
  /** Which operand is cast before the op's program. */
  readonly castsOperand?: CastOperand;
  /** The programs of an op that has no kernel of its own for all operands. */
  readonly parts?: EltwiseParts;
  /** The profiler's name where it is not that of the cost class. */
  readonly deviceOperation?: string;
  /** Whether the op only changes where or how a tensor is stored, not its values. */
  readonly memoryOp: boolean;
}

/** Fields of a definition that differ from those of an op with one tensor operand. */
export type DefinitionFields =
  & { readonly operands?: readonly OperandWord[] }
  & Partial<
    Omit<OpDefinition, "name" | "family" | "costClass" | "operands" | "roles" | "minOperands" | "maxOperands">
  >;

/**
 * Defines ops that differ only in their names.
 *
 * @param names separated by spaces; without a dialect they are of `ttnn`
 */
export function defineOps<Family extends string>(
  names: string,
  family: Family,
  costClass: CostClass,
  facts: DefinitionFields = {},
): readonly OpDefinition<Family>[] {
  return names.split(" ").map((name) =>
    defineOp(name.includes(".") ? name : `ttnn.${name}`, family, costClass, facts)
  );
}

/** Defines one op by its full name. */
export function defineOp<Family extends string>(
  name: string,
  family: Family,
  costClass: CostClass,
  facts: DefinitionFields,
): OpDefinition<Family> {
  const operands = (facts.operands ?? ["activation"]).map(operandGroup);
  const tensors = operands.filter(({ role }) => role !== "device");
  return {
    hasParameters: false,
    attributes: NO_ATTRIBUTES,
    results: 1,
    inferShape: undefined,
    isPaged: false,
    formatOf: undefined,
    keepsPages: false,
    returnsRows: false,
    padsRows: false,
    gathersOnOneCore: false,
    writtenOperands: facts.inPlaceOperand === undefined ? [] : [facts.inPlaceOperand],
    movable: true,
    acceptsHost: false,
    takesFormats: ANY_FORMATS,
    memoryOp: false,
    ...facts,
    name,
    family,
    costClass,
    operands,
    roles: operands.map(({ role }) => role),
    minOperands: tensors.reduce((sum, { least }) => sum + least, 0),
    maxOperands: tensors.reduce((sum, { most }) => sum + most, 0),
  };
}
