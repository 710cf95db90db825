// SPDX-License-Identifier: Apache-2.0
import type { AttributeTexts } from "../dialect/printed_attributes.ts";
import { printedProperties, type Properties, readTexts } from "./op.ts";
import { scalar } from "../ops/attributes/print_attributes.ts";
import type { DataType } from "../layout/data_type.ts";
import { repeatFactors, sameExtents } from "../layout/extents.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { isShapeFault } from "../ops/shape_inference.ts";
import { TtnnBuilder } from "./builder.ts";
import { type TensorPlace, tensorType } from "./tensor_type.ts";
import { sameType, type TensorValue, type TtnnTensorType, type TtnnValue } from "./value.ts";

/**
 * Makes ops whose result type follows from their operands: tiled in interleaved DRAM, except where a method's docstring
 * names another place. Methods that would change nothing return the value itself.
 */
export class TensorBuilder extends TtnnBuilder {
  /** A tensor type, see {@linkcode tensorType}. */
  type(shape: readonly number[], dataType: DataType, place?: TensorPlace): TtnnTensorType {
    return tensorType(this.chip, shape, dataType, place);
  }

  /** An op with one result of a shape, in tiles in interleaved DRAM. */
  tensor(
    name: string,
    operands: readonly TtnnValue[],
    { shape, dataType }: TensorShape,
    properties?: AttributeTexts | Properties,
  ): TensorValue {
    return this.op(name, operands, this.type(shape, dataType), properties);
  }

  /**
   * An op whose result has the shape that its definition infers, and the data type of the first operand.
   *
   * @param place of the result; in tiles in interleaved DRAM by default
   * @throws {RangeError} if the definition infers none, or operands and properties contradict each other
   */
  inferred(
    name: string,
    operands: readonly TtnnValue[],
    properties: Properties = {},
    place?: TensorPlace & { readonly dataType?: DataType },
  ): TensorValue {
    const [first] = operands;
    const shape = definitionOf(name).inferShape?.({
      operands: operands.map(({ type }) => type.kind === "tensor" ? type.shape : undefined),
      attributes: readTexts(this.body.module, new Map(), printedProperties(name, properties)),
      declared: undefined,
    });
    if (shape === undefined || isShapeFault(shape) || first?.type.kind !== "tensor") {
      const why = shape !== undefined && isShapeFault(shape) ? `: ${shape.fault}` : "";
      throw new RangeError(`Cannot infer the result of ${name}${why}`);
    }
    const type = this.type(shape, place?.dataType ?? first.type.dataType, place);
    return this.op(name, operands, type, properties);
  }

  /** An elementwise op of one operand, by its name without the dialect. */
  unary(name: string, x: TensorValue): TensorValue {
    return this.tensor(`ttnn.${name}`, [x], x.type);
  }

  /** An elementwise op of two operands of one data type. @throws {RangeError} if they do not broadcast */
  binary(name: string, a: TensorValue, b: TensorValue): TensorValue {
    return this.inferred(`ttnn.${name}`, [a, b]);
  }

  /** A tensor of one number in every place. */
  full(shape: readonly number[], dataType: DataType, number: number): TensorValue {
    return this.tensor("ttnn.full", [this.device()], { shape, dataType }, {
      fill_value: scalar(number, dataType),
      shape: shape,
    });
  }

  /** The value with another element type. */
  typecast(x: TensorValue, dataType: DataType): TensorValue {
    if (x.type.dataType === dataType) return x;
    return this.tensor("ttnn.typecast", [x], { shape: x.type.shape, dataType });
  }

  /** The value in another shape. */
  reshape(x: TensorValue, shape: readonly number[]): TensorValue {
    if (sameExtents(x.type.shape, shape)) return x;
    const { dataType } = x.type;
    return this.tensor("ttnn.reshape", [x], { shape, dataType }, { shape: shape });
  }

  /** The value repeated up to a shape of the same rank. */
  repeat(x: TensorValue, shape: readonly number[]): TensorValue {
    if (sameExtents(x.type.shape, shape)) return x;
    return this.tensor("ttnn.repeat", [x], { shape, dataType: x.type.dataType }, {
      repeat_dims: repeatFactors(x.type.shape, shape),
    });
  }

  /** The value with its dimensions in another order: dimension `i` of the result is `permutation[i]` of the value. */
  permute(x: TensorValue, permutation: readonly number[]): TensorValue {
    const { shape, dataType } = x.type;
    return this.tensor(
      "ttnn.permute",
      [x],
      { shape: permutation.map((dim) => shape[dim] ?? 1), dataType },
      { permutation: permutation },
    );
  }

  /** The elements of one dimension from one position up to another. */
  slice(
    x: TensorValue,
    dim: number,
    { from, to }: { readonly from: number; readonly to: number },
  ): TensorValue {
    const { shape, dataType } = x.type;
    if (from === 0 && to === shape.at(dim)) return x;
    return this.tensor("ttnn.slice_static", [x], { shape: shape.with(dim, to - from), dataType }, {
      begins: shape.map(() => 0).with(dim, from),
      ends: shape.with(dim, to),
      step: shape.map(() => 1),
    });
  }

  /** In tiles in interleaved DRAM, wherever it was. */
  tiled(x: TensorValue): TensorValue {
    const target = this.type(x.type.shape, x.type.dataType);
    if (sameType(x.type, target)) return x;
    const there = this.#onDevice(x);
    return there.type.layout.tile === undefined ? this.op("ttnn.to_layout", [there], target) : there;
  }

  /** Row-major in DRAM in another shape. */
  rowMajorReshape(x: TensorValue, shape: readonly number[]): TensorValue {
    const rows = this.#rowMajor(this.#onDevice(x));
    if (sameExtents(x.type.shape, shape)) return rows;
    const type = this.type(shape, x.type.dataType, { rowMajor: true });
    return this.op("ttnn.reshape", [rows], type, { shape: shape });
  }

  /** Row-major in host memory. */
  toHost(x: TensorValue): TensorValue {
    const { shape, dataType } = x.type;
    const type = this.type(shape, dataType, { rowMajor: true, bufferType: "system_memory" });
    return this.op("ttnn.from_device", [this.#rowMajor(x)], type);
  }

  #rowMajor(x: TensorValue): TensorValue {
    if (x.type.layout.tile === undefined) return x;
    return this.op("ttnn.to_layout", [x], this.type(x.type.shape, x.type.dataType, { rowMajor: true }));
  }

  #onDevice(x: TensorValue): TensorValue {
    const { shape, dataType, layout } = x.type;
    if (layout.bufferType !== "system_memory") return x;
    const type = this.type(shape, dataType, { rowMajor: layout.tile === undefined });
    return this.op("ttnn.to_device", [x, this.device()], type);
  }
}
