// SPDX-License-Identifier: Apache-2.0
import { LayoutError } from "../../../lib/layout/layout_error.ts";
import { definitionOf } from "../../../lib/ops/op_book.ts";
import { coresOf, type KnownPrograms, NO_PROGRAMS } from "../../../lib/programs/program.ts";
import { choosesBlocks, placementOf } from "../../cost/coverage.ts";
import { getDevice } from "../../devices/device_registry.ts";
import { recordedWait } from "../../microbenchmarks/profiler.ts";
import { kernelMicroseconds, type OpQuestion, questionPrograms } from "../op_question.ts";
import { type AuditRow, auditRow, leaveOut, required, type RowReading } from "../row_model.ts";
import { decodeAttention, prefillAttention } from "./attention.ts";
import { collectiveOp, fusedCollectiveOp } from "./collectives.ts";
import {
  concatOp,
  copyOp,
  embeddingOp,
  memoryOp,
  padOp,
  permuteOp,
  repeatInterleaveOp,
  repeatOp,
  reshapeOp,
  sliceOp,
  tilizeOp,
  transposeOp,
  untilizeOp,
} from "./data_movement.ts";
import { dispatchPeriodRow, fabricBandwidthRow, fabricLatencyRow, moveRow } from "./apart.ts";
import { eltwiseOp, typecastOp } from "./eltwise.ts";
import {
  concatHeadsDecodeOp,
  concatHeadsOp,
  createHeadsDecodeOp,
  createHeadsOp,
  fillCacheOp,
  fusedUpdateCacheOp,
  rotaryOp,
  updateCacheOp,
} from "./heads.ts";
import { conv2dOp, haloOp, poolOp } from "./images.ts";
import { matmulOp, sparseMatmulOp } from "./matmul.ts";
import { type MeasuredChip, measuredChip, type OpReader } from "./measured_chip.ts";
import { type MeasuredOp, modelledOp, type Params } from "./measured_op.ts";
import {
  argmaxOp,
  distributedNormOp,
  gatherOp,
  groupNormOp,
  normOp,
  reduceOp,
  softmaxOp,
  topkOp,
} from "./rows_of_elements.ts";
import { numberIn } from "./texts.ts";

/** Excludes a group of rows that do not measure an op of plans. */
function never(reason: string): OpReader {
  return () => leaveOut(reason);
}

/** How the rows of each group become questions. */
const READERS: Readonly<Record<string, OpReader>> = {
  eltwise: eltwiseOp,
  unary: eltwiseOp,
  binary: eltwiseOp,
  binary_add: eltwiseOp,
  binary_mul: eltwiseOp,
  binary_mul_bcast: eltwiseOp,
  binary_mul_gelu: eltwiseOp,
  binary_mul_silu: eltwiseOp,
  typecast: typecastOp,
  sdpa_prefill: prefillAttention,
  sdpa_decode: decodeAttention,
  matmul: matmulOp,
  matmul_decode: matmulOp,
  permute: permuteOp,
  transpose: transposeOp,
  reshape: reshapeOp,
  slice: sliceOp,
  pad: padOp,
  repeat: repeatOp,
  repeat_interleave: repeatInterleaveOp,
  concat: concatOp,
  tilize: tilizeOp,
  untilize: untilizeOp,
  i2s: memoryOp,
  s2i: memoryOp,
  reshard: memoryOp,
  copy: copyOp,
  reduce: reduceOp,
  argmax: argmaxOp,
  topk: topkOp,
  gather: gatherOp,
  softmax: softmaxOp,
  rms_norm: normOp,
  norm: normOp,
  group_norm: groupNormOp,
  concat_heads_prefill: concatHeadsOp,
  concat_heads_decode: concatHeadsDecodeOp,
  create_heads_prefill: createHeadsOp,
  create_qkv_heads_decode: createHeadsDecodeOp,
  rotary_embedding: rotaryOp,
  rotary_embedding_hf: rotaryOp,
  paged_update_cache: updateCacheOp,
  paged_fused_update_cache: fusedUpdateCacheOp,
  paged_fill_cache: fillCacheOp,
  embedding: embeddingOp,
  conv2d: conv2dOp,
  pool2d: poolOp,
  ccl: collectiveOp,
  halo: haloOp,
  fold: never("fold is not an op of the dialect"),
  ccl_fused: fusedCollectiveOp,
  sparse_matmul: sparseMatmulOp,
  grid_sample: never("the dialect has no grid_sample"),
  indexer: never("the programs of indexer_score_dsa are not documented"),
  moe_gate: never("the dialect has no gate of experts"),
  norm_distributed: distributedNormOp,
  model_class: never("shapes are not in the row"),
  layer_time: never("shapes are not in the row"),
  scatter: never("whether the source was read in parts is not in the row"),
  tilize_with_val_padding: tilizeOp,
  untilize_with_unpadding: never("the unpadded shape is not in the row"),
  upsample: never("bilinear sampling is not modelled"),
  host_bw: never("host transfers by payload are not ops"),
  dram_bw: never("a stream from DRAM that corresponds to no op"),
  op_to_op_gap: never("a gap between programs, not the time of one program"),
  sfpu_cycles: never("cycles of one thread in isolation, not the time of an op"),
  llk_cycles: never("busy cycles of one unit, not the time of an op"),
};

/** Whether rows of a group are read. */
export function readsGroup(group: string): boolean {
  return [READERS, APART, OF_MACHINES].some((readers) => readers[group] !== undefined);
}

/** A measured time in µs; `wall`: by the host's clock, so that it includes the host's work. */
interface MeasuredTime {
  readonly us: number;
  readonly wall: boolean;
}

/** Below this many µs a wall time is the host's, not the device's. */
const HOST_MICROSECONDS = 100;

/** Groups whose rows also have the time of the kernel that replaced the measured one (`ported_us`); plans are priced by it. */
const REPLACED: ReadonlySet<string> = new Set(["repeat", "repeat_interleave"]);

function timeOf({ group, params, measured: { value, unit, quantity } }: MeasuredOp): MeasuredTime {
  if (REPLACED.has(group) && typeof params.ported_us === "number") {
    return { us: params.ported_us, wall: false };
  }
  const us = unit === "us" ? value : unit === "ms" ? value * 1000 : undefined;
  if (us === undefined || us <= 0) leaveOut("the value is not a time");
  if (/RISC|not stated/.test(quantity)) leaveOut(`flagged: ${quantity}`);
  const wall = /wall|issue table/.test(quantity) && !/device|kernel/.test(quantity);
  if (wall && us < HOST_MICROSECONDS) leaveOut("flagged: a wall time as short as the host's work");
  return { us, wall };
}

/**
 * Groups whose rows measure no op of the dialect: links between chips, gaps between programs, moves within the backend.
 */
const APART: Readonly<Record<string, (row: MeasuredOp, chip: MeasuredChip) => RowReading>> = {
  dispatch: dispatchPeriodRow,
  move: moveRow,
};

/** Groups of the links between the chips of a machine. */
const OF_MACHINES: Readonly<Record<string, (row: MeasuredOp) => RowReading>> = {
  fabric_bw: fabricBandwidthRow,
  fabric_latency: fabricLatencyRow,
};

/** The audit's rows for op measurements, in the order of the file. */
export function measuredOpRows(rows: readonly MeasuredOp[]): AuditRow[] {
  return rows.map((row): AuditRow => {
    const { group } = row;
    const link = OF_MACHINES[group];
    if (link !== undefined) return auditRow(group, row.chip, () => link(row));
    const found = measuredChip(row);
    return auditRow(group, found?.device ?? row.chip, () => {
      const chip = required("the chip is not modelled", found);
      const apart = APART[group];
      if (apart !== undefined) return apart(row, chip);
      const reader = READERS[group] ?? never("the group is not modelled");
      return modelOf(row, chip.device, reader({ ...row, params: stated(row.params) }, chip), timeOf(row));
    });
  });
}

/** The parameters that are not `null`: a row gives those that it does not state as `null`. */
function stated(params: Params): Params {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));
}

/** The programs of a question, at least one. It leaves out rows that cannot be priced on the chip. */
function launchedBy(question: OpQuestion, device: string): KnownPrograms {
  try {
    const launched = questionPrograms(question, getDevice(device));
    if (launched.status === "unknown") leaveOut(launched.reason);
    if (launched.programs.length === 0) leaveOut("the op launches nothing between these layouts");
    return launched;
  } catch (error) {
    if (error instanceof LayoutError) leaveOut(`the tensors cannot lie so: ${error.rule}`);
    throw error;
  }
}

/**
 * Name of a parameter in terms of the question: the `config` of a distributed norm is its shape, not an op
 * config.
 */
function factName(group: string, name: string): string {
  return group === "norm_distributed" && name === "config" ? "shape" : name;
}

function modelOf(
  row: MeasuredOp,
  device: string,
  asked: readonly OpQuestion[],
  { us, wall }: MeasuredTime,
): RowReading {
  const [launched = NO_PROGRAMS] = asked.map((question) => launchedBy(question, device));
  const { name = "", coreGrid } = asked[0] ?? {};
  return modelledOp(row, device, {
    costClass: definitionOf(name).costClass,
    placement: placementOf(launched.programs),
    byBackend: choosesBlocks(launched.programs),
    ...(coreGrid === undefined ? {} : { workerGrid: coreGrid }),
    parameters: Object.fromEntries(
      Object.entries(row.params).map(([name, value]) => [factName(row.group, name), JSON.stringify(value)]),
    ),
    measured: us,
    unit: "us",
    predict: (chip) =>
      kernelMicroseconds(asked, chip) + (wall ? chip.dispatch.tracedGap : 0) +
      recordedWait(chip, coresOf(launched), numberIn(row.params, "gap_before_us")),
  });
}
