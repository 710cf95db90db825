// SPDX-License-Identifier: Apache-2.0
import { type ConfigSlot, defineOps, type OpDefinition, type OperandWord } from "./definition.ts";
import { CONV1D, CONV2D, CONV3D, CONV_TRANSPOSE2D } from "./attributes/window.ts";
import { CONVOLUTION_WINDOW, LINE_WINDOW, TRANSPOSED_WINDOW, windowResult } from "./sliding_window.ts";

/** Families of convolutions. */
export type ConvolutionFamily = "conv2d" | "conv_transpose2d" | "conv1d" | "conv3d";

const OPERANDS: readonly OperandWord[] = ["activation", "weight", "bias?", "device"];

/** The config that a convolution and the ops that prepare its weights carry. */
export const CONV2D_SLOT: ConfigSlot = { kind: "conv2d", program: "conv2d_config", searched: true };

/** Likewise of `conv3d`. */
export const CONV3D_SLOT: ConfigSlot = { kind: "conv3d", program: "conv3d_config", searched: true };

/** Convolutions. Weights may be in host memory: the op prepares them itself. */
export const CONVOLUTION: readonly OpDefinition<ConvolutionFamily>[] = [
  ...defineOps("conv2d", "conv2d", "conv2d", {
    attributes: CONV2D,
    operands: OPERANDS,
    window: CONVOLUTION_WINDOW,
    inferShape: windowResult(CONVOLUTION_WINDOW),
    acceptsHost: true,
    config: CONV2D_SLOT,
  }),
  ...defineOps("conv_transpose2d", "conv_transpose2d", "conv2d", {
    attributes: CONV_TRANSPOSE2D,
    operands: OPERANDS,
    window: TRANSPOSED_WINDOW,
    inferShape: windowResult(TRANSPOSED_WINDOW),
    acceptsHost: true,
    config: CONV2D_SLOT,
  }),
  ...defineOps("conv1d", "conv1d", "conv2d", {
    attributes: CONV1D,
    operands: OPERANDS,
    window: LINE_WINDOW,
    inferShape: windowResult(LINE_WINDOW),
    acceptsHost: true,
    config: { ...CONV2D_SLOT, searched: false },
  }),
  ...defineOps("conv3d", "conv3d", "conv3d", {
    attributes: CONV3D,
    operands: OPERANDS,
    acceptsHost: true,
    config: CONV3D_SLOT,
    padsRows: true,
  }),
];
