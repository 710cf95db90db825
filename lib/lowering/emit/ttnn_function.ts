// SPDX-License-Identifier: Apache-2.0
import { DEVICE_TYPE } from "../../dialect/other_type.ts";
import { attributes, type AttributeTexts } from "../../dialect/printed_attributes.ts";
import type { TensorValue, TtnnArgument, TtnnOp, TtnnTensorType, TtnnType, TtnnValue } from "./ttnn_value.ts";

const NONE: AttributeTexts = new Map();

/** Optional parts of an op besides operands and results. */
export interface OpExtras {
  readonly properties?: AttributeTexts;
  readonly attributes?: AttributeTexts;
  readonly callee?: string;
  readonly location?: string;
}

/** Everything about a function but its body. */
export interface TtnnFunctionHeader {
  readonly name: string;
  readonly isPrivate?: boolean;
  readonly attributes: AttributeTexts;
  readonly location?: string;
}

/** A function of TTNN ops under construction. */
export class TtnnFunction {
  readonly header: TtnnFunctionHeader;
  readonly arguments: TtnnArgument[] = [];
  ops: TtnnOp[] = [];
  /** Returned values. */
  results: readonly TtnnValue[] = [];
  resultAttributes: readonly AttributeTexts[] = [];
  #device: TtnnValue | undefined;
  readonly #meshShape: string;

  /** @param meshShape mesh of the one device that `get_device` opens, as printed: `1x1` */
  constructor(header: TtnnFunctionHeader, meshShape: string = "1x1") {
    this.header = header;
    this.#meshShape = meshShape;
  }

  /** Adds an argument. */
  argument(type: TtnnTensorType, attributes?: AttributeTexts, location?: string): TensorValue;
  argument(type: TtnnType, attributes?: AttributeTexts, location?: string): TtnnValue;
  argument(type: TtnnType, attributes: AttributeTexts = NONE, location?: string): TtnnValue {
    const value = { type };
    this.arguments.push({ value, attributes, ...(location === undefined ? {} : { location }) });
    return value;
  }

  /** Adds an op and returns its results: tensors where the types are those of tensors. */
  op<Type extends TtnnType>(
    name: string,
    operands: readonly TtnnValue[],
    resultTypes: readonly Type[],
    extras: OpExtras,
  ): readonly { readonly type: Type }[] {
    const results = resultTypes.map((type) => ({ type }));
    this.#append(name, operands, results, extras);
    return results;
  }

  /** Adds an op with one tensor result and returns it. */
  tensorOp(
    name: string,
    operands: readonly TtnnValue[],
    type: TtnnTensorType,
    extras: OpExtras = {},
  ): TensorValue {
    const result = { type };
    this.#append(name, operands, [result], extras);
    return result;
  }

  #append(
    name: string,
    operands: readonly TtnnValue[],
    results: readonly TtnnValue[],
    extras: OpExtras,
  ): void {
    this.ops.push({
      name,
      operands: [...operands],
      results,
      properties: extras.properties ?? NONE,
      attributes: extras.attributes ?? NONE,
      ...(extras.callee === undefined ? {} : { callee: extras.callee }),
      ...(extras.location === undefined ? {} : { location: extras.location }),
    });
  }

  /** The device, opened by one `get_device` before the first op that needs it. */
  device(location?: string): TtnnValue {
    if (this.#device === undefined) {
      const properties = attributes({
        mesh_offset: `#ttnn<mesh_offset 0x0>`,
        mesh_shape: `#ttnn<mesh_shape ${this.#meshShape}>`,
      });
      const extras = location === undefined ? { properties } : { properties, location };
      this.#device = { type: DEVICE_TYPE };
      this.#append("ttnn.get_device", [], [this.#device], extras);
    }
    return this.#device;
  }
}
