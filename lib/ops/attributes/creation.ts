// SPDX-License-Identifier: Apache-2.0

// Attributes of ops that make a tensor from attributes (tt-mlir:op-attributes).

export const EMPTY = { shape: { type: "shape?", order: ["extent"] } } as const;

export const FULL = {
  shape: { type: "shape?", order: ["extent"] },
  fill_value: { type: "scalar?", spelled: ["fill_value", "fillValue"] },
} as const;

export const ARANGE = { start: "si64?", end: "si64?", step: "si64?" } as const;

export const CONSTANT = { value: "any?" } as const;

export const RAND = {
  size: { type: "shape?", order: ["extent"] },
  low: { type: "f32", default: 0 },
  high: { type: "f32", default: 1 },
  seed: { type: "ui32", default: 0 },
} as const;
