// SPDX-License-Identifier: Apache-2.0
import { ARANGE, CONSTANT, EMPTY, FULL, RAND } from "./attributes/creation.ts";
import { readAttributes } from "./attributes/read_attributes.ts";
import { defineOps, type OpDefinition } from "./definition.ts";

/** Families of creation. */
export type CreationFamily = "creation" | "empty" | "rand";

/** Ops that make a tensor from attributes. */
export const CREATION: readonly OpDefinition<CreationFamily>[] = [
  ...defineOps("full", "creation", "creation", {
    attributes: FULL,
    operands: ["device?"],
    inferShape: (op) => readAttributes(op, FULL).shape,
  }),
  ...defineOps("zeros ones", "creation", "creation", {
    attributes: EMPTY,
    operands: ["device?"],
    inferShape: (op) => readAttributes(op, EMPTY).shape,
  }),
  ...defineOps("arange", "creation", "creation", { attributes: ARANGE, operands: ["device?"] }),
  ...defineOps("constant", "creation", "creation", { attributes: CONSTANT, operands: ["device?"] }),
  ...defineOps("rand", "rand", "creation", {
    attributes: RAND,
    deviceOperation: "RandDeviceOperation",
    operands: ["device?"],
    inferShape: (op) => readAttributes(op, RAND).size,
  }),
  // Allocates memory only.
  ...defineOps("empty", "empty", "creation", {
    attributes: EMPTY,
    operands: ["device?"],
    inferShape: (op) => readAttributes(op, EMPTY).shape,
  }),
];
