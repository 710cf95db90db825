// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { ProposedOp } from "../../graph_pass.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { joinMatmuls, joinMatmulsAsUpstream } from "./join_matmuls.ts";

const PARAMETER = "{ttcore.argument_type = #ttcore.argument_type<parameter>}";

/** Products of one tensor with weights of some widths; `role` is what the weights are. */
function products(
  widths: readonly number[],
  { rows, depth, isTransposed, hasBias }: {
    readonly rows: number;
    readonly depth: number;
    readonly isTransposed: boolean;
    readonly hasBias: boolean;
  },
  role: string = PARAMETER,
  computed: "where needed" | "first" = "where needed",
): string {
  const weight = (width: number): string => (isTransposed ? `T<${width}x${depth}>` : `T<${depth}x${width}>`);
  const input = `T<${rows}x${depth}>`;
  const negated = widths.map((width, index) =>
    `%n${index} = "ttnn.neg"(%w${index}) : (${weight(width)}) -> ${weight(width)}`
  );
  const lines = widths.flatMap((width, index) => [
    // Weights that are computed only where they are needed.
    ...computed === "first" ? [] : [negated[index] ?? ""],
    hasBias
      ? `%p${index} = "ttnn.linear"(%x, %n${index}, %b${index}) <{transpose_a = false, transpose_b = ${isTransposed}}> : (${input}, ${
        weight(width)
      }, T<${width}>) -> T<${rows}x${width}>`
      : `%p${index} = "ttnn.matmul"(%x, %n${index}) <{transpose_a = false, transpose_b = ${isTransposed}}> : (${input}, ${
        weight(width)
      }) -> T<${rows}x${width}>`,
  ]);
  const parameters = widths.flatMap((width, index) => [
    `%w${index}: ${weight(width)} ${role}`,
    ...(hasBias ? [`%b${index}: T<${width}> ${role}`] : []),
  ]);
  const results = widths.map((width) => `T<${rows}x${width}>`).join(", ");
  return ttnnModule(`(%x: ${input}, ${parameters.join(", ")}) -> (${results})`, [
    ...computed === "first" ? negated : [],
    ...lines,
    `return ${widths.map((_, index) => `%p${index}`).join(", ")} : ${results}`,
  ]);
}

const extent = fc.integer({ min: 1, max: 4 });

keepsMeaning(
  "joined products",
  [joinMatmuls],
  fc.record({
    widths: fc.array(extent, { minLength: 3, maxLength: 5 }),
    rows: extent,
    depth: extent,
    isTransposed: fc.boolean(),
    hasBias: fc.boolean(),
  }).map(({ widths, ...rest }) => ({ text: products(widths, rest), ops: ["concat", "slice_static"] })),
);

keepsMeaning(
  "joined products with inputs, as upstream does",
  [joinMatmulsAsUpstream],
  fc.record({
    widths: fc.array(extent, { minLength: 3, maxLength: 5 }),
    rows: extent,
    depth: extent,
    isTransposed: fc.boolean(),
    hasBias: fc.boolean(),
  }).map(({ widths, ...rest }) => ({
    text: products(widths, rest, "", "first"),
    ops: ["concat", "slice_static"],
  })),
);

const SHAPE = { rows: 32, depth: 64, isTransposed: true, hasBias: false };

Deno.test("two products, and products with inputs, stay apart", () => {
  assertEquals(passedBody(products([32, 32], SHAPE), joinMatmuls).length, 5);
  const input = "{ttcore.argument_type = #ttcore.argument_type<input>}";
  assertEquals(passedBody(products([32, 32, 32], SHAPE, input), joinMatmuls).length, 7);
  // What upstream joins must be there before the first product.
  assertEquals(passedBody(products([32, 32, 32], SHAPE, input), joinMatmulsAsUpstream).length, 7);
});

Deno.test("products that are as short as their slices stay apart once the dispatcher is what they wait for", () => {
  const text = products(Array.from({ length: 20 }, () => 32), SHAPE);
  const isJoined = (productUs: number, waited: number): boolean => {
    const time = ({ name }: ProposedOp): number => name === "ttnn.matmul" ? productUs : 2;
    const inSequence = (ops: readonly ProposedOp[]) => ({
      microseconds: ops.reduce((sum, op) => sum + time(op), 0),
      waited: ops.some(({ name }) => name === "ttnn.slice_static") ? waited : 0,
    });
    return passedBody(text, joinMatmuls, undefined, { inSequence }).some((line) => line.includes("concat"));
  };
  assertEquals(isJoined(2, 0), true);
  assertEquals(isJoined(2, 5), false);
  // Two thirds of the time of the products, one in ten less.
  assertEquals(isJoined(3.2, 5), true);
});

Deno.test("products whose slices would cut within tiles are joined only if that saves much, waits or not", () => {
  const isJoined = (widths: readonly number[], productUs: number): boolean => {
    const time = ({ name }: ProposedOp): number => name === "ttnn.matmul" ? productUs : 2;
    const inSequence = (ops: readonly ProposedOp[]) => ({
      microseconds: ops.reduce((sum, op) => sum + time(op), 0),
      waited: 0,
    });
    return passedBody(products(widths, SHAPE), joinMatmuls, undefined, { inSequence })
      .some((line) => line.includes("concat"));
  };
  assertEquals([isJoined([32, 32, 32], 2), isJoined([32, 32, 8], 2)], [true, true]);
  assertEquals([isJoined([8, 32, 32], 2), isJoined([8, 32, 32], 20)], [false, true]);
});

Deno.test("query, key and value are concatenated in this order, regardless of their order of computation", () => {
  const head = "T<1x2x1x32>";
  const text = ttnnModule(
    `(%x: T<1x64>, %v: T<64x64> ${PARAMETER}, %q: T<64x64> ${PARAMETER}, %k: T<64x64> ${PARAMETER}) -> ${head}`,
    [
      ...["v", "q", "k"].flatMap((name) => [
        `%${name}0 = "ttnn.matmul"(%x, %${name}) <{transpose_a = false, transpose_b = false}> : (T<1x64>, T<64x64>) -> T<1x64>`,
        `%${name}1 = "ttnn.reshape"(%${name}0) <{shape = [1 : i32, 2 : i32, 1 : i32, 32 : i32]}> : (T<1x64>) -> ${head}`,
      ]),
      `%0 = "ttnn.scaled_dot_product_attention"(%q1, %k1, %v1) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (${head}, ${head}, ${head}) -> ${head}`,
      `return %0 : ${head}`,
    ],
  );
  const lines = passedBody(text, joinMatmuls);
  assertEquals(lines[0]?.startsWith('%pass_0 = "ttnn.concat"(%q, %k, %v)'), true, lines.join("\n"));
});
