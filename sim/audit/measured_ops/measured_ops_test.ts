// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { DiagnosticError } from "../../../lib/diagnostics/diagnostic.ts";
import { corpusTest, sharedData } from "../../../testing/corpus.ts";
import { getDevice } from "../../devices/device_registry.ts";
import { getMeasuredDevice } from "../../microbenchmarks/measured_device.ts";
import { auditCostModel, joinRows, predictRow, readMeasurements } from "../audit_cost_model.ts";
import { askQuestion, DRAM, type OpQuestion } from "../op_question.ts";
import type { RowModel } from "../row_model.ts";
import { decodeAttention, prefillAttention } from "./attention.ts";
import { collectiveOp } from "./collectives.ts";
import { concatOp, memoryOp, padOp, permuteOp, sliceOp } from "./data_movement.ts";
import { eltwiseOp } from "./eltwise.ts";
import { createHeadsOp } from "./heads.ts";
import { matmulOp } from "./matmul.ts";
import { measuredChip, type OpReader } from "./measured_chip.ts";
import { isMeasuredOps, type MeasuredOp, type Params, parseMeasuredOps } from "./measured_op.ts";
import { dataTypeIn, dataTypesOf, placesOf, rectangle, shapesIn } from "./texts.ts";
import { measuredOpRows } from "./measured_op_rows.ts";

const CHIP = { columns: 11, rows: 10 };

/** A row as the file spells it. */
function row(
  group: string,
  params: Params,
  chip = "p150",
): MeasuredOp & { what: string; confidence: string } {
  return {
    id: JSON.stringify(params),
    group,
    chip,
    what: group,
    params,
    measured: { value: 10, unit: "us", quantity: "device kernel duration" },
    source: "test",
    confidence: "high",
    note: "",
  };
}

/** The only question that a reader makes of a row. */
function asked(reader: OpReader, group: string, params: Params, chip = "p150"): OpQuestion {
  const measured = row(group, params, chip);
  const on = measuredChip(measured);
  assert(on !== undefined);
  const questions = reader(measured, on);
  const [question] = questions;
  assert(question !== undefined && questions.length === 1);
  return question;
}

Deno.test("attention rows state causality as a parameter or in words", () => {
  const params = { S: 1024, q_heads: 32, kv_heads: 8, d: 128, chunks: "64/64" };
  const isCausal = (what: string, told: Params = {}) => {
    const measured = { ...row("sdpa_prefill", { ...params, ...told }), what };
    const on = measuredChip(measured);
    assert(on !== undefined);
    const questions = prefillAttention(measured, on);
    return questions[0]?.attributes?.get("is_causal");
  };
  const flag = (value: boolean) => ({ kind: "bool", value }) as const;
  assertEquals(isCausal("causal SDPA fp32 acc"), flag(true));
  assertEquals(isCausal("SDPA prefill non-causal"), flag(false));
  assertEquals(isCausal("causal SDPA", { causal: false }), flag(false));
  assertEquals(isCausal("SDPA prefill S4096", { desc: "S=4096, causal" }), flag(true));
});

Deno.test("shapesIn() reads lists, lists of lists, brackets and products of extents", () => {
  assertEquals(shapesIn([1, 2, 3]), [[1, 2, 3]]);
  assertEquals(shapesIn([[1, 2], [3, 4]]), [[1, 2], [3, 4]]);
  assertEquals(shapesIn("[1,1,128,6144] -> [1,1,128,3072]"), [[1, 1, 128, 6144], [1, 1, 128, 3072]]);
  assertEquals(shapesIn("[1,32,16(32),256]"), [[1, 32, 16, 256]]);
  assertEquals(shapesIn("1024x2816 to 32x2816 (tile rows)"), [[1024, 2816], [32, 2816]]);
  assertEquals(shapesIn("k 32 users"), []);
});

Deno.test("formats are the first ones in a text; those of operands and result are distinguished", () => {
  assertEquals(dataTypeIn("bfloat16 (test default; some use float32)"), "bf16");
  assertEquals(dataTypeIn("weights"), undefined);
  assertEquals(dataTypesOf({ dtypes: "HiFi2 BF16 x BFP8 => FP32" }), {
    inputs: ["bf16", "bfp_bf8"],
    output: "f32",
  });
});

Deno.test("placesOf() follows arrows; a side inherits missing fields from the first", () => {
  const width = (cores: number) =>
    ({ bufferType: "l1", memoryLayout: "width_sharded", grid: [1, cores] }) as const;
  assertEquals(placesOf("DRAM interleaved -> L1 width sharded", CHIP, { cores: 30 }), {
    input: DRAM,
    inputs: [{ bufferType: "dram", memoryLayout: "interleaved" }],
    output: width(30),
  });
  assertEquals(placesOf("L1 width sharded 24 cores", CHIP, { cores: 30 }).output, width(24));
  assertEquals(placesOf("L1,DRAM to L1", CHIP, { cores: 64 }).inputs.map(({ bufferType }) => bufferType), [
    "l1",
    "dram",
  ]);
  assertEquals(placesOf("", CHIP, { tile: null }).output, {
    bufferType: "dram",
    memoryLayout: "interleaved",
    tile: null,
  });
});

Deno.test("rectangle() is the widest of a chip with so many cores", () => {
  assertEquals(rectangle(88, CHIP), [11, 8]);
  assertEquals(rectangle(64, CHIP), [8, 8]);
  assertEquals(rectangle(107, CHIP), undefined);
});

Deno.test("elementwise rows: other spellings, comparisons with zero, broadcast rows, and ops that plans lack", () => {
  const names = (op: string) => asked(eltwiseOp, "eltwise", { op, shape: [32, 32] });
  assertEquals(names("mul_").name, "ttnn.multiply");
  assertEquals(names("gtz").inputs.length, 1);
  assertEquals(names("where").inputs.length, 3);
  const add = asked(eltwiseOp, "binary_add", { op: "add", shape: [1, 1, 400, 256], bcast: "row" });
  assertEquals(add.inputs.map(({ shape }) => shape), [[1, 1, 400, 256], [1, 1, 1, 256]]);
  const [audited] = measuredOpRows([row("eltwise", { op: "polygamma", shape: [32, 32] })]);
  assert(audited?.status === "excluded");
  assertEquals(audited.reason, "the dialect has no op polygamma");
});

Deno.test("attention rows: chunks, grid, causality; a paged cache holds the position and the new token", () => {
  const prefill = asked(prefillAttention, "sdpa_prefill", {
    S: 4096,
    q_heads: 32,
    kv_heads: 8,
    d: 128,
    dtype: "bfp8",
    fidelity: "HiFi2",
    q_chunk: 64,
    k_chunk: 128,
    causal: true,
    cores: 64,
  }, "p100");
  assertEquals(prefill.inputs.map(({ shape }) => shape), [[1, 32, 4096, 128], [1, 8, 4096, 128], [
    1,
    8,
    4096,
    128,
  ]]);
  assert(prefill.config?.kind === "sdpa");
  assertEquals(prefill.config.programConfig, {
    computeWithStorageGridSize: [8, 8],
    qChunkSize: 64,
    kChunkSize: 128,
  });
  const decode = asked(decodeAttention, "sdpa_decode", {
    batch: 32,
    num_heads: 32,
    num_kv_heads: 8,
    head_dim: 128,
    position: 1024,
    block_size: 32,
    kv_dtype: "bfp8",
    q: "bf16 DRAM",
  }, "p100");
  assertEquals(decode.name, "ttnn.paged_scaled_dot_product_attention_decode");
  assertEquals(decode.inputs[1]?.shape, [32 * 33, 8, 32, 128]);
  assertEquals(decode.inputs[1]?.dataType, "bfp_bf8");
});

Deno.test("matmul rows: DRAM-sharded and multicast configs from cores and blocks", () => {
  const decode = { M: 32, K: 4096, N: 14336, weights: "bfp4", fidelity: "LoFi", in0_block_w: 8 };
  const sharded = asked(matmulOp, "matmul_decode", { ...decode, kernel: "ds", cores: 8 });
  assertEquals(sharded.inputs[1]?.place, { bufferType: "dram", memoryLayout: "width_sharded", grid: [1, 8] });
  assert(sharded.config?.kind === "matmul");
  assertEquals(sharded.config.programConfig, {
    kind: "matmul_multi_core_reuse_multi_cast_dram_sharded",
    in0BlockW: 8,
    perCoreM: 1,
    perCoreN: 56,
  });
  // 448 tiles on 9 cores: the last one has two less, none of them is left out.
  const uneven = asked(matmulOp, "matmul_decode", { ...decode, kernel: "ds", cores: 9 });
  assert(uneven.config?.kind === "matmul");
  assertEquals(uneven.config.programConfig?.perCoreN, 50);
  assertEquals(uneven.outputs[0]?.place, { bufferType: "l1", memoryLayout: "width_sharded", grid: [1, 9] });
  const shared = asked(matmulOp, "matmul_decode", { ...decode, kernel: "mcast", cores: 64 });
  assert(shared.config?.kind === "matmul" && shared.config.programConfig !== undefined);
  assertEquals(shared.config.programConfig.perCoreN, 7);
  // The subblock of four rows says that no core has fewer: one dimension.
  const tall = asked(matmulOp, "matmul", {
    M: 128,
    K: 3072,
    N: 2048,
    cores: 64,
    in0_block_w: "2",
    subblock: "4x1",
  });
  assert(tall.config?.kind === "matmul");
  assertEquals(tall.config.programConfig?.kind, "matmul_multi_core_reuse_multi_cast_1d");
});

corpusTest(
  "products with chosen experts are predicted within the factor of two that is claimed of them",
  () => {
    const { models } = readMeasurements("measured-ops-2.json", sharedData("measured-ops-2.json"));
    const ratios = models.filter(({ group }) => group === "sparse_matmul").map((row) =>
      predictRow(row, getMeasuredDevice) / row.measured
    );
    assertEquals(ratios.length, 4);
    for (const ratio of ratios) assert(ratio > 0.5 && ratio < 2, `${ratios}`);
  },
);

Deno.test("data movement rows: orders from shapes, padding pairs, joined extents", () => {
  assertEquals(
    asked(permuteOp, "permute", { io: "1x7x9x11 > 1x9x11x7", layout: "bf16 row-major DRAM" }).outputs[0]
      ?.shape,
    [1, 9, 11, 7],
  );
  assertEquals(
    asked(padOp, "pad", { shape: [2, 32, 64], padding: "[[0,32],[0,64]] value 3" }).outputs[0]?.shape,
    [2, 64, 128],
  );
  assertEquals(asked(concatOp, "concat", { shapes: [[256, 100], [256, 200]] }).outputs[0]?.shape, [256, 300]);
  assertEquals(asked(sliceOp, "slice", { desc: "1024x32 to 1024x8" }).outputs[0]?.shape, [1024, 8]);
  assertEquals(
    asked(memoryOp, "s2i", { shape: "[1,1,32,9216]", memory: "L1 width sharded", cores: 29 }).outputs[0]
      ?.place,
    { bufferType: "dram", memoryLayout: "interleaved" },
  );
});

Deno.test("heads and collectives: three results, and the part of every chip", () => {
  assertEquals(
    asked(createHeadsOp, "create_heads_prefill", { desc: "1024x8192 to 16 q + 8 k + 8 v heads of 256" })
      .outputs
      .map(({ shape }) => shape),
    [[1, 16, 1024, 256], [1, 8, 1024, 256], [1, 8, 1024, 256]],
  );
  const scatter = asked(collectiveOp, "ccl", {
    op: "reduce_scatter",
    per_chip_input: [1, 1, 256, 2048],
    dim: 3,
    chips: 8,
    links: 2,
    topology: "Ring",
  }, "machine: 8x p150b ring");
  assertEquals(scatter.outputs[0]?.shape, [1, 1, 256, 256]);
  assertEquals(scatter.mesh, [{ chips: 8, links: 2, topology: "ring" }]);
});

Deno.test("a row is predicted as a plan prices the op, without its launch; a wall time has the gap too", () => {
  const params = { op: "add", shape: [1024, 1024], memory: "DRAM interleaved" };
  const question = asked(eltwiseOp, "binary_add", params);
  const device = getMeasuredDevice("p150");
  const { microseconds, terms } = askQuestion(question, device);
  const wall = { value: 200, unit: "us", quantity: "wall per call" };
  const { models } = readMeasurements("f.json", [
    row("binary_add", params),
    { ...row("binary_add", params), measured: wall },
  ]);
  const predicted = models.map((model) => predictRow(model, getMeasuredDevice));
  assertAlmostEquals(predicted[0] ?? 0, microseconds - terms.launch, 1e-9);
  assertAlmostEquals(
    (predicted[1] ?? 0) - (predicted[0] ?? 0),
    getDevice("p150").dispatch.tracedGap,
    1e-9,
  );
});

Deno.test("both schemas are recognised, joined, and refused with the row", () => {
  assert(isMeasuredOps([row("pad", {})]) && !isMeasuredOps([{ op: "x" }]) && !isMeasuredOps({}));
  assertThrows(
    () => parseMeasuredOps("f.json", [row("pad", {}), { id: "x", group: 3, chip: "n150", params: {} }]),
    DiagnosticError,
    'row 1: "group"',
  );
  const part = readMeasurements("f.json", [
    row("fold", {}),
    row("binary_add", { op: "add", shape: [32, 32] }),
  ]);
  const both = joinRows([part, part]);
  assertEquals([both.models.length, both.exclusions.length, both.total], [2, 2, 4]);
});

Deno.test("a row without a value is left out by name, and a parameter without one is not stated", () => {
  const unmeasured = { ...row("pad", {}), id: "pad-7", measured: { value: null, unit: "us", quantity: "" } };
  const product = { M: 32, K: 64, N: 64, dtype: "bf16", kernel: "DRAM-sharded" };
  const { exclusions, total } = readMeasurements("f.json", [
    unmeasured,
    row("matmul", { ...product, in0_block_w: null }),
    row("matmul", product),
  ]);
  assertEquals(total, 3);
  assertEquals(exclusions.map(({ reason }) => reason).toSorted(), [
    "the block of K is not in the row",
    "the block of K is not in the row",
    "the value of pad-7 is not in the row",
  ]);
});

Deno.test("a norm lies in the shards and a reshape in the rows that their rows state", () => {
  const norm = { shape: [1, 1, 32, 4096], memory: "L1", dtype: "bf16" };
  const placements = readMeasurements("f.json", [
    row("norm", { ...norm, shard: "width", grid: "8x4" }),
    row("reshape", { in_shape: [1, 32, 64], out_shape: [1, 64, 32], row_major: true, dtype: "bf16" }),
    row("reshape", { in_shape: [1, 32, 64], out_shape: [1, 64, 32], dtype: "bf16" }),
  ]).models;
  assertEquals(placements[0]?.placement, "l1_sharded");
  const [rows, tiles] = placements.slice(1).map(({ device, predict }) => predict(getMeasuredDevice(device)));
  assert(rows !== undefined && tiles !== undefined && rows < tiles);
});

corpusTest("every row of the second collection is predicted or has a reason, in finite time", () => {
  const rows = readMeasurements("measured-ops-2.json", sharedData("measured-ops-2.json"));
  assertEquals(rows.models.length + rows.exclusions.length, rows.total);
  const unheard = rows.exclusions.filter(({ reason }) => reason === "the group is not modelled");
  assertEquals(unheard, []);
  const { points, audit } = auditCostModel(rows, getMeasuredDevice);
  for (const point of points) {
    assert(Number.isFinite(point.predicted) && point.predicted > 0, point.configuration);
  }
  assert(rows.models.length > 850, `${rows.models.length} rows are predicted`);
  const covered = (name: string) => audit.groups.find((group) => group.group === name)?.coverage ?? 0;
  for (const name of ["matmul_decode", "sdpa_prefill", "sdpa_decode", "untilize", "repeat", "pad"]) {
    assert(covered(name) > 0.9, `${name}: ${covered(name)}`);
  }
});

corpusTest("no two rows of one question are predicted apart", () => {
  const { models } = readMeasurements("measured-ops-2.json", sharedData("measured-ops-2.json"));
  const seen = new Map<string, RowModel>();
  for (const model of models) {
    const other = seen.get(model.configuration);
    if (other === undefined) seen.set(model.configuration, model);
    else assertEquals(predictRow(model, getMeasuredDevice), predictRow(other, getMeasuredDevice));
  }
});
