// SPDX-License-Identifier: Apache-2.0
import { attributes } from "../../dialect/printed_attributes.ts";
import type { TtnnFunction } from "../emit/ttnn_function.ts";
import {
  isTensor,
  type TensorType,
  type TtnnOp,
  type TtnnTensor,
  type TtnnValue,
} from "../emit/ttnn_value.ts";
import { integersIn, numberIn } from "./attribute_values.ts";

/** A pattern: what stands for an op, the last one with the op's own results; `undefined` where it does not match. */
export type Pattern = (op: TtnnOp, graph: OpGraph) => readonly TtnnOp[] | undefined;

/** Definitions and uses of a function's values. */
export class OpGraph {
  readonly #producers: Map<TtnnValue, TtnnOp> = new Map();
  readonly #uses: Map<TtnnValue, number> = new Map();

  constructor(func: TtnnFunction) {
    const use = (value: TtnnValue): void => void this.#uses.set(value, this.uses(value) + 1);
    for (const op of func.ops) {
      for (const result of op.results) this.#producers.set(result, op);
      op.operands.forEach(use);
    }
    func.results.forEach(use);
  }

  /** The op that makes a value; `undefined` for arguments. */
  producer(value: TtnnValue | undefined): TtnnOp | undefined {
    return value === undefined ? undefined : this.#producers.get(value);
  }

  /** The op that makes a value when it has a name. */
  made(value: TtnnValue | undefined, name: string): TtnnOp | undefined {
    const op = this.producer(value);
    return op?.name === `ttnn.${name}` ? op : undefined;
  }

  /** Uses of a value, being returned included. */
  uses(value: TtnnValue): number {
    return this.#uses.get(value) ?? 0;
  }

  /** Whether exactly one op uses what an op makes. */
  usedOnce(op: TtnnOp): boolean {
    return op.results.every((result) => this.uses(result) === 1);
  }

  /** The op that makes a value, seen through a reshape that nothing else uses. */
  madeBelowReshape(value: TtnnValue | undefined, name: string): TtnnOp | undefined {
    const reshape = this.made(value, "reshape");
    if (reshape !== undefined && this.usedOnce(reshape)) return this.made(reshape.operands[0], name);
    return this.made(value, name);
  }

  /** The number that a value repeats, seen through reshapes and repeats. */
  constant(value: TtnnValue | undefined): number | undefined {
    const op = this.producer(value);
    switch (op?.name) {
      case "ttnn.zeros":
        return 0;
      case "ttnn.ones":
        return 1;
      case "ttnn.full":
        return numberIn(op.properties.get("fill_value"));
      case "ttnn.reshape":
      case "ttnn.repeat":
        return this.constant(op.operands[0]);
      default:
        return undefined;
    }
  }
}

/** An op that makes what another made. */
export function standIn(
  op: TtnnOp,
  name: string,
  operands: readonly TtnnValue[],
  properties: Readonly<Record<string, string | undefined>> = {},
): TtnnOp {
  return { ...op, name: `ttnn.${name}`, operands, properties: attributes(properties), attributes: new Map() };
}

/** An op with a new result, at the place of another op. */
export function newOp(
  at: TtnnOp,
  name: string,
  operands: readonly TtnnValue[],
  type: TensorType,
  properties: TtnnOp["properties"],
): { readonly op: TtnnOp; readonly result: TtnnTensor } {
  const result = { type };
  const op = { ...at, name: `ttnn.${name}`, operands, results: [result], properties, attributes: new Map() };
  return { op, result };
}

/** The one tensor result of an op. */
export function resultOf(op: TtnnOp): TtnnTensor | undefined {
  const [result, ...others] = op.results;
  return result !== undefined && others.length === 0 && isTensor(result) ? result : undefined;
}

/** A tensor operand of an op. */
export function tensorOperand(op: TtnnOp | undefined, index: number): TtnnTensor | undefined {
  const operand = op?.operands[index];
  return operand !== undefined && isTensor(operand) ? operand : undefined;
}

/** Both orders of two tensor operands. */
export function eitherOrder(op: TtnnOp): readonly (readonly [TtnnTensor, TtnnTensor])[] {
  const [first, second] = [tensorOperand(op, 0), tensorOperand(op, 1)];
  if (first === undefined || second === undefined || op.operands.length !== 2) return [];
  return [[first, second], [second, first]];
}

/** The one dimension that a reduction reduces, counted from the front. */
export function reducedDimension(op: TtnnOp): number | undefined {
  const rank = tensorOperand(op, 0)?.type.shape.length ?? 0;
  const [dim, ...others] = integersIn(op.properties.get("dim_arg"));
  if (dim === undefined || others.length > 0) return undefined;
  return dim < 0 ? dim + rank : dim;
}
