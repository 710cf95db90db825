// SPDX-License-Identifier: Apache-2.0
import type { Attribute, AttributeMap } from "../lib/ir/attribute.ts";
import { makeLayout } from "../lib/layout/make_layout.ts";
import type { TtnnLayout } from "../lib/layout/ttnn_layout.ts";
import {
  type ArgumentType,
  type FunctionKind,
  type Graph,
  type GraphFunction,
  type GraphOp,
  type GraphValue,
  idAt,
  type OpId,
  type Use,
  type ValueDefinition,
  type ValueId,
} from "../lib/graph/graph.ts";
import type { TensorShape } from "../lib/ops/op_signature.ts";

/** Options of a softmax over the last dimension. */
export const OVER_COLUMNS = {
  attributes: { dimension: { kind: "integer", value: -1n, type: "si32" } },
} as const;

/** Options of {@linkcode GraphBuilder.argument}. */
export interface ArgumentOptions {
  /** Default `input`. */
  readonly argumentType?: ArgumentType;
  /** Default `false`. */
  readonly isKvCache?: boolean;
  /** Default DRAM interleaved in tiles; `null` gives the argument no layout. */
  readonly layout?: TtnnLayout | null;
}

/** Options of {@linkcode GraphBuilder.op}. */
export interface OpOptions {
  readonly attributes?: Readonly<Record<string, Attribute>> | AttributeMap;
  readonly operandSegmentSizes?: readonly number[];
  readonly location?: string;
  /** Layout per result; default DRAM interleaved in tiles, `null` gives the result no layout. */
  readonly layouts?: readonly (TtnnLayout | null | undefined)[];
}

/** DRAM interleaved in 32x32 tiles: the layout that lowering gives every tensor. */
export function dramInterleavedTiled(tensor: TensorShape): TtnnLayout {
  return makeLayout(
    { shape: tensor.shape, dataType: tensor.dataType, bufferType: "dram", memoryLayout: "interleaved" },
    { rows: 1, columns: 1 },
  );
}

/**
 * Builds a {@linkcode GraphFunction} in schedule order; uses and ids are kept for the caller.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("main");
 * const x = builder.argument({ shape: [32, 64], dataType: "bf16" });
 * const y = builder.op("ttnn.relu", [x], { shape: [32, 64], dataType: "bf16" });
 * builder.return(y);
 * assertEquals(builder.build().ops.map((op) => op.name), ["ttnn.relu"]);
 * ```
 */
export class GraphBuilder {
  readonly #name: string;
  readonly #kind: FunctionKind;
  readonly #ops: GraphOp[] = [];
  readonly #values: GraphValue[] = [];
  readonly #uses: Use[][] = [];
  readonly #arguments: ValueId[] = [];
  #results: readonly ValueId[] = [];

  constructor(name = "main", kind: FunctionKind = "forward_device") {
    this.#name = name;
    this.#kind = kind;
  }

  /** Adds a function argument; `undefined` for a value that is not a tensor (a device handle). */
  argument(tensor: TensorShape | undefined, options: ArgumentOptions = {}): ValueId {
    const index = this.#arguments.length;
    const id = this.#value(
      `%arg${index}`,
      {
        kind: "argument",
        index,
        argumentType: options.argumentType ?? "input",
        isKvCache: options.isKvCache ?? false,
        chipShape: undefined,
      },
      tensor,
      options.layout,
    );
    this.#arguments.push(id);
    return id;
  }

  /** Adds an op with one result and returns the result. */
  op(name: string, operands: readonly ValueId[], result: TensorShape, options: OpOptions = {}): ValueId {
    const [id] = this.multiOp(name, operands, [result], options);
    if (id === undefined) throw new RangeError(`Cannot build ${name}: the result is missing`);
    return id;
  }

  /** Adds an op with any number of results; `undefined` results are not tensors. */
  multiOp(
    name: string,
    operands: readonly ValueId[],
    results: readonly (TensorShape | undefined)[],
    options: OpOptions = {},
  ): ValueId[] {
    const id = idAt<OpId>(this.#ops.length);
    operands.forEach((value, operand) => {
      const uses = this.#uses[value];
      if (uses === undefined) throw new RangeError(`Cannot build ${name}: operand ${operand} is undefined`);
      uses.push({ op: id, operand });
    });
    const ids = results.map((tensor, index) =>
      this.#value(
        results.length === 1 ? `%${id}` : `%${id}#${index}`,
        { kind: "result", op: id, index },
        tensor,
        options.layouts?.[index],
      )
    );
    const attributes = options.attributes ?? {};
    this.#ops.push({
      id,
      name,
      operands: [...operands],
      results: ids,
      attributes: attributes instanceof Map ? attributes : new Map(Object.entries(attributes)),
      operandSegmentSizes: options.operandSegmentSizes,
      location: options.location ?? `op${id}`,
    });
    return ids;
  }

  /** Sets the operands of `return`. */
  return(...results: readonly ValueId[]): void {
    this.#results = [...results];
  }

  /** The function as built so far. */
  build(): GraphFunction {
    const returned = new Map<ValueId, number>();
    for (const value of this.#results) returned.set(value, (returned.get(value) ?? 0) + 1);
    return {
      name: this.#name,
      kind: this.#kind,
      ops: [...this.#ops],
      values: this.#values.map((value) => ({
        ...value,
        uses: [...this.#uses[value.id] ?? []],
        returned: returned.get(value.id) ?? 0,
      })),
      arguments: [...this.#arguments],
      results: this.#results,
      freedArguments: [],
    };
  }

  /** A graph that holds only this function. */
  buildGraph(constEvalL1Bytes = 0): Graph {
    return { functions: [this.build()], constEvalL1Bytes };
  }

  #value(
    name: string,
    definition: ValueDefinition,
    tensor: TensorShape | undefined,
    layout: TtnnLayout | null | undefined,
  ): ValueId {
    const id = idAt<ValueId>(this.#values.length);
    this.#uses.push([]);
    this.#values.push({
      id,
      name,
      definition,
      tensor,
      layout: layout === null || tensor === undefined ? undefined : layout ?? dramInterleavedTiled(tensor),
      uses: [],
      returned: 0,
    });
    return id;
  }
}
