// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { DiagnosticError } from "../../../lib/diagnostics/diagnostic.ts";
import { corpusTest, sharedText } from "../../../testing/corpus.ts";
import { getDevice } from "../../devices/device_registry.ts";
import { getMeasuredDevice } from "../../microbenchmarks/measured_device.ts";
import type { DeviceOp } from "../device_op.ts";
import { chipNamed } from "../measured_ops/measured_chip.ts";
import { kernelMicroseconds } from "../op_question.ts";
import { deviceQuestion } from "../questions/device_question.ts";
import { placedTensor } from "../questions/placed_op.ts";
import { parseProfile } from "../readers/profile_lines.ts";
import { auditLayers, layerRows, withTrueShapes } from "./audit_layers.ts";
import { layerSection } from "./layer_report.ts";

const TILES = { layout: "TILE", dtype: "bf16", memory: "dram interleaved" };

/** A line of a profile on a Wormhole chip. */
function line(op: string, params: Record<string, unknown>, us = 10, gap: number | null = null): string {
  return JSON.stringify({
    group: op,
    device: "wormhole_b0, 64 worker cores, 1 chip",
    params: { op, cores: 64, ...params },
    measured: { value: us, unit: "us", quantity: "device kernel duration" },
    gap_us: gap,
  });
}

function only(text: string): DeviceOp {
  const [op, ...rest] = parseProfile("p.jsonl", text);
  assert(op !== undefined && rest.length === 0);
  return op;
}

const WORMHOLE = chipNamed("wormhole_b0");
assert(WORMHOLE !== undefined);
const CHIP = WORMHOLE;

Deno.test("parseProfile() reads tensors, shards and nested attributes, and names the invalid line", () => {
  const op = only(line("LayerNormDeviceOperation", {
    inputs: [{
      ...TILES,
      shape: [1, 1, 32, 512],
      memory: "l1 width_sharded",
      shard: { shard_shape: [32, 128] },
    }],
    output: { ...TILES, shape: [1, 1, 32, 512] },
    attributes: { norm: "RMSNORM", compute: { fp32_acc: "1" } },
  }));
  assertEquals(op.inputs[0]?.shardShape, [32, 128]);
  assertEquals(op.attributes, "norm=RMSNORM fp32_acc=1");
  assertEquals(op.gapUs, undefined);
  assertThrows(
    () => parseProfile("p.jsonl", `${line("X", {})}\n{`),
    DiagnosticError,
    "line 2: this is not JSON",
  );
  assertThrows(() => parseProfile("p.jsonl", "{}"), DiagnosticError, "line 1");
});

Deno.test("placedTensor() takes the printed shards, else the cores of the op", () => {
  const tensor = { shape: [1, 1, 64, 512], tiled: true, dtype: "bfp8", memory: "l1 width_sharded" };
  const printed = placedTensor({ ...tensor, shardShape: [64, 128] }, 64, CHIP);
  assertEquals([printed.dataType, printed.place.grid], ["bfp_bf8", [1, 4]]);
  assertEquals(placedTensor({ ...tensor, shardShape: undefined }, 16, CHIP).place.grid, [1, 16]);
  const block = { ...tensor, memory: "L1 BLOCK sharded", shardShape: undefined };
  assertEquals(placedTensor(block, 32, CHIP).place.grid, [4, 8]);
});

Deno.test("deviceQuestion() is the dialect's op with its own config", () => {
  const product = deviceQuestion(
    only(line("MatmulDeviceOperation", {
      inputs: [{ ...TILES, shape: [1, 1, 32, 4096] }, { ...TILES, shape: [1, 1, 4096, 6144], dtype: "bfp8" }],
      output: { ...TILES, shape: [1, 1, 32, 6144] },
      attributes: {
        program: "1D mcast_in0",
        grid: "8x8",
        in0_block_w: "2",
        per_core_N: "3",
        out_subblock: "1x3",
      },
      fidelity: "HiFi2",
    })),
    CHIP,
  );
  assert(product?.config?.kind === "matmul");
  assertEquals(product.config.computeConfig?.mathFidelity, "hifi2");
  const program = product.config.programConfig;
  assert(program?.kind === "matmul_multi_core_reuse_multi_cast_1d");
  assertEquals([program.mcastIn0, program.perCoreN, program.outSubblockW], [true, 3, 3]);

  const scaled = deviceQuestion(
    only(line("BinaryNgDeviceOperation", {
      inputs: [{ ...TILES, shape: [32, 64] }],
      output: { ...TILES, shape: [32, 64] },
      attributes: { op: "MUL", scalar: "3.87" },
    })),
    CHIP,
  );
  assertEquals([scaled?.name, scaled?.inputs.length], ["ttnn.multiply", 1]);
  assertEquals(
    deviceQuestion(only(line("FillPadDeviceOperation", { inputs: [], attributes: null })), CHIP),
    undefined,
  );
});

Deno.test("ops whose kernel has been replaced are not predicted, and say so", () => {
  const tensor = { shape: [1, 1, 64, 160], layout: "TILE", dtype: "bf16", memory: "dram interleaved" };
  const params = { inputs: [tensor, tensor], output: tensor, attributes: { op: "ADD" }, cores: 4 };
  const readings = (name: string) =>
    layerRows([{ name: "a", ops: parseProfile("p.jsonl", line(name, params)) }])
      .map((row) => row.status === "excluded" ? row.reason : "compared");
  assertEquals(readings("BinaryNgDeviceOperation"), ["compared"]);
  assertEquals(readings("BinaryDeviceOperation"), ["kernel of an earlier revision, not compared"]);
  assertEquals(readings("LayerNorm"), readings("BinaryDeviceOperation"));
});

Deno.test("auditLayers() adds the wait of cores for their launch records to back-to-back programs", () => {
  const tensor = { ...TILES, shape: [1, 1, 1024, 1024] };
  const add = { inputs: [tensor, tensor], output: tensor, attributes: { op: "ADD" } };
  const predicted = (gap: number) => {
    const ops = parseProfile("p.jsonl", line("BinaryNgDeviceOperation", add, 40, gap));
    return auditLayers([{ name: "a", ops }], getMeasuredDevice).layers[0]?.ops[0]?.predictedUs ?? NaN;
  };
  const { recordWritten } = getMeasuredDevice(CHIP.device).profiler;
  assertAlmostEquals(predicted(recordWritten - 0.2) - predicted(300), 0.2, 1e-9);
});

Deno.test("auditLayers() prices each op as a plan does; unpriced ops count as measured and are listed", () => {
  const tensor = { ...TILES, shape: [1, 1, 1024, 1024] };
  const add = { inputs: [tensor, tensor], output: tensor, attributes: { op: "ADD" } };
  const text = [
    line("BinaryNgDeviceOperation", add, 40),
    line("FillPadDeviceOperation", { inputs: [tensor], output: tensor }, 10, 0.7),
    line("BinaryNgDeviceOperation", add, 40, 300),
  ].join("\n");
  const ops = parseProfile("p.jsonl", text);
  const { layers, unknown } = auditLayers([
    { name: "a", ops },
    { name: "b", ops: ops.map((op) => ({ ...op, chip: "a chip of nobody" })) },
  ], getMeasuredDevice);
  assertEquals(unknown, ["b"]);
  const [layer] = layers;
  assert(layer !== undefined);
  const question = deviceQuestion(ops[0] ?? only(""), CHIP);
  assert(question !== undefined);
  const device = getDevice(CHIP.device);
  const us = kernelMicroseconds([question], device);
  assertEquals(layer.ops.map(({ predictedUs }) => predictedUs), [us, null, us]);
  assertAlmostEquals(layer.predictedUs, 2 * us + 10, 1e-9);
  assertAlmostEquals(layer.coveredShare, 80 / 90);
  // The long gap is the host's.
  assertEquals([layer.gaps, layer.measuredGapUs], [1, 0.7]);
  assertAlmostEquals(layer.predictedGapUs, device.dispatch.tracedGap, 1e-9);
  assertEquals(layer.classes.map(({ name, ops, mape }) => [name, ops, mape === null]), [
    ["BinaryNg", 2, false],
    ["FillPad", 1, true],
  ]);
  assert(
    layerSection({ schema: "tilewright.layer-audit/1", layers, unknown }).some((row) =>
      row.startsWith("| a |")
    ),
  );
});

corpusTest("nearly all of the time of every published profile is told, and priced in finite time", () => {
  const index: unknown = JSON.parse(sharedText("data", "layers", "INDEX.json"));
  assert(Array.isArray(index));
  const names = index.map(({ name }: { name: string }) => name);
  const profiles = [...names, "rt-detr-n300-chip-part"].map((name) => ({
    name,
    ops: parseProfile(name, sharedText("data", "layers", `${name}.jsonl`)),
  }));
  const { layers } = auditLayers(profiles, getMeasuredDevice);
  assertEquals(layers.length, profiles.length);
  for (const { name, coveredShare, ops } of layers) {
    // SegFormer's is of 2025: its elementwise ops ran kernels that have been replaced.
    assert(coveredShare > (name === "segformer-encoder-wh-2025" ? 0.93 : 0.95), `${name}: ${coveredShare}`);
    for (const { op, predictedUs } of ops) {
      assert(predictedUs === null || (predictedUs > 0 && Number.isFinite(predictedUs)), `${name}: ${op}`);
    }
  }
});

Deno.test("withTrueShapes() takes neighbours' shapes for elementwise ops that print an earlier shape", () => {
  const tensor = (rows: number) => ({ ...TILES, shape: [1, 1, rows, 64] });
  const text = [
    line("MatmulDeviceOperation", { inputs: [tensor(64)], output: tensor(64) }),
    line("BinaryDeviceOperation", { inputs: [tensor(512), tensor(512), tensor(1)], output: tensor(512) }),
    line("SoftmaxDeviceOperation", { inputs: [tensor(512)], output: tensor(512) }),
    line("CopyDeviceOperation", { inputs: [tensor(64)], output: tensor(64) }),
    line("UnaryDeviceOperation", { inputs: [tensor(512)], output: tensor(512) }),
    line("CopyDeviceOperation", { inputs: [tensor(32)], output: tensor(32) }),
  ].join("\n");
  const rows = withTrueShapes(parseProfile("p.jsonl", text)).map(({ inputs }) =>
    inputs.map(({ shape }) => shape[2])
  );
  assertEquals(rows, [[64], [64, 64, 1], [64], [64], [512], [32]]);
});

Deno.test("blocks whose shards a profile does not print lie on the tallest grid of whole tiles", () => {
  const gridOf = (rows: number, columns: number, cores: number) =>
    placedTensor(
      {
        shape: [rows, columns],
        tiled: true,
        dtype: "bf16",
        memory: "l1 block_sharded",
        shardShape: undefined,
      },
      cores,
      CHIP,
    ).place.grid;
  assertEquals(gridOf(4096, 256, 16), [8, 2]);
  assertEquals(gridOf(1024, 640, 40), [8, 5]);
  // No grid cuts 13 rows of tiles evenly over several rows of 56 cores: the widest one.
  assertEquals(gridOf(400, 512, 56), [7, 8]);
});
