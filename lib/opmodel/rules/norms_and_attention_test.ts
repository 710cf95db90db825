// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { TEST_WORMHOLE, testChipWithGrid } from "../../../testing/chips.ts";
import {
  integerAttribute,
  integersAttribute,
  layoutOf,
  type LayoutText,
  signatureOf,
  tensorOf,
} from "../../../testing/op_queries.ts";
import type { ChipDescription } from "../../device/chip_description.ts";
import type { Attribute } from "../../ir/attribute.ts";
import type { DataType } from "../../layout/data_type.ts";
import type { OpSpecificAttributes } from "../../op_config/op_config.ts";
import { LayoutTable } from "../../layout/layout_table.ts";
import type { OpConstraints } from "../op_model.ts";
import { createOpModel } from "../create_op_model.ts";

/** Shape, memory and format of an operand or a hint. */
type Placed = readonly [shape: readonly number[], memory: LayoutText, dataType?: DataType | undefined];

interface Question {
  readonly op: string;
  readonly inputs: readonly Placed[];
  readonly result: readonly [
    shape: readonly number[],
    memory?: LayoutText | undefined,
    dataType?: DataType | undefined,
  ];
  readonly attributes?: Readonly<Record<string, Attribute>>;
  readonly config?: OpSpecificAttributes;
}

const TEST_BLACKHOLE = { ...testChipWithGrid(10, 13), architecture: "blackhole" } as const;
const booleanAttribute = (value: boolean): Attribute => ({ kind: "bool", value });
const modelOn = (chip: ChipDescription = TEST_WORMHOLE) =>
  createOpModel({ chip, layouts: new LayoutTable() });

function ask(
  { op, inputs, result: [shape, memory, dataType], attributes, config }: Question,
  model = modelOn(),
): OpConstraints {
  const types = inputs.map(([extents, , format = "bf16"]) => tensorOf(extents, format));
  const result = tensorOf(shape, dataType ?? "bf16");
  return model.queryOpConstraints(
    signatureOf(`ttnn.${op}`, types, [result], attributes ?? {}),
    types.map((type, index) => layoutOf(model, type, inputs[index]?.[1] ?? "dram")),
    memory === undefined ? undefined : layoutOf(model, result, memory),
    config,
    Number.NEGATIVE_INFINITY,
  );
}

const ruleOf = (answer: OpConstraints) => answer.status === "valid" ? "valid" : answer.rule;
const along = (...dims: readonly number[]) => ({
  dim_arg: integersAttribute(dims),
  keep_dim: booleanAttribute(true),
});
const X: readonly number[] = [256, 512];
const HEADS: readonly number[] = [1, 8, 128, 64];

Deno.test("norms: a sharded input prescribes the result's sharding, an interleaved one does not", () => {
  const norm = (from: LayoutText, to?: LayoutText) =>
    ruleOf(ask({ op: "layer_norm", inputs: [[X, from]], result: [X, to] }));
  assertEquals(norm("dram", "bs 4x4"), "valid");
  assertEquals(norm("dram", "hs 8x1"), "valid");
  assertEquals(norm("bs 4x4"), "valid");
  assertEquals(norm("bs 4x4", "dram"), "norm/other-sharding");
  assertEquals(norm("bs 4x4", "ws 1x16"), "norm/other-sharding");
  assertEquals(norm("hs 8x1", "hs 8x1"), "norm/height-sharded");
});

Deno.test("halves of norms over chips read no shards without a config, and write statistics interleaved", () => {
  const half = (op: string, from: LayoutText, columns: number, to?: LayoutText) =>
    ruleOf(
      ask({
        op,
        inputs: [[X, from], ...op.includes("post") ? [[X, "dram"] as const] : []],
        result: [[256, columns], to],
      }),
    );
  for (const kind of ["rms_norm", "layer_norm"]) {
    for (const shards of ["hs 8x1", "ws 1x8", "bs 4x4"]) {
      assertEquals(half(`${kind}_pre_all_gather`, shards, 32, "dram"), "norm/half-shards");
      assertEquals(half(`${kind}_post_all_gather`, shards, 512, "dram"), "norm/half-shards");
      assertEquals(half(`${kind}_post_all_gather`, "dram", 512, shards), "valid");
    }
    assertEquals(half(`${kind}_pre_all_gather`, "l1", 32, "hs 8x1"), "norm/statistics");
  }
});

Deno.test("layer norm holds whole rows if they fit beside live tensors in L1", () => {
  const model = modelOn();
  const x = tensorOf([256, 1920]);
  const row = tensorOf([1920]);
  const norm = signatureOf("ttnn.layer_norm", [x, row, row], [x]);
  const layouts = [x, row, row].map((type) => layoutOf(model, type, "dram"));
  const { l1Size, l1UnreservedBase, l1SmallSize } = TEST_WORMHOLE;
  const buffers = (live: number) => {
    const bytes = l1Size - l1UnreservedBase - l1SmallSize - live;
    const room = { beforeResults: bytes, besideResults: bytes, freeBytes: bytes };
    const answer = model.constraintsInRoom?.(norm, layouts, layouts[0], undefined, room);
    return answer?.status === "valid" ? answer.cbPeakBytes : undefined;
  };
  // The backend took the kernel for long rows between these bytes of live tensors per core.
  const whole = buffers(0);
  assert(whole !== undefined);
  assertEquals(buffers(299_008), whole);
  assert((buffers(311_296) ?? whole) < whole);
});

Deno.test("softmax that is asked to accumulate in f32 holds exponentials in f32; other dimensions of f32 need it", () => {
  const softmax = (width: number, dimension: number, dataType: DataType, fp32DestAccEn?: boolean) =>
    ask({
      op: "softmax",
      inputs: [[[4, 64, width], "dram", dataType]],
      result: [[4, 64, width], "dram", dataType],
      attributes: { dimension: integerAttribute(dimension), numericStable: booleanAttribute(true) },
      ...(fp32DestAccEn === undefined ? {} : { config: { kind: "norm", computeConfig: { fp32DestAccEn } } }),
    });
  const bytes = (answer: OpConstraints) => answer.status === "valid" ? answer.cbPeakBytes : answer.rule;
  // As ttnn 0.81.1 runs them on n150.
  assertEquals(bytes(softmax(10, -1, "bf16", true)), 32_768);
  assertEquals(bytes(softmax(512, 2, "bf16", true)), 131_072);
  assertEquals(bytes(softmax(512, 2, "bfp_bf8", true)), 108_032);
  assertEquals(bytes(softmax(10, -1, "bf16")), 26_624);
  assertEquals(ruleOf(softmax(64, 1, "f32", true)), "valid");
  assertEquals(ruleOf(softmax(64, 1, "f32", false)), "softmax/accumulation");
  assertEquals(ruleOf(softmax(64, 2, "f32", false)), "valid");
});

Deno.test("softmax does not cut rows that do not fill their tiles", () => {
  const softmax = (width: number) =>
    ruleOf(ask({
      op: "softmax",
      inputs: [[[32, width], "dram"]],
      result: [[32, width], "ws 1x4"],
      attributes: { dimension: integerAttribute(-1) },
    }));
  assertEquals(softmax(1024), "valid");
  assertEquals(softmax(1000), "softmax/shard-width");
});

Deno.test("reductions fill no padding of several matrices in shards, and put shards where the operand has cores", () => {
  const reduce = (shape: readonly number[], memory: LayoutText, dim: number, dataType?: DataType) =>
    ask({
      op: "mean",
      inputs: [[shape, memory, dataType]],
      result: [shape.with(dim, 1), undefined, dataType],
      attributes: along(dim),
    });
  assertEquals(ruleOf(reduce([1, 7, 7, 2048], "bs 7x2", 3)), "reduction/padded-shards");
  assertEquals(ruleOf(reduce([1, 7, 7, 2048], "l1", 3)), "valid");
  assertEquals(ruleOf(reduce([64, 64], "dram", 1, "si32")), "reduction/format");
  const model = modelOn();
  const sum = ask({
    op: "sum",
    inputs: [[[256, 10], "hs 8x1"]],
    result: [[1, 10]],
    attributes: along(0),
  }, model);
  const [made] = sum.status === "valid" ? sum.outputLayouts : [];
  const { memoryLayout, gridShape } = model.layouts.get(made ?? layoutOf(model, tensorOf(X), "dram"));
  assertEquals([memoryLayout, gridShape], ["width_sharded", [1, 8]]);
});

Deno.test("a reduction in front of the tile allocates and frees as the backend did", () => {
  const shape = [4, 64, 128];
  const mean = ask({
    op: "mean",
    inputs: [[shape, "l1"]],
    result: [[1, 64, 128], "l1"],
    attributes: along(0),
  });
  assert(mean.status === "valid");
  assertEquals(mean.events.map(({ kind }) => kind), [
    "allocate",
    "run",
    "allocate",
    "run",
    "free",
    "allocate",
    "run",
    "free",
  ]);
  // Both are 64 matrices of 4, then 1, rows: 256 tiles over 64 cores.
  assertEquals(mean.tensorL1PeakBytes, 2 * 4 * 2048);
});

Deno.test("argmax searches tiles of floats, and the last dimension of rows of anything", () => {
  const argmax = (memory: LayoutText, dim: number, dataType: DataType) =>
    ruleOf(ask({
      op: "argmax",
      inputs: [[[64, 96], memory, dataType]],
      result: [dim === 1 ? [64, 1] : [1, 96], undefined, "u32"],
      attributes: { dim: integerAttribute(dim), keep_dim: booleanAttribute(true) },
    }));
  assertEquals(argmax("dram", 1, "bf16"), "valid");
  assertEquals(argmax("dram", 1, "si32"), "argmax/tiles");
  assertEquals(argmax("dram-rm", 1, "si32"), "valid");
  assertEquals(argmax("dram-rm", 0, "bf16"), "valid");
  assertEquals(argmax("dram-rm", 0, "si32"), "argmax/row-major-dimension");
});

Deno.test("a product reduction keeps shards by default, on its program's cores, and has none along a tile dimension", () => {
  // Shards that are kept are larger than the result, which no text says.
  const model = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable(), checksWrittenText: false });
  const prod = (shape: readonly number[], from: LayoutText, dim: number, to?: LayoutText) =>
    ruleOf(ask({
      op: "prod",
      inputs: [[shape, from]],
      result: [shape.map((extent, axis) => axis === dim ? 1 : extent), to],
      attributes: { dim_arg: integerAttribute(dim), keep_dim: booleanAttribute(true) },
    }, model));
  // Eight tiles lie on the eight cores of the first column.
  assertEquals(prod([2, 64, 128], "hs 1x1", 0), "valid");
  assertEquals(prod([2, 64, 128], "hs 4x1", 0), "prod/cores");
  assertEquals(prod([2, 64, 128], "hs 4x1", 0, "dram"), "valid");
  assertEquals(prod([64, 128], "bs 2x4", 1), "prod/sharded-output");
  assertEquals(prod([64, 128], "bs 2x4", 1, "dram"), "valid");
});

Deno.test("a product reduction takes floats of 8 bits and more", () => {
  const prod = (format: DataType) =>
    ruleOf(ask({
      op: "prod",
      inputs: [[[2, 64, 64], "dram", format]],
      result: [[1, 64, 64], "dram", format],
      attributes: { dim_arg: integerAttribute(0), keep_dim: booleanAttribute(true) },
    }));
  assertEquals((["bf16", "f32", "bfp_bf8"] as const).map(prod), ["valid", "valid", "valid"]);
  assertEquals((["bfp_bf4", "si32", "u32", "u16"] as const).map(prod), Array(4).fill("reduction/format"));
});

Deno.test("running sums have shards only on their program's cores", () => {
  const cumsum = (from: LayoutText, to: LayoutText) =>
    ruleOf(ask({
      op: "cumsum",
      inputs: [[[1, 1, 64, 256], from]],
      result: [[1, 1, 64, 256], to],
      attributes: { dim: integerAttribute(-2) },
    }));
  // Eight columns of tiles on the first column of cores.
  assertEquals(cumsum("dram", "bs 2x1"), "valid");
  assertEquals(cumsum("dram", "ws 1x8"), "cumulative/cores");
  assertEquals(cumsum("ws 1x8", "dram"), "cumulative/sharded");
});

Deno.test("attention wants its mask in DRAM and scales it first", () => {
  const sdpa = (mask: LayoutText, causal = false) =>
    ask({
      op: "scaled_dot_product_attention",
      inputs: [[HEADS, "dram"], [HEADS, "dram"], [HEADS, "dram"], [[1, 1, 128, 128], mask]],
      result: [HEADS],
      attributes: { is_causal: booleanAttribute(causal) },
    });
  assertEquals(ruleOf(sdpa("l1")), "sdpa/mask-memory");
  assertEquals(ruleOf(sdpa("dram", true)), "sdpa/causal-mask");
  const scaled = sdpa("dram");
  assert(scaled.status === "valid");
  assertEquals(scaled.programs.map(({ kind }) => kind), ["stream", "attention"]);
});

// What ttnn 0.81.1 answers on a mock n150: bytes of circular buffers, and its refusals.
Deno.test("chunks of a prompt read a page table in rows, and a start of their own", () => {
  const chunked = (
    [entries, rows = 1]: readonly number[],
    { start = false, table = "dram-rm", format = "si32", shape = [1, 12, 64, 64], cache = [128, 12, 32, 64] }:
      {
        readonly start?: boolean;
        readonly table?: LayoutText;
        readonly format?: DataType;
        readonly shape?: readonly number[];
        readonly cache?: readonly number[];
      } = {},
  ) =>
    ask({
      op: "chunked_scaled_dot_product_attention",
      inputs: [
        [shape, "dram"],
        [cache, "dram"],
        [cache, "dram"],
        [[rows, entries ?? 1], table, format],
        ...start ? [[[1], "dram-rm", "si32"] as const] : [],
      ],
      result: [shape],
    });
  const bytes = (answer: OpConstraints) => answer.status === "valid" ? answer.cbPeakBytes : answer.rule;
  const prompt = { shape: [1, 32, 2048, 128], cache: [128, 8, 64, 128] };
  assertEquals(bytes(chunked([8])), 63_520);
  assertEquals(bytes(chunked([16])), 63_552);
  assertEquals(bytes(chunked([8], { start: true })), 63_584);
  assertEquals(bytes(chunked([64], prompt)), 104_704);
  assertEquals(bytes(chunked([64], { ...prompt, start: true })), 104_768);
  assertEquals(bytes(chunked([8], { table: "dram" })), "sdpa/pages");
  assertEquals(bytes(chunked([8], { format: "u32" })), "sdpa/pages");
  assertEquals(bytes(chunked([8, 2])), "sdpa/page-rows");
  assertEquals(bytes(chunked([4])), 63_520);
  assertEquals(bytes(chunked([4], { start: true })), "sdpa/page-table");
  const answer = chunked([64], prompt);
  assert(answer.status === "valid");
  const [program] = answer.programs;
  assert(program?.kind === "attention");
  // Queries of the last 2,048 of 4,096 positions see 97 of 128 chunks of keys on average, in pairs.
  assertEquals([program.steps, program.maskBytes], [193, 0]);
});

Deno.test("decode attention: positions, caches in DRAM, no more cores per head than a tree adds up", () => {
  const decode = (cache: LayoutText, users = 1, causal = false, model = modelOn(), keys = 512) => {
    const [q, kv] = [[1, users, 8, 64], [users, 1, keys, 64]] as const;
    return ruleOf(ask({
      op: "scaled_dot_product_attention_decode",
      inputs: [[q, "dram"], [kv, cache], [kv, cache]],
      result: [q],
      attributes: { is_causal: booleanAttribute(causal) },
    }, model));
  };
  assertEquals(decode("dram"), "valid");
  assertEquals(decode("l1"), "sdpa/memory");
  assertEquals(decode("dram", 1, true), "sdpa/positions");
  assertEquals(decode("dram", 65), "sdpa/users");
  // Chunks of keys are powers of two that divide them, and whole tiles.
  assertEquals([1, 48, 100].map((keys) => decode("dram", 1, false, modelOn(), keys)), [
    "sdpa/key-chunk",
    "sdpa/key-chunk",
    "sdpa/key-chunk",
  ]);
  assertEquals(decode("dram", 1, false, modelOn(), 96), "valid");
  assertEquals(decode("dram", 1, false, modelOn(TEST_BLACKHOLE)), "sdpa/sharers");
  assertEquals(decode("dram", 4, false, modelOn(TEST_BLACKHOLE)), "valid");
});

// Columns and rows that ttnn 0.81.1 takes on an n150 of 8 x 8 workers; 7 x 9 are fewer cores than there are.
Deno.test("decode attention runs on a grid that the chip has", () => {
  const onGrid = (columns: number, rows: number) => {
    const [q, kv] = [[1, 8, 8, 64], [8, 1, 512, 64]] as const;
    return ruleOf(ask({
      op: "scaled_dot_product_attention_decode",
      inputs: [[q, "dram"], [kv, "dram"], [kv, "dram"]],
      result: [q],
      attributes: { is_causal: booleanAttribute(false) },
      config: {
        kind: "sdpa",
        programConfig: { computeWithStorageGridSize: [columns, rows], qChunkSize: 32, kChunkSize: 32 },
      },
    }));
  };
  for (const [columns, rows] of [[8, 8], [8, 4]] as const) assertEquals(onGrid(columns, rows), "valid");
  for (const [columns, rows] of [[11, 10], [9, 7], [7, 9], [16, 4]] as const) {
    assertEquals(onGrid(columns, rows), "sdpa/grid");
  }
});
