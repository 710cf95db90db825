// SPDX-License-Identifier: Apache-2.0

/** Readers of measured reductions, orderings, gathers, softmaxes and norms: ops that work on rows of elements. */

import { normalDim } from "../../../lib/layout/extents.ts";
import {
  attributesOf,
  DRAM,
  DRAM_ROWS,
  fromOneTensor,
  type OpQuestion,
  type PlaceRequest,
  tensorAt,
} from "../op_question.ts";
import type { MeasuredChip, OpReader } from "./measured_chip.ts";
import type { Params } from "./measured_op.ts";
import {
  dataTypeIn,
  dataTypeOf,
  dataTypesOf,
  gridIn,
  integersIn,
  NO_SHAPES,
  numberIn,
  placesOf,
  type RowPlaces,
  shapeIn,
  shapesIn,
  textIn,
} from "./texts.ts";
import { EARLIER_KERNEL, leaveOut, required, requiring } from "../row_model.ts";

/** A place, row-major if the name of the layout says so. */
function paged(place: PlaceRequest, layout: string): PlaceRequest {
  return /row.?major|\bRM\b/i.test(layout) ? { ...place, tile: null } : place;
}

/** `mean`, `sum`, `max` or `min` over one dimension. */
export const reduceOp: OpReader = ({ params }, chip) => {
  const name = textIn(params, "op");
  const only = params.stage === 1 ? "first" : params.stage === 2 ? "last" : undefined;
  const need = requiring("op, shape or dimension is not in the row");
  const shape = need(integersIn(params.whole_shape ?? params.shape));
  const dim = need(numberIn(params, "dim"));
  need(/^(mean|sum|max|min)$/.exec(name)?.[0]);
  if (/SFPU/.test(textIn(params, "dtype"))) {
    leaveOut("a reduction by the vector unit is not an op of the dialect");
  }
  const layout = textIn(params, "layout");
  const [before = layout, after = layout] = layout === ""
    ? [textIn(params, "in_layout"), textIn(params, "out_layout")]
    : layout.split(" to ");
  const { input, output } = placesOf(textIn(params, "memory"), chip);
  const reduced = shape.with(normalDim(dim, shape.length), 1);
  return [
    fromOneTensor(name, dataTypeOf(params), [shape, paged(input, before)], [reduced, paged(output, after)], {
      attributes: attributesOf({ dim_arg: [dim], keep_dim: true }),
      // Rows that name no stage are of inputs that one device operation reduces.
      ...only === undefined ? { isDeviceOperation: true } : { only },
    }),
  ];
};

/** `argmax` over the last dimension. */
export const argmaxOp: OpReader = ({ params, what }) => {
  if (params.variant !== undefined) leaveOut("an experimental kernel that no release runs");
  // Before each processor took half of the rows.
  if (/, before$/.test(what)) leaveOut(EARLIER_KERNEL);
  const shape = integersIn(params.shape) ??
    [numberIn(params, "rows"), numberIn(params, "V")].map((extent) => required(NO_SHAPES, extent));
  const tiled = /TILE/.test(textIn(params, "layout"));
  return [{
    name: "ttnn.argmax",
    ...statedCores(params),
    attributes: attributesOf({ dim: -1, keep_dim: true }),
    inputs: [tensorAt(shape, tiled ? DRAM : DRAM_ROWS, dataTypeOf(params))],
    outputs: [tensorAt(shape.with(-1, 1), DRAM_ROWS, "u32")],
  }];
};

/** Row length from which the backend shares rows of a `topk` among cores, and from which it did before (tt-metal:sort-topk). */
const SHARED_FROM = { now: 1024, before: 8192 };

/** `topk` over the last dimension, unless the row forces a program factory that the backend does not choose. */
export const topkOp: OpReader = ({ params, measured: { quantity } }) => {
  const name = textIn(params, "op");
  if (name !== "topk") leaveOut(`${name} is part of topk or another op`);
  if (params.shards !== undefined) leaveOut("several calls, each over part of a row");
  const text = textIn(params, "shape", "desc");
  const [told] = params.shape === undefined && text === ""
    ? [[1, 1, numberIn(params, "rows") ?? 1, numberIn(params, "N") ?? 1]]
    : shapesIn(params.shape ?? text);
  const width = told?.at(-1) ?? 0;
  const wide = width >= SHARED_FROM.now;
  if (wide && /^single core/.test(textIn(params, "factory")) && !/bfp8/.test(textIn(params, "dtype"))) {
    leaveOut(
      width < SHARED_FROM.before ? EARLIER_KERNEL : "a factory chosen by hand is not an op of the dialect",
    );
  }
  const need = requiring("shape or k is not in the row");
  // Of rank 4: results of other ranks are sliced, by a device operation of its own.
  const shape = [1, 1, 1, ...need(told)].slice(-4);
  const k = Number(need(numberIn(params, "k") ?? /k=(\d+)/.exec(text)?.[1]));
  const result = shape.with(-1, k);
  return [{
    name: "ttnn.topk",
    ...(/^sum of all/.test(quantity) ? {} : { only: "last" }),
    ...(wide ? statedCores(params) : {}),
    attributes: attributesOf({ k, dim: -1, largest: true, sorted: true }),
    inputs: [tensorAt(shape, DRAM, dataTypeOf(params))],
    outputs: [tensorAt(result, DRAM, dataTypeOf(params)), tensorAt(result, DRAM, "u16")],
  }];
};

/** The cores that a row states, as a grid or as their number; empty if it states none. */
function statedCores(params: Params): Partial<Pick<OpQuestion, "coreGrid">> {
  const [columns, rows = 1] = integersIn(params.grid) ?? [numberIn(params, "cores")];
  return columns === undefined ? {} : { coreGrid: [columns, rows] };
}

/** `gather` along a dimension. */
export const gatherOp: OpReader = ({ params }) => {
  if (textIn(params, "implementation") === "codegen") leaveOut("a generated kernel that is not modelled");
  const need = requiring(NO_SHAPES);
  const input = need(integersIn(params.input));
  const index = need(integersIn(params.index));
  const dim = need(numberIn(params, "dim"));
  const place = paged(DRAM, textIn(params, "layout"));
  const dataType = dataTypeIn(textIn(params, "dtype")) ?? "bf16";
  return [{
    name: "ttnn.gather",
    attributes: attributesOf({ dim }),
    inputs: [tensorAt(input, place, dataType), tensorAt(index, place, "u32")],
    outputs: [tensorAt(index, place, dataType)],
  }];
};

/** `softmax` over the last dimension. */
export const softmaxOp: OpReader = ({ params }, chip) => {
  const shape = shapeIn(params.shape ?? params.desc);
  const { input, output } = placesOf(textIn(params, "memory"), chip);
  return [
    fromOneTensor("softmax", dataTypeOf(params), [shape, input], [shape, output], {
      // The default of the backend that was measured (2026).
      attributes: attributesOf({ dimension: shape.length - 1, numericStable: true }),
      config: { kind: "norm", computeConfig: { fp32DestAccEn: false } },
    }),
  ];
};

/** Places of a norm's operand and result: in shards over the grid if the row names both, else in the named memory. */
function shardedPlaces(params: Params, chip: MeasuredChip): RowPlaces {
  const [shard, grid] = [textIn(params, "shard"), gridIn(params, chip)];
  const memory = textIn(params, "memory");
  return shard === "" || grid === undefined
    ? placesOf(memory, chip, { cores: numberIn(params, "cores") })
    : placesOf(`L1 ${shard} sharded`, { columns: grid[0], rows: grid[1] }, { cores: grid[0] * grid[1] });
}

/**
 * `rms_norm` over the last dimension, with a scale in rows of 32 elements unless the row says without. Model libraries and
 * compilers, which the rows are from, accumulate in f32 (tt-metal:llms-report).
 */
export const normOp: OpReader = ({ group, params }, chip) => {
  const shape = shapeIn(params.shape ?? params.desc);
  const { input, output } = shardedPlaces(params, chip);
  const types = dataTypesOf(params);
  const scale = tensorAt([1, 1, Math.ceil((shape.at(-1) ?? 1) / 32), 32], DRAM_ROWS);
  const scaled = !/without gamma/.test(textIn(params, "desc"));
  if (group === "norm" && params.cores !== undefined && params.shard === undefined) {
    leaveOut("the shards are not in the row");
  }
  return [{
    name: "ttnn.rms_norm",
    inputs: [tensorAt(shape, input, types.inputs[0]), ...(scaled ? [scale] : [])],
    outputs: [tensorAt(shape, output, types.output)],
    config: { kind: "norm", computeConfig: { fp32DestAccEn: true } },
  }];
};

/** Elements of a row of FLUX, whose norms are measured spread over the chips of a ring (tt-metal issue 46896). */
const FLUX_WIDTH = 6144;

/**
 * A layer norm over rows that are divided among chips: each chip's sums, an all-gather of the sums, and the normalization of
 * each chip's part.
 */
export const distributedNormOp: OpReader = ({ params, what }, chip) => {
  const told = /^flux_tp(\d+)_N(\d+)$/.exec(textIn(params, "config"))?.map(Number);
  const [, chips = 1, rows = 1] = required(NO_SHAPES, told);
  if (/fused/.test(what)) leaveOut("the fused kernel of the model library is not an op of the dialect");
  const width = FLUX_WIDTH / chips;
  const tensor = (columns: number) => tensorAt([1, 1, rows, columns]);
  // A tile of sums and one of squares per row of tiles and chip.
  const [part, sums, allSums] = [tensor(width), tensor(64), tensor(64 * chips)];
  const weights = tensorAt([width]);
  const config = { kind: "norm", computeConfig: { fp32DestAccEn: true } } as const;
  return [
    { name: "ttnn.layer_norm_pre_all_gather", inputs: [part], outputs: [sums], config },
    {
      name: "ttnn.all_gather",
      attributes: attributesOf({ cluster_axis: 0, all_gather_dim: 3 }),
      inputs: [sums],
      outputs: [allSums],
      mesh: [{ chips, links: chip.device === "n150" ? 4 : 2, topology: "ring" }],
    },
    {
      name: "ttnn.layer_norm_post_all_gather",
      inputs: [part, allSums, weights, weights],
      outputs: [part],
      config,
    },
  ];
};

/** `group_norm` of an image in rows of pixels. */
export const groupNormOp: OpReader = ({ params }) => {
  const image = required("the image is not in the row", integersIn(params.nchw));
  if (textIn(params, "mode") === "welford") {
    leaveOut("the kernel of Welford's sums is not an op of the dialect");
  }
  const [batch = 1, channels = 1, height = 1, width = 1] = image;
  const [columns = 1, rows = 1] = textIn(params, "grid").split("x").map(Number);
  const sharded = textIn(params, "memory").includes("sharded");
  const shape = [batch, 1, height * width, channels];
  const memory: PlaceRequest = sharded
    ? { bufferType: "l1", memoryLayout: "block_sharded", grid: [rows, columns] }
    : DRAM;
  const place = paged(memory, textIn(params, "layout"));
  return [
    fromOneTensor("group_norm", dataTypeOf(params), [shape, place], [shape, place], {
      coreGrid: [columns, rows],
      attributes: attributesOf({ num_groups: numberIn(params, "groups") }),
    }),
  ];
};
