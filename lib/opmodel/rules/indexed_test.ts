// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import {
  integerAttribute,
  layoutOf,
  type LayoutText,
  signatureOf,
  tensorOf,
} from "../../../testing/op_queries.ts";
import { chipDescription } from "../../../sim/devices/device.ts";
import { getDevice } from "../../../sim/devices/device_registry.ts";
import type { DataType } from "../../layout/data_type.ts";
import { LayoutTable } from "../../layout/layout_table.ts";
import { createOpModel } from "../create_op_model.ts";

type Text = readonly [shape: readonly number[], layout: LayoutText, dataType?: DataType];

// Answers of ttnn 0.81.1 on n150: circular buffers and peak of tensors, bytes per core.
const RUNS: readonly [
  op: string,
  attributes: Readonly<Record<string, number>>,
  operands: readonly Text[],
  results: readonly Text[],
  bytes: readonly [cb: number, tensorPeak: number],
][] = [
  ["sort", { dim: -1 }, [[[64, 1024], "l1"]], [[[64, 1024], "l1"], [[64, 1024], "", "u16"]], [156_672, 4096]],
  ["sort", { dim: -1 }, [[[32, 96], "dram"]], [[[32, 96], "dram"], [[32, 96], "", "u16"]], [44_032, 0]],
  ["sort", { dim: -1 }, [[[32, 8192], "l1"]], [[[32, 8192], "l1"], [[32, 8192], "", "u16"]], [
    55_296,
    16_384,
  ]],
  ["sort", { dim: 0 }, [[[64, 128], "l1"]], [[[64, 128], "l1"], [[64, 128], "", "u16"]], [33_792, 8192]],
  ["sort", { dim: 1 }, [[[32, 1], "l1"]], [[[32, 1], "l1"], [[32, 1], "", "u16"]], [4096, 4096]],
  ["sort", { dim: 0 }, [[[32, 128], "dram"]], [[[32, 128], "l1"], [[32, 128], "", "u16"]], [35_840, 6144]],
  ["sort", { dim: 0 }, [[[8, 64], "l1"]], [[[8, 64], "l1"], [[8, 64], "", "u16"]], [35_840, 8192]],
  ["sort", { dim: -1 }, [[[32, 60_000], "dram"]], [[[32, 60_000], "dram"], [[32, 60_000], "", "u32"]], [
    253_952,
    0,
  ]],
  ["sort", { dim: -1 }, [[[32, 300_000], "dram"]], [[[32, 300_000], "dram"], [[32, 300_000], "", "u32"]], [
    51_200,
    0,
  ]],
  ["sort", { dim: 1 }, [[[1, 64, 512], "bs 2x2"]], [[[1, 64, 512], "hs 2x1"], [[1, 64, 512], "", "u16"]], [
    33_792,
    98_304,
  ]],
  ["topk", { dim: -1, k: 32 }, [[[32, 256], "dram"]], [[[32, 32], "dram"], [[32, 32], "", "u16"]], [
    36_864,
    0,
  ]],
  ["topk", { dim: -1, k: 50 }, [[[1, 1, 64, 1024], "l1"]], [
    [[1, 1, 64, 50], "l1"],
    [[1, 1, 64, 50], "", "u16"],
  ], [
    176_128,
    4096,
  ]],
  ["topk", { dim: -1, k: 32 }, [[[32, 8192], "dram"]], [[[32, 32], "dram"], [[32, 32], "", "u16"]], [
    225_280,
    0,
  ]],
  ["gather", { dim: -1 }, [[[64, 1024], "l1"], [[64, 96], "l1", "u32"]], [[[64, 96], "l1"]], [77_824, 2048]],
  ["gather", { dim: 0 }, [[[64, 128], "l1"], [[32, 128], "l1", "u32"]], [[[32, 128], "l1"]], [
    32_768,
    10_240,
  ]],
  ["gather", { dim: 1 }, [[[32, 40_000], "dram"], [[32, 64], "dram", "u32"]], [[[32, 64], "dram"]], [
    1_286_144,
    0,
  ]],
  ["gather", { dim: 1 }, [[[32, 10_240], "dram"], [[32, 10_240], "dram", "u32"]], [[[32, 10_240], "dram"]], [
    1_314_816,
    0,
  ]],
  ["gather", { dim: 1 }, [[[32, 10_880], "dram"], [[32, 10_880], "dram", "u32"]], [[[32, 10_880], "dram"]], [
    702_464,
    0,
  ]],
  ["gather", { dim: 1 }, [[[32, 1952], "dram", "f32"], [[32, 64], "dram", "u32"]], [
    [[32, 64], "dram", "f32"],
  ], [16_384, 0]],
  ["gather", { dim: 1 }, [[[40, 100], "dram"], [[40, 50], "dram", "u32"]], [[[40, 50], "dram"]], [45_072, 0]],
  ["rand", {}, [], [[[64, 1024], "l1"]], [4096, 2048]],
  ["rand", {}, [], [[[64, 1024], "l1-rm"]], [8192, 4096]],
];

for (const [op, numbers, operands, results, bytes] of RUNS) {
  const attributes = Object.fromEntries(
    Object.entries(numbers).map(([name, value]) => [name, integerAttribute(value)]),
  );
  const text = `${op}(${operands.map(([shape, layout]) => `${shape.join("x")} ${layout}`).join(", ")})`;
  Deno.test(`${text} to ${results[0]?.[1]} takes what the backend reports`, () => {
    const model = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
    const typeOf = ([shape, , dataType = "bf16"]: Text) => tensorOf(shape, dataType);
    const [wanted] = results;
    assert(wanted !== undefined);
    const answer = model.queryOpConstraints(
      signatureOf(`ttnn.${op}`, operands.map(typeOf), results.map(typeOf), attributes),
      operands.map((operand) => layoutOf(model, typeOf(operand), operand[1])),
      layoutOf(model, typeOf(wanted), wanted[1]),
      undefined,
    );
    assert(answer.status === "valid", answer.status === "invalid" ? answer.message : "");
    assertEquals([answer.cbPeakBytes, answer.tensorL1PeakBytes], bytes);
  });
}

Deno.test("Blackhole ranks the elements of rows for more than 64 results, narrow rows too, in blocks of their tiles", () => {
  const buffersOf = (width: number, k: number) => {
    const model = createOpModel({
      chip: { ...TEST_WORMHOLE, architecture: "blackhole" },
      layouts: new LayoutTable(),
    });
    const [input, values, indices] = [tensorOf([32, width]), tensorOf([32, k]), tensorOf([32, k], "u16")];
    const answer = model.queryOpConstraints(
      signatureOf("ttnn.topk", [input], [values, indices], {
        dim: integerAttribute(-1),
        k: integerAttribute(k),
      }),
      [layoutOf(model, input, "dram")],
      layoutOf(model, values, "dram"),
      undefined,
    );
    assert(answer.status === "valid", answer.status === "invalid" ? answer.message : "");
    return answer.cbPeakBytes;
  };
  // ttnn 0.81.1 on p150.
  assertEquals([buffersOf(224, 64), buffersOf(224, 96)], [49_152, 57_344]);
  assertEquals([buffersOf(128, 96), buffersOf(256, 96), buffersOf(512, 128)], [32_768, 65_536, 65_536]);
});

Deno.test("a scatter in tiles untilizes each tensor where it lies and tilizes its result", () => {
  const model = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  const [input, index, updates] = [tensorOf([64, 128]), tensorOf([64, 96], "si32"), tensorOf([64, 96])];
  const ask = (memory: LayoutText) => {
    const answer = model.queryOpConstraints(
      signatureOf("ttnn.scatter", [input, index, updates], [input], { dim: integerAttribute(-1) }),
      [input, index, updates].map((tensor) => layoutOf(model, tensor, memory)),
      layoutOf(model, input, memory),
      undefined,
    );
    assert(answer.status === "valid", answer.status === "invalid" ? answer.message : "");
    return [answer.cbPeakBytes, answer.tensorL1PeakBytes];
  };
  // ttnn 0.81.1: 8192 + 24576 + 832 bytes of buffers; rows alone take 256 + 832.
  assertEquals(ask("l1"), [8192 + 24_576 + 832, 3136]);
  assertEquals(ask("l1-rm"), [256 + 832, 256]);
});

Deno.test("a scatter takes wide rows in parts, each tensor as many elements", () => {
  const buffersOf = (device: "n150" | "p150", count: number, element: "bf16" | "f32"): number => {
    const model = createOpModel({ chip: chipDescription(getDevice(device)), layouts: new LayoutTable() });
    const [input, index, updates] = [
      tensorOf([1, 256_000], element),
      tensorOf([1, count], "si32"),
      tensorOf([1, count], element),
    ];
    const answer = model.queryOpConstraints(
      signatureOf("ttnn.scatter", [input, index, updates], [input], { dim: integerAttribute(-1) }),
      [input, index, updates].map((tensor) => layoutOf(model, tensor, "dram-rm")),
      layoutOf(model, input, "dram-rm"),
      undefined,
    );
    assert(answer.status === "valid", answer.status === "invalid" ? answer.message : "");
    return answer.cbPeakBytes;
  };
  // ttnn 0.81.1, of rows of 1,024,000 bytes.
  assertEquals(buffersOf("n150", 512, "f32"), 601_344);
  assertEquals(buffersOf("p150", 512, "f32"), 632_064);
  assertEquals(buffersOf("n150", 64, "bf16"), 299_008);
  assertEquals(buffersOf("n150", 90_000, "f32"), 1_194_496);
});

Deno.test("topk pads rows of one tile to two in the shards that they lie in", () => {
  const model = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  const ask = (memory: LayoutText) => {
    const [input, values, indices] = [tensorOf([64, 8]), tensorOf([64, 2]), tensorOf([64, 2], "u16")];
    const answer = model.queryOpConstraints(
      signatureOf("ttnn.topk", [input], [values, indices], {
        dim: integerAttribute(-1),
        k: integerAttribute(2),
      }),
      [layoutOf(model, input, memory)],
      layoutOf(model, values, "l1"),
      undefined,
    );
    return answer.status === "invalid" ? answer.rule : answer.status;
  };
  // ttnn 0.81.1: "Number of shards along width 2 must not exceed number of cores 1".
  assertEquals([ask("dram"), ask("hs 2x1"), ask("bs 2x1"), ask("ws 1x1")], [
    "valid",
    "valid",
    "topk/padded",
    "topk/padded",
  ]);
});
