// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import { graphQuestions } from "../../../pipeline/prepared_graph.ts";
import { getDevice } from "../../../sim/devices/device_registry.ts";
import { keepsMeaning } from "../testing/keeps_meaning.ts";
import { movedTiles } from "../testing/moved_tiles.ts";
import { passedBody, ttnnModule } from "../testing/passed_body.ts";
import { foldInverseViews } from "../patterns/views/fold_inverse_views.ts";
import { patternPass } from "../rewrite_pattern.ts";
import type { GraphPass, ProposedOp } from "../graph_pass.ts";
import { GRAPH_PASSES } from "../pass_table.ts";
import { chooseRowForms } from "./choose_row_forms.ts";

const FOLDED = patternPass("fold", undefined, [foldInverseViews]);

/** The pass, with what the views that it leaves fold into. */
const PASS: GraphPass = {
  ...chooseRowForms,
  run: (context) => {
    chooseRowForms.run(context);
    FOLDED.run(context);
  },
};

const TOOLS = { microseconds: movedTiles };

/** One step of a chain over rows. */
const STEPS = ["matmul", "add", "gelu", "layer_norm", "bias", "slice", "concat", "regroup"] as const;

interface Chain {
  readonly batches: number;
  readonly rows: number;
  readonly width: number;
  readonly steps: readonly typeof STEPS[number][];
}

/** A chain of ops over rows that starts and ends in batches; `regroup` changes between batches and one list of rows. */
function chain({ batches, rows, width, steps }: Chain): string {
  const leading = (isFlat: boolean): string => isFlat ? `${batches * rows}` : `${batches}x${rows}`;
  const integers = (shape: string): string => shape.split("x").map((extent) => `${extent} : i32`).join(", ");
  const lines: string[] = [];
  let isFlat = false;
  let columns = width;
  let value = "%x";
  const type = (): string => `T<${leading(isFlat)}x${columns}>`;
  const write = (text: (from: string) => string, change: () => void = () => {}): void => {
    const from = type();
    const body = text(from);
    change();
    lines.push(`%${lines.length} = ${body} -> ${type()}`);
    value = `%${lines.length - 1}`;
  };
  const regroup = (): void =>
    write(
      (from) =>
        `"ttnn.reshape"(${value}) <{shape = [${integers(`${leading(!isFlat)}x${columns}`)}]}> : (${from})`,
      () => isFlat = !isFlat,
    );
  for (const step of steps) {
    const zeros = isFlat ? [0] : [0, 0];
    const list = (last: number, others: readonly number[]): string => integers([...others, last].join("x"));
    switch (step) {
      case "regroup":
        regroup();
        break;
      case "matmul":
        if (columns === width) {
          write((from) =>
            `"ttnn.matmul"(${value}, %w) <{transpose_a = false, transpose_b = false}> : (${from}, T<${width}x${width}>)`
          );
        }
        break;
      case "add":
        write((from) => `"ttnn.add"(${value}, ${value}) : (${from}, ${from})`);
        break;
      case "bias":
        if (columns !== width) break;
        write((from) =>
          `"ttnn.add"(${value}, ${isFlat ? "%row" : "%b"}) : (${from}, T<${isFlat ? "1" : "1x1"}x${width}>)`
        );
        break;
      case "gelu":
        write((from) => `"ttnn.relu"(${value}) : (${from})`);
        break;
      case "layer_norm":
        write((from) => `"ttnn.softmax"(${value}) <{dimension = -1 : si32}> : (${from})`);
        break;
      case "slice":
        if (columns < 2) break;
        write(
          (from) =>
            `"ttnn.slice_static"(${value}) <{begins = [${list(1, zeros)}], ends = [${
              list(columns, leading(isFlat).split("x").map(Number))
            }], step = [${list(1, zeros.map(() => 1))}]}> : (${from})`,
          () => columns--,
        );
        break;
      case "concat":
        write(
          (from) =>
            `"ttnn.concat"(${value}, ${value}) <{dim = ${isFlat ? 1 : 2} : si32}> : (${from}, ${from})`,
          () => columns *= 2,
        );
        break;
    }
  }
  if (isFlat) regroup();
  return ttnnModule(
    `(%x: T<${batches}x${rows}x${width}>, %w: T<${width}x${width}>, %b: T<1x1x${width}>, %row: T<1x${width}>) -> ${type()}`,
    [...lines, `return ${value} : ${type()}`],
  );
}

keepsMeaning(
  "rows in the form that costs the least",
  PASS,
  fc.record({
    batches: fc.integer({ min: 2, max: 4 }),
    rows: fc.integer({ min: 2, max: 5 }),
    width: fc.integer({ min: 1, max: 4 }),
    steps: fc.array(fc.constantFrom(...STEPS), { minLength: 1, maxLength: 8 }),
  }).map((drawn) => ({ text: chain(drawn), ops: [] })),
  120,
  TOOLS,
);

/** Reshapes of rows; a bias that loses an extent of one is none. */
function reshapes(lines: readonly string[]): number {
  return lines.filter((line) => line.includes("ttnn.reshape") && !line.includes("(%b)")).length;
}

const TOWER = ["regroup", "layer_norm", "matmul", "bias", "regroup", "gelu", "regroup", "matmul"] as const;

Deno.test("a tower over rows that do not fill tiles stays in its batches", () => {
  const lines = passedBody(
    chain({ batches: 4, rows: 77, width: 512, steps: TOWER }),
    PASS,
    undefined,
    TOOLS,
  );
  assertEquals(reshapes(lines), 0, lines.join("\n"));
});

Deno.test("where batches would be mostly padding, rows are collected for as long as it pays", () => {
  const tower = chain({ batches: 32, rows: 3, width: 64, steps: [...TOWER, ...TOWER] });
  const lines = passedBody(tower, PASS, undefined, TOOLS);
  const flat = lines.filter((line) => line.includes("ttnn.matmul"));
  assertEquals(flat.filter((line) => line.includes("-> tensor<96x64xbf16>")).length, 4, lines.join("\n"));
  // In front of everything and behind everything.
  assertEquals(reshapes(lines), 2, lines.join("\n"));
});

Deno.test("rows of whole tiles stay, and all rows without prices", () => {
  const whole = chain({ batches: 4, rows: 64, width: 64, steps: TOWER });
  assertEquals(reshapes(passedBody(whole, PASS, undefined, TOOLS)), reshapes(passedBody(whole, FOLDED)));
  const part = chain({ batches: 4, rows: 77, width: 64, steps: TOWER });
  assertEquals(reshapes(passedBody(part, PASS)), reshapes(passedBody(part, FOLDED)));
});

Deno.test("results that may be returned row-major leave the row region at a lower cost", () => {
  const text = chain({
    batches: 8,
    rows: 17,
    width: 256,
    steps: ["regroup", "layer_norm", "matmul", "regroup"],
  });
  // Rows that are read in tiles again cost as much as tiles that move.
  const microseconds = (question: ProposedOp): number =>
    movedTiles(question) * (question.name === "ttnn.reshape" || question.name === "ttnn.to_layout" ? 0.8 : 1);
  const products = (ownsSignature: boolean): number =>
    passedBody(text, PASS, undefined, { microseconds, ownsSignature })
      .filter((line) => line.includes("ttnn.matmul") && line.includes("-> tensor<136x256xbf16>")).length;
  assertEquals([products(false), products(true)], [0, 1]);
});

/** Query, key and value of 32 users, cut from one product; each head is worked on in a row of its own. */
function headsInRows(): string {
  const counts = [4, 2, 2];
  let column = 0;
  const reshaped = (value: string, from: string, to: string): string => {
    const extents = to.split("x").map((extent) => `${extent} : i32`).join(", ");
    return `"ttnn.reshape"(%${value}) <{shape = [${extents}]}> : (T<${from}>) -> T<${to}>`;
  };
  const lines = counts.flatMap((heads, part) => {
    const [from, to] = [column, column += heads * 64];
    const [cut, rows] = [`32x${heads * 64}`, `32x${heads}x1x64`];
    return [
      `%s${part} = "ttnn.slice_static"(%0) <{begins = [0 : i32, ${from} : i32], ends = [32 : i32, ${to} : i32], ` +
      `step = [1 : i32, 1 : i32]}> : (T<32x512>) -> T<${cut}>`,
      `%h${part} = ${reshaped(`s${part}`, cut, rows)}`,
      `%a${part} = "ttnn.relu"(%h${part}) : (T<${rows}>) -> T<${rows}>`,
      `%b${part} = "ttnn.exp"(%h${part}) : (T<${rows}>) -> T<${rows}>`,
      `%c${part} = "ttnn.add"(%a${part}, %b${part}) : (T<${rows}>, T<${rows}>) -> T<${rows}>`,
      `%r${part} = ${reshaped(`c${part}`, rows, `1x32x${heads}x64`)}`,
    ];
  });
  const types = counts.map((heads) => `T<1x32x${heads}x64>`).join(", ");
  return ttnnModule(`(%x: T<32x2>, %w: T<2x512>) -> (${types})`, [
    `%0 = "ttnn.matmul"(%x, %w) <{transpose_a = false, transpose_b = false}> : (T<32x2>, T<2x512>) -> T<32x512>`,
    ...lines,
    `return %r0, %r1, %r2 : ${types}`,
  ]);
}

Deno.test("heads of one position per user are split by one op also where their rows are grouped for that first", () => {
  const from = GRAPH_PASSES.findIndex(({ name }) => name === "decode-heads");
  const to = GRAPH_PASSES.findIndex(({ name }) => name === "permute-fewer-tiles");
  const between: GraphPass = {
    ...chooseRowForms,
    run: (context) => GRAPH_PASSES.slice(from, to).forEach((pass) => pass.run(context)),
  };
  // As one list the rows of all heads would take fewer tiles still.
  const isLegal = ({ name, operands: [input] }: ProposedOp): boolean =>
    name === "ttnn.matmul" || input?.kind !== "tensor" || input.shape.length > 2;
  const lines = passedBody(headsInRows(), between, undefined, { ...TOOLS, isLegal });
  assertEquals(
    lines.filter((line) => line.includes("nlp_create_qkv_heads_decode")).length,
    1,
    lines.join("\n"),
  );
  assertEquals(lines.filter((line) => line.includes("slice_static")).length, 0);
});

Deno.test("returned logits whose last position is sliced are computed in full tiles: the slice reads the rows that move", () => {
  const vocabulary = 151_936;
  const all = `32x17x${vocabulary}`;
  const text = ttnnModule(
    `(%x: T<544x896>, %w: T<896x${vocabulary}>) -> (T<${all}>, T<32x1x${vocabulary}>)`,
    [
      `%0 = "ttnn.matmul"(%x, %w) <{transpose_a = false, transpose_b = false}> : (T<544x896>, T<896x${vocabulary}>) -> T<544x${vocabulary}>`,
      `%1 = "ttnn.reshape"(%0) <{shape = [32 : i32, 17 : i32, ${vocabulary} : i32]}> : (T<544x${vocabulary}>) -> T<${all}>`,
      `%2 = "ttnn.slice_static"(%1) <{begins = [0 : i32, 16 : i32, 0 : i32], ends = [32 : i32, 17 : i32, ${vocabulary} : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (T<${all}>) -> T<32x1x${vocabulary}>`,
      `return %1, %2 : T<${all}>, T<32x1x${vocabulary}>`,
    ],
  );
  const { microseconds } = graphQuestions(getDevice("n150"));
  const lines = passedBody(text, PASS, undefined, { microseconds });
  assertMatch(lines.join("\n"), new RegExp(`ttnn.matmul.*-> tensor<544x${vocabulary}xbf16>`));
});

Deno.test("rows that occur in one form, a few in each tile, are worked on as one list", () => {
  const lines = passedBody(
    ttnnModule("(%x: T<32x32x2x1>, %y: T<32x32x2x1>) -> (T<32x32x2x1>)", [
      '%0 = "ttnn.add"(%x, %y) : (T<32x32x2x1>, T<32x32x2x1>) -> T<32x32x2x1>',
      '%1 = "ttnn.softmax"(%0) <{dimension = 3 : si32, numericStable = true}> : (T<32x32x2x1>) -> T<32x32x2x1>',
      '%2 = "ttnn.exp"(%1) : (T<32x32x2x1>) -> T<32x32x2x1>',
      '%3 = "ttnn.multiply"(%2, %1) : (T<32x32x2x1>, T<32x32x2x1>) -> T<32x32x2x1>',
      '%4 = "ttnn.relu"(%3) : (T<32x32x2x1>) -> T<32x32x2x1>',
      '%5 = "ttnn.sigmoid"(%4) : (T<32x32x2x1>) -> T<32x32x2x1>',
      "return %5 : T<32x32x2x1>",
    ]),
    PASS,
    undefined,
    TOOLS,
  );
  const forms = lines.flatMap((line) =>
    /"ttnn.(softmax|exp|multiply|relu|sigmoid)".*-> (.*)/.exec(line)?.[2] ?? []
  );
  assertEquals(new Set(forms), new Set(["tensor<2048x1xbf16>"]));
  assert(lines.some((line) => line.includes('"ttnn.softmax"') && line.includes("dimension = 1 : si32")));
});

Deno.test("products are no reason for a list of rows that does not occur", () => {
  const text = ttnnModule("(%x: T<32x6x64>, %w: T<64x64>) -> (T<32x6x64>)", [
    '%0 = "ttnn.matmul"(%x, %w) <{transpose_a = false, transpose_b = false}> : (T<32x6x64>, T<64x64>) -> T<32x6x64>',
    "return %0 : T<32x6x64>",
  ]);
  // Without configs, a product takes as long as all the moves of this file together.
  const microseconds = (question: ProposedOp): number =>
    movedTiles(question) * (question.name === "ttnn.matmul" ? 100 : 1);
  assertEquals(reshapes(passedBody(text, PASS, undefined, { microseconds })), 0);
});

Deno.test("products save in a list what reading and writing their padding takes", () => {
  const products = (rows: string): string =>
    ttnnModule(`(%x: T<${rows}x64>, %w: T<64x64>) -> (T<${rows}x64>)`, [
      ...["%x", "%0", "%1", "%2"].map((from, index) =>
        `%${index} = "ttnn.matmul"(${from}, %w) <{transpose_a = false, transpose_b = false}> : (T<${rows}x64>, T<64x64>) -> T<${rows}x64>`
      ),
      `return %3 : T<${rows}x64>`,
    ]);
  const regrouped = (rows: string): number =>
    reshapes(passedBody(products(rows), PASS, undefined, {
      microseconds: (question) => movedTiles(question) * (question.name === "ttnn.matmul" ? 5 : 1),
    }));
  // One token of each of 32 users: 32 rows of tiles, as a list 1; 4x33 rows: 8, as a list 5.
  assertEquals([regrouped("32x1"), regrouped("4x33")], [2, 0]);
});

Deno.test("a view makes any form of rows and reads any: rows between two views become a list for the price of the views", () => {
  const lines = passedBody(
    ttnnModule("(%x: T<32x2560>) -> (T<32x2560>)", [
      '%0 = "ttnn.reshape"(%x) <{shape = [32 : i32, 32 : i32, 1 : i32, 80 : i32]}> : (T<32x2560>) -> T<32x32x1x80>',
      '%1 = "ttnn.exp"(%0) : (T<32x32x1x80>) -> T<32x32x1x80>',
      '%2 = "ttnn.reshape"(%1) <{shape = [32 : i32, 2560 : i32]}> : (T<32x32x1x80>) -> T<32x2560>',
      "return %2 : T<32x2560>",
    ]),
    PASS,
    undefined,
    { microseconds: (question) => movedTiles(question) * (question.name === "ttnn.exp" ? 0.1 : 1) },
  );
  const forms = lines.flatMap((line) => /"ttnn.exp".*-> (.*)/.exec(line)?.[1] ?? []);
  assertEquals(forms, ["tensor<1024x80xbf16>"], lines.join("\n"));
  assertEquals(reshapes(lines), 2, lines.join("\n"));
});

Deno.test("joins and cuts, which move rows, are no faster for fewer tiles unless their price says so", () => {
  const text = ttnnModule("(%x: T<8x7x500>, %y: T<8x7x12>) -> (T<8x7x100>)", [
    '%0 = "ttnn.concat"(%x, %y) <{dim = 2 : si32}> : (T<8x7x500>, T<8x7x12>) -> T<8x7x512>',
    '%1 = "ttnn.slice_static"(%0) <{begins = [0 : i32, 0 : i32, 400 : i32], ends = [8 : i32, 7 : i32, 500 : i32], ' +
    "step = [1 : i32, 1 : i32, 1 : i32]}> : (T<8x7x512>) -> T<8x7x100>",
    "return %1 : T<8x7x100>",
  ]);
  const microseconds = (question: ProposedOp): number =>
    ["ttnn.concat", "ttnn.slice_static"].includes(question.name) ? 10_000 : movedTiles(question);
  assertEquals(reshapes(passedBody(text, PASS, undefined, { microseconds })), 0);
});

Deno.test("rows that are tilized or untilized anyway change their grouping for nothing", () => {
  const formOf = (signature: string, lines: readonly string[]): string | undefined => {
    const body = passedBody(ttnnModule(signature, lines), PASS, undefined, TOOLS);
    return body.flatMap((line) => /"ttnn.relu".*-> (.*)/.exec(line)?.[1] ?? [])[0];
  };
  const relu = (value: string): string => `%r = "ttnn.relu"(${value}) : (T<64x7x7>) -> T<64x7x7>`;
  const tilized = formOf("(%x: R<64x7x7>) -> T<64x7x7>", [
    '%0 = "ttnn.to_layout"(%x) : (R<64x7x7>) -> T<64x7x7>',
    relu("%0"),
    "return %r : T<64x7x7>",
  ]);
  const untilized = formOf("(%x: T<64x7x7>) -> R<64x7x7>", [
    relu("%x"),
    '%0 = "ttnn.to_layout"(%r) : (T<64x7x7>) -> R<64x7x7>',
    "return %0 : R<64x7x7>",
  ]);
  assertEquals([tilized, untilized], ["tensor<448x7xbf16>", "tensor<448x7xbf16>"]);
});
