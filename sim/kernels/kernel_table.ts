// SPDX-License-Identifier: Apache-2.0
import type { CostClass } from "../../lib/opmodel/op_model.ts";
import { FREE, type Kernel } from "./kernel.ts";
import type { PricedTensor } from "./priced_op.ts";
import { attentionDecode, attentionPrefill } from "./attention.ts";
import { cacheUpdate } from "./cache.ts";
import { collective } from "./collective.ts";
import { convolution } from "./conv2d.ts";
import { creation } from "./creation.ts";
import { heads, pageCopy, permute, reshape, rowGather } from "./data_movement.ts";
import { eltwise } from "./eltwise.ts";
import { matmul } from "./matmul.ts";
import { pool, upsample } from "./pool.ts";
import { norm, reduction, softmax } from "./reduction.ts";
import { hostTransfer, layoutChange } from "./relayout.ts";
import { rotary } from "./rotary.ts";

const transfer: Kernel = (op, device) =>
  hostTransfer([...op.inputs, ...op.outputs].filter((t): t is PricedTensor => t !== undefined), device);

const nothing: Kernel = () => FREE;

/** The kernel model of every cost class of the rule book. */
export const KERNELS: Readonly<Record<CostClass, Kernel>> = {
  matmul,
  conv2d: convolution,
  conv3d: convolution,
  pool,
  upsample,
  eltwise_unary: eltwise,
  eltwise_binary: eltwise,
  eltwise_ternary: eltwise,
  reduction,
  softmax,
  norm,
  sdpa: attentionPrefill,
  sdpa_decode: attentionDecode,
  rotary,
  cache_update: cacheUpdate,
  embedding: rowGather,
  permute,
  reshape,
  concat: pageCopy,
  slice: pageCopy,
  pad: pageCopy,
  repeat: pageCopy,
  gather: rowGather,
  sort: reduction,
  heads,
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
