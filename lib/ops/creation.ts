// SPDX-License-Identifier: Apache-2.0
import { readIntegers } from "../dialect/attribute_values.ts";
import { defineOps, type OpDefinition, optional } from "./definition.ts";
import type { InferShape } from "./shape_inference.ts";

/** Families of creation. */
export type CreationFamily = "creation" | "empty" | "rand";

const namedShape: InferShape = ({ attributes }) => readIntegers(attributes, "shape");

/** Ops that make a tensor from attributes. */
export const CREATION: readonly OpDefinition<CreationFamily>[] = [
  ...defineOps("full zeros ones", "creation", "creation", {
    operands: [optional("device")],
    inferShape: namedShape,
  }),
  ...defineOps("arange constant", "creation", "creation", { operands: [optional("device")] }),
  ...defineOps("rand", "rand", "creation", { operands: [optional("device")], inferShape: namedShape }),
  // Allocates memory only.
  ...defineOps("empty", "empty", "creation", { operands: [optional("device")], inferShape: namedShape }),
];
