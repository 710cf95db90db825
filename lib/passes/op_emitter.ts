// SPDX-License-Identifier: Apache-2.0
import { attributes, integerArrayText, shapeText } from "../dialect/printed_attributes.ts";
import { f32Text } from "../dialect/float_text.ts";
import type { DataType } from "../layout/data_type.ts";
import { broadcastShape, sameExtents } from "../layout/extents.ts";
import type { TtnnOp } from "../ttnn/op.ts";
import { sameType, type TensorValue, type TtnnTensorType, type TtnnValue } from "../ttnn/value.ts";
import type { TtnnFunction } from "../ttnn/function.ts";
import { type PassContext, type TensorPlace, tensorType } from "./graph_pass.ts";

/** Creates ops on tiled tensors in interleaved DRAM, before a given op. */
export class OpEmitter {
  readonly #body: TtnnFunction;
  readonly #anchor: TtnnOp;
  readonly #context: PassContext;

  constructor(body: TtnnFunction, anchor: TtnnOp, context: PassContext) {
    this.#body = body;
    this.#anchor = anchor;
    this.#context = context;
  }

  /** A tensor type, see {@linkcode tensorType}. */
  type(shape: readonly number[], dataType: DataType, place?: TensorPlace): TtnnTensorType {
    return tensorType(this.#context, shape, dataType, place);
  }

  /** An op with one tensor result. */
  op(
    name: string,
    operands: readonly TtnnValue[],
    type: TtnnTensorType,
    properties: Readonly<Record<string, string | undefined>> = {},
  ): TensorValue {
    const made = this.#body.insertBefore(this.#anchor, {
      name: `ttnn.${name}`,
      operands,
      resultTypes: [type],
      properties: attributes(properties),
    });
    const result = made.tensorResult;
    if (result === undefined) throw new RangeError(`Cannot emit ${name}: its result is not a tensor`);
    return result;
  }

  unary(name: string, x: TensorValue): TensorValue {
    return this.op(name, [x], this.type(x.type.shape, x.type.dataType));
  }

  /** With numpy's broadcasting. */
  binary(name: string, a: TensorValue, b: TensorValue): TensorValue {
    const shape = broadcastShape([a.type.shape, b.type.shape]);
    if (shape === undefined) throw new RangeError(`Cannot emit ${name}: its operands do not broadcast`);
    return this.op(name, [a, b], this.type(shape, a.type.dataType));
  }

  /** One number as a tensor of a rank, for broadcasting. */
  full(value: number, rank: number, dataType: DataType): TensorValue {
    const shape = new Array<number>(rank).fill(1);
    const properties = { fill_value: f32Text(value), shape: shapeText(shape) };
    return this.op("full", [this.#body.device(this.#anchor)], this.type(shape, dataType), properties);
  }

  /** `x` itself if it already has the format. */
  typecast(x: TensorValue, dataType: DataType): TensorValue {
    return x.type.dataType === dataType ? x : this.op("typecast", [x], this.type(x.type.shape, dataType));
  }

  /** `x` itself if it already has the shape. */
  reshape(x: TensorValue, shape: readonly number[]): TensorValue {
    if (sameExtents(x.type.shape, shape)) return x;
    return this.op("reshape", [x], this.type(shape, x.type.dataType), { shape: integerArrayText(shape) });
  }

  /** In tiles in interleaved DRAM, wherever it was. */
  tiled(x: TensorValue): TensorValue {
    const target = this.type(x.type.shape, x.type.dataType);
    if (sameType(x.type, target)) return x;
    const there = this.#onDevice(x);
    return there.type.layout.tile === undefined ? this.op("to_layout", [there], target) : there;
  }

  /** Row-major in DRAM in another shape. */
  rowMajorReshape(x: TensorValue, shape: readonly number[]): TensorValue {
    const rows = this.#rowMajor(this.#onDevice(x));
    if (sameExtents(x.type.shape, shape)) return rows;
    const properties = { shape: integerArrayText(shape) };
    return this.op("reshape", [rows], this.type(shape, x.type.dataType, { rowMajor: true }), properties);
  }

  /** Row-major in host memory. */
  toHost(x: TensorValue): TensorValue {
    const { shape, dataType } = x.type;
    const type = this.type(shape, dataType, { rowMajor: true, bufferType: "system_memory" });
    return this.op("from_device", [this.#rowMajor(x)], type);
  }

  #rowMajor(x: TensorValue): TensorValue {
    if (x.type.layout.tile === undefined) return x;
    return this.op("to_layout", [x], this.type(x.type.shape, x.type.dataType, { rowMajor: true }));
  }

  #onDevice(x: TensorValue): TensorValue {
    const { shape, dataType, layout } = x.type;
    if (layout.bufferType !== "system_memory") return x;
    const type = this.type(shape, dataType, { rowMajor: layout.tile === undefined });
    return this.op("to_device", [x, this.#body.device(this.#anchor)], type);
  }
}
