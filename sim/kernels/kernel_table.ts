// SPDX-License-Identifier: Apache-2.0
import type { CostClass } from "../../lib/opmodel/op_model.ts";
import { FREE, type Kernel } from "../kernel.ts";
import type { PricedTensor } from "../priced_op.ts";
import { scaledDotProductAttention } from "./attention.ts";
import { cacheUpdate } from "./cache.ts";
import { collective } from "./collective.ts";
import { convolution } from "./conv2d.ts";
import { creation } from "./creation.ts";
import { elementShuffle, hostTransfer, pageCopy, relayout, rowGather } from "./data_movement.ts";
import { eltwise } from "./eltwise.ts";
import { matmul } from "./matmul.ts";
import { norm, reduction, softmax } from "./reduction.ts";

const layoutChange: Kernel = (op, device) => {
  const [input] = op.inputs;
  const [output] = op.outputs;
  return input === undefined || output === undefined ? FREE : relayout(input, output, device);
};

const transfer: Kernel = (op, device) =>
  hostTransfer([...op.inputs, ...op.outputs].filter((t): t is PricedTensor => t !== undefined), device);

const nothing: Kernel = () => FREE;

/** The kernel model of every cost class of the rule book. */
export const KERNELS: Readonly<Record<CostClass, Kernel>> = {
  matmul,
  conv2d: convolution,
  conv3d: convolution,
  pool: elementShuffle,
  upsample: pageCopy,
  eltwise_unary: eltwise,
  eltwise_binary: eltwise,
  eltwise_ternary: eltwise,
  reduction,
  softmax,
  norm,
  sdpa: scaledDotProductAttention,
  sdpa_decode: scaledDotProductAttention,
  rotary: eltwise,
  cache_update: cacheUpdate,
  embedding: rowGather,
  permute: elementShuffle,
  reshape: elementShuffle,
  concat: pageCopy,
  slice: pageCopy,
  pad: pageCopy,
  repeat: pageCopy,
  gather: rowGather,
  sort: reduction,
  heads: pageCopy,
  typecast: eltwise,
  to_layout: layoutChange,
  reshard: layoutChange,
  host_transfer: transfer,
  creation,
  ccl: collective,
  view: nothing,
  free: nothing,
  opaque: pageCopy,
};
