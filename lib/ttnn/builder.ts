// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import type { AttributeTexts } from "../dialect/printed_attributes.ts";
import type { TtnnFunction } from "./function.ts";
import type { Properties, TtnnOp } from "./op.ts";
import type { TensorValue, TtnnTensorType, TtnnType, TtnnValue } from "./value.ts";

/** Makes ops at one place of a function. */
export class TtnnBuilder {
  readonly body: TtnnFunction;
  readonly chip: ChipDescription;
  /** New ops come before it; at the end of the function if there is none. */
  readonly anchor: TtnnOp | undefined;
  /** `loc(…)` of new ops as printed; that of the anchor if there is none. */
  location: string | undefined;

  constructor(body: TtnnFunction, chip: ChipDescription, anchor?: TtnnOp) {
    this.body = body;
    this.chip = chip;
    this.anchor = anchor;
  }

  /** An op with any results. */
  insert(
    name: string,
    operands: readonly TtnnValue[],
    resultTypes: readonly TtnnType[],
    properties: AttributeTexts | Properties = {},
    discardable: AttributeTexts = new Map(),
  ): TtnnOp {
    const spec = {
      name,
      operands,
      resultTypes,
      properties,
      attributes: discardable,
      ...(this.location === undefined ? {} : { location: this.location }),
    };
    return this.anchor === undefined ? this.body.append(spec) : this.body.insertBefore(this.anchor, spec);
  }

  /** An op with one tensor result. */
  op(
    name: string,
    operands: readonly TtnnValue[],
    type: TtnnTensorType,
    properties: AttributeTexts | Properties = {},
    discardable?: AttributeTexts,
  ): TensorValue {
    return this.insert(name, operands, [type], properties, discardable).tensorResultAt(0);
  }

  device(): TtnnValue {
    return this.body.device(this.anchor, this.location);
  }
}
