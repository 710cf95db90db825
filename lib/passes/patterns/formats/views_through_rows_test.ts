// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertMatch } from "@std/assert";
import { graphQuestions } from "../../../../pipeline/prepared_graph.ts";
import { getDevice } from "../../../../sim/devices/device_registry.ts";
import type { ProposedOp } from "../../graph_pass.ts";
import { DEFAULT_PASS_OPTIONS } from "../../pass_options.ts";
import { patternPass } from "../../rewrite_pattern.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { bodyLines, passed, passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { foldLayoutRoundTrip, viewsThroughRows } from "./views_through_rows.ts";
import fc from "fast-check";

const PATTERNS = [viewsThroughRows, foldLayoutRoundTrip];

/** Whatever happens in tiles is dear. */
function tilesAreDear({ name, operands: [operand] }: ProposedOp): number {
  const isTiled = operand?.kind === "tensor" && operand.layout.tile !== undefined;
  return isTiled && name !== "ttnn.to_layout" ? 100 : 1;
}

/** Rows cut apart, one of each group taken, flattened again and read in rows. */
function taken(users: number, tokens: number, width: number, token: number): string {
  const [flat, cut, one, last] = [
    [users * tokens, width],
    [users, tokens, width],
    [users, 1, width],
    [users, width],
  ].map((shape) => shape.join("x"));
  const shape = (extents: string): string => extents.split("x").map((extent) => `${extent} : i32`).join(", ");
  return ttnnModule(`(%x: T<${flat}>) -> (T<${cut}>, R<${last}>)`, [
    `%0 = "ttnn.reshape"(%x) <{shape = [${shape(cut ?? "")}]}> : (T<${flat}>) -> T<${cut}>`,
    `%1 = "ttnn.slice_static"(%0) <{begins = [0 : i32, ${token} : i32, 0 : i32], ends = [${users} : i32, ${
      token + 1
    } : i32, ${width} : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (T<${cut}>) -> T<${one}>`,
    `%2 = "ttnn.reshape"(%1) <{shape = [${shape(last ?? "")}]}> : (T<${one}>) -> T<${last}>`,
    `%3 = "ttnn.to_layout"(%2) : (T<${last}>) -> R<${last}>`,
    `return %0, %3 : T<${cut}>, R<${last}>`,
  ]);
}

keepsMeaning(
  "views go through rows",
  patternPass("rows", undefined, PATTERNS),
  fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 2, max: 5 }), fc.integer({ min: 1, max: 40 }))
    .chain(([users, tokens, width]) =>
      fc.nat(tokens - 1).map((token) => ({
        text: taken(users, tokens, width, token),
        ops: ["to_layout", "slice_static"],
      }))
    ),
  30,
  { microseconds: tilesAreDear },
);

Deno.test("views of block floats, which no rows hold, stay in tiles", () => {
  const text = ttnnModule("(%x: T<64x3>) -> T<64x1x3>", [
    '%0 = "ttnn.reshape"(%x) <{shape = [64 : i32, 1 : i32, 3 : i32]}> : (T<64x3>) -> T<64x1x3>',
    "return %0 : T<64x1x3>",
  ]);
  const blocks = text.replaceAll("32x32, bf16", "32x32, bfp_bf4").replaceAll(
    "x3xbf16",
    "x3x!ttcore.tile<32x32, bfp_bf4>",
  );
  const pass = patternPass("rows", undefined, PATTERNS);
  const tools = { microseconds: tilesAreDear, ownsSignature: true };
  const after = (before: string): string => passed(before, pass, DEFAULT_PASS_OPTIONS, tools).text;
  assertEquals(bodyLines(after(blocks)), bodyLines(blocks));
  assertMatch(after(text), /to_layout/);
});

keepsMeaning(
  "returned views stay in rows",
  patternPass("rows", undefined, PATTERNS),
  fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 2, max: 5 }), fc.integer({ min: 1, max: 40 }))
    .map(([users, tokens, width]) => ({ text: taken(users, tokens, width, 0), ops: ["to_layout"] })),
  20,
  { microseconds: tilesAreDear, ownsSignature: true },
);

function opsOf(lines: readonly string[]): readonly (string | undefined)[] {
  return lines.map((line) => /ttnn\.(\w+)/.exec(line)?.[1]);
}

/** Those of a conv3d of 32 channels. */
const CONV3D_ATTRIBUTES =
  "batch_size = 1 : i32, groups = 1 : i32, in_channels = 32 : i32, input_depth = 4 : i32, " +
  "input_height = 8 : i32, input_width = 8 : i32, kernel_size = array<i32: 3, 3, 3>, " +
  'padding = array<i32: 1, 1, 1>, padding_mode = "zeros", stride = array<i32: 1, 1, 1>';

Deno.test("a conv3d whose rows are longer than its channels is not reshaped as it is", () => {
  const reshaped = (channels: number): readonly (string | undefined)[] => {
    const [image, flat] = [`1x4x8x8x${channels}`, `256x${channels}`];
    const text = ttnnModule(
      `(%x: R<1x4x8x8x32>, %w: T<864x${channels}>, %device: !ttnn.device) -> T<${flat}>`,
      [
        `%0 = "ttnn.conv3d"(%x, %w, %device) <{${CONV3D_ATTRIBUTES}, out_channels = ${channels} : i32}> : (R<1x4x8x8x32>, T<864x${channels}>, !ttnn.device) -> R<${image}>`,
        `%1 = "ttnn.to_layout"(%0) : (R<${image}>) -> T<${image}>`,
        `%2 = "ttnn.reshape"(%1) <{shape = [256 : i32, ${channels} : i32]}> : (T<${image}>) -> T<${flat}>`,
        `return %2 : T<${flat}>`,
      ],
    );
    const pass = patternPass("rows", undefined, PATTERNS);
    return opsOf(passedBody(text, pass, undefined, { microseconds: tilesAreDear }));
  };
  assertEquals(reshaped(64), ["conv3d", "reshape", "to_layout", undefined]);
  assertEquals(reshaped(48), ["conv3d", "to_layout", "to_layout", "reshape", "to_layout", undefined]);
});

Deno.test("a tensor is untilized once, and tilized only for readers of tiles", () => {
  const passes = patternPass("rows", undefined, PATTERNS);
  const lines = passedBody(taken(4, 5, 64, 4), passes, undefined, { microseconds: tilesAreDear });
  assertEquals(opsOf(lines), ["to_layout", "reshape", "to_layout", "slice_static", "reshape", undefined]);
});

Deno.test("results of a lowered function stay row-major, those of a given function as declared", () => {
  const text = ttnnModule("(%x: T<32x4000>) -> T<32x1x4000>", [
    `%0 = "ttnn.reshape"(%x) <{shape = [32 : i32, 1 : i32, 4000 : i32]}> : (T<32x4000>) -> T<32x1x4000>`,
    "return %0 : T<32x1x4000>",
  ]);
  const price = (ownsSignature: boolean) => {
    const passes = patternPass("rows", undefined, PATTERNS);
    return passed(text, passes, undefined, { microseconds: tilesAreDear, ownsSignature }).text;
  };
  const lowered = price(true);
  assertEquals(opsOf(bodyLines(lowered)), ["to_layout", "reshape", undefined]);
  assertMatch(lowered, /memref<32x4000xbf16, #dram>/);
  assertEquals(opsOf(bodyLines(price(false))), ["to_layout", "reshape", "to_layout", undefined]);
});

Deno.test("a returned view that a slice reads in rows as well is not tilized for return", () => {
  const passes = patternPass("rows", undefined, PATTERNS);
  const tools = { microseconds: tilesAreDear, ownsSignature: true };
  assertEquals(opsOf(passedBody(taken(4, 5, 64, 4), passes, undefined, tools)), [
    "to_layout",
    "reshape",
    "slice_static",
    "reshape",
    undefined,
  ]);
});

Deno.test("without prices, or if tiles are as fast, the graph stays", () => {
  const text = taken(4, 5, 64, 4);
  const before = ["reshape", "slice_static", "reshape", "to_layout", undefined];
  assertEquals(opsOf(passedBody(text, viewsThroughRows)), before);
  assertEquals(opsOf(passedBody(text, viewsThroughRows, undefined, { microseconds: () => 10 })), before);
});

Deno.test("the last of 17 positions of a vocabulary goes through rows on a device, a head does not", () => {
  const { microseconds } = graphQuestions(getDevice("n150"));
  const passes = patternPass("rows", undefined, PATTERNS);
  const wide = opsOf(passedBody(taken(32, 17, 32_000, 16), passes, undefined, { microseconds }));
  assertEquals(wide, ["to_layout", "reshape", "to_layout", "slice_static", "reshape", undefined]);
  const narrow = opsOf(passedBody(taken(2, 32, 64, 0), passes, undefined, { microseconds }));
  assertEquals(narrow[0], "reshape");
});

Deno.test("rows that would be tiled for a reshape alone are reshaped as rows; tiles that something else reads stay", () => {
  const flat = (more: readonly string[]): string =>
    ttnnModule(`(%x: R<4x8x64>) -> (${["T<32x64>", ...more.map(() => "T<4x8x64>")].join(", ")})`, [
      `%0 = "ttnn.to_layout"(%x) : (R<4x8x64>) -> T<4x8x64>`,
      `%1 = "ttnn.reshape"(%0) <{shape = [32 : i32, 64 : i32]}> : (T<4x8x64>) -> T<32x64>`,
      ...more,
      `return ${["%1", ...more.map(() => "%2")].join(", ")} : ${
        ["T<32x64>", ...more.map(() => "T<4x8x64>")].join(", ")
      }`,
    ]);
  // To tile takes as long as to reshape in tiles: what goes through rows tiles once and reshapes for nothing.
  const microseconds = ({ name, operands: [operand] }: ProposedOp): number =>
    name === "ttnn.reshape" && operand?.kind === "tensor" && operand.layout.tile === undefined ? 0 : 50;
  const passed = (text: string): readonly (string | undefined)[] =>
    opsOf(passedBody(text, patternPass("rows", undefined, PATTERNS), undefined, { microseconds }));
  assertEquals(passed(flat([])), ["reshape", "to_layout", undefined]);
  const shared = flat([`%2 = "ttnn.relu"(%0) : (T<4x8x64>) -> T<4x8x64>`]);
  assertEquals(passed(shared), ["to_layout", "reshape", "relu", undefined]);
});
