// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { PARAMETER } from "../../testing/convolution_case.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { patternPass } from "../../rewrite_pattern.ts";
import { fuseLayerNorm, fuseLayerNormParameters } from "./fuse_layer_norm.ts";
import { factorPerRowFirst } from "./reassociate.ts";
import { narrowRows } from "./narrow_kernels.ts";

const PATTERNS = [factorPerRowFirst, fuseLayerNorm, fuseLayerNormParameters, narrowRows];

interface Spelling {
  readonly rows: number;
  readonly width: number;
  readonly root: "rsqrt" | "sqrt" | "rms_norm";
  /** The weight is multiplied by the reciprocal deviation first. */
  readonly weightFirst?: boolean;
  readonly square: "multiply" | "pow_scalar";
  /** The variance drops the dimension, which comes back behind the root. */
  readonly dropsDimension?: boolean;
  /** Dimensions of the mean; the first one has extent one. */
  readonly dims: readonly number[];
  /** Numbers are bf16 in front and behind, f32 between. */
  readonly isWide: boolean;
}

function norm(
  { rows, width, root, square, dims, isWide, weightFirst = false, dropsDimension = false }: Spelling,
): string {
  const element = isWide ? ", f32" : "";
  const [x, one, row] = [`1x${rows}x${width}`, `1x${rows}x1`, `1x1x${width}`].map((shape) =>
    `T<${shape}${element}>`
  );
  const [outer, numbers, weight] = [`T<1x${rows}x${width}>`, `T<1x1x1${element}>`, `T<${width}${element}>`];
  const kept = dropsDimension ? `T<1x${rows}${element}>` : one;
  const mean = `<{dim_arg = [${dims.map((dim) => `${dim} : i32`).join(", ")}], keep_dim = true}>`;
  return ttnnModule(
    `(%a: ${outer}, %g: ${row} ${PARAMETER}, %b: ${row} ${PARAMETER}, %w: ${weight} ${PARAMETER}) -> ${outer}`,
    [
      '%d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device',
      `%e = "ttnn.full"(%d) <{fill_value = 1.000000e-03 : f32, shape = #ttnn.shape<1x1x1>}> : (!ttnn.device) -> ${numbers}`,
      isWide ? `%x = "ttnn.typecast"(%a) : (${outer}) -> ${x}` : `%x = "ttnn.abs"(%a) : (${outer}) -> ${x}`,
      `%m = "ttnn.mean"(%x) ${mean} : (${x}) -> ${one}`,
      `%c = "ttnn.subtract"(%x, %m) : (${x}, ${one}) -> ${x}`,
      ...(root === "rms_norm"
        ? [
          `%r = "ttnn.rms_norm"(%c, %w) <{epsilon = 1.000000e-03 : f32, operandSegmentSizes = array<i32: 1, 1, 0>}> : (${x}, ${weight}) -> ${x}`,
        ]
        : [
          square === "multiply"
            ? `%s = "ttnn.multiply"(%c, %c) : (${x}, ${x}) -> ${x}`
            : `%s = "ttnn.pow_scalar"(%c) <{rhs = 2.000000e+00 : f32}> : (${x}) -> ${x}`,
          ...dropsDimension
            ? [
              `%v = "ttnn.mean"(%s) <{dim_arg = [2 : i32], keep_dim = false}> : (${x}) -> ${kept}`,
              `%k = "ttnn.full"(%d) <{fill_value = 1.000000e-03 : f32, shape = #ttnn.shape<1x1>}> : (!ttnn.device) -> T<1x1${element}>`,
              `%q = "ttnn.add"(%v, %k) : (${kept}, T<1x1${element}>) -> ${kept}`,
              `%u = "ttnn.${root}"(%q) : (${kept}) -> ${kept}`,
              `%t = "ttnn.reshape"(%u) <{shape = [1 : i32, ${rows} : i32, 1 : i32]}> : (${kept}) -> ${one}`,
            ]
            : [
              `%v = "ttnn.mean"(%s) ${mean} : (${x}) -> ${one}`,
              `%q = "ttnn.add"(%v, %e) : (${one}, ${numbers}) -> ${one}`,
              `%t = "ttnn.${root}"(%q) : (${one}) -> ${one}`,
            ],
          ...weightFirst && root === "rsqrt"
            ? [
              `%n = "ttnn.multiply"(%t, %g) : (${one}, ${row}) -> ${x}`,
              `%r = "ttnn.multiply"(%c, %n) : (${x}, ${x}) -> ${x}`,
            ]
            : [
              `%n = "ttnn.${root === "sqrt" ? "divide" : "multiply"}"(%c, %t) : (${x}, ${one}) -> ${x}`,
              `%r = "ttnn.multiply"(%n, %g) : (${x}, ${row}) -> ${x}`,
            ],
        ]),
      `%o = "ttnn.add"(%b, %r) : (${row}, ${x}) -> ${x}`,
      isWide ? `%z = "ttnn.typecast"(%o) : (${x}) -> ${outer}` : `%z = "ttnn.neg"(%o) : (${x}) -> ${outer}`,
      `return %z : ${outer}`,
    ],
  );
}

const spellings = fc.record({
  rows: fc.integer({ min: 1, max: 3 }),
  width: fc.integer({ min: 2, max: 5 }),
  root: fc.constantFrom("rsqrt" as const, "sqrt" as const, "rms_norm" as const),
  square: fc.constantFrom("multiply" as const, "pow_scalar" as const),
  dims: fc.constantFrom([2], [-1], [0, 2]),
  isWide: fc.boolean(),
  weightFirst: fc.boolean(),
  dropsDimension: fc.boolean(),
});

keepsMeaning(
  "layer norms by their formula",
  patternPass("test", undefined, PATTERNS),
  spellings.map((spelling) => ({
    text: norm(spelling),
    ops: ["layer_norm", "!mean", "!subtract", "!rms_norm", "!rsqrt", "!add"],
  })),
  60,
);

const PLAIN: Spelling = {
  rows: 32,
  width: 64,
  root: "rsqrt",
  square: "multiply",
  dims: [0, 2],
  isWide: true,
};

Deno.test("a layer norm in f32 between bf16 is one op in bf16", () => {
  const lines = passedBody(norm(PLAIN), patternPass("test", undefined, PATTERNS));
  const types = / : \((.*)\) -> (.*)$/.exec(lines.find((line) => line.includes("layer_norm")) ?? "");
  assertEquals(types?.slice(1), [
    "tensor<1x32x64xbf16>, tensor<64xbf16>, tensor<64xbf16>",
    "tensor<1x32x64xbf16>",
  ]);
});

Deno.test("means over more than rows, and norms that the op model refuses, stay", () => {
  const passes = patternPass("test", undefined, PATTERNS);
  const has = (lines: readonly string[]): boolean => lines.some((line) => line.includes("layer_norm"));
  assertEquals(
    has(passedBody(norm({ ...PLAIN, dims: [2] }), passes, undefined, { isLegal: () => false })),
    false,
  );
  assertEquals(
    has(passedBody(norm({ ...PLAIN, dims: [1, 2] }).replaceAll("1x32x1xf32", "1x1x1xf32"), passes)),
    false,
  );
});

/** `(x − m) · rsqrt(max(0, mean(x²) − m²) + ε) · weight + bias`: as Flax computes it. */
function flax(rows: number, width: number, keeps: boolean, squared: "%m" | "%x1"): string {
  const [x, one, row] = [`T<2x${rows}x${width}>`, `T<2x${rows}x1>`, `T<1x1x${width}>`];
  const stat = keeps ? one : `T<2x${rows}>`;
  const mean = `<{dim_arg = [2 : i32], keep_dim = ${keeps}}>`;
  const back = (name: string, source: string) =>
    `${name} = "ttnn.reshape"(${source}) <{shape = [2 : i32, ${rows} : i32, 1 : i32]}> : (${stat}) -> ${one}`;
  return ttnnModule(`(%x: ${x}, %g: ${row} ${PARAMETER}, %b: ${row} ${PARAMETER}) -> ${x}`, [
    '%d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device',
    '%e = "ttnn.full"(%d) <{fill_value = 1.000000e-03 : f32, shape = #ttnn.shape<1x1x1>}> : (!ttnn.device) -> T<1x1x1>',
    `%m = "ttnn.mean"(%x) ${mean} : (${x}) -> ${stat}`,
    `%x1 = "ttnn.max"(%x) ${mean} : (${x}) -> ${stat}`,
    `%s = "ttnn.multiply"(%x, %x) : (${x}, ${x}) -> ${x}`,
    `%n = "ttnn.mean"(%s) ${mean} : (${x}) -> ${stat}`,
    `%p = "ttnn.multiply"(${squared}, ${squared}) : (${stat}, ${stat}) -> ${stat}`,
    `%v = "ttnn.subtract"(%n, %p) : (${stat}, ${stat}) -> ${stat}`,
    `%u = "ttnn.relu"(%v) : (${stat}) -> ${stat}`,
    ...keeps ? [] : [back("%m1", "%m"), back("%u1", "%u")],
    `%q = "ttnn.add"(${keeps ? "%u" : "%u1"}, %e) : (${one}, T<1x1x1>) -> ${one}`,
    `%t = "ttnn.rsqrt"(%q) : (${one}) -> ${one}`,
    `%c = "ttnn.subtract"(%x, ${keeps ? "%m" : "%m1"}) : (${x}, ${one}) -> ${x}`,
    `%f = "ttnn.multiply"(%c, %t) : (${x}, ${one}) -> ${x}`,
    `%r = "ttnn.multiply"(%f, %g) : (${x}, ${row}) -> ${x}`,
    `%o = "ttnn.add"(%r, %b) : (${x}, ${row}) -> ${x}`,
    `return %o : ${x}`,
  ]);
}

const flaxCases = fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 2, max: 9 }), fc.boolean());

keepsMeaning(
  "layer norms with the variance as Flax computes it",
  patternPass("test", undefined, PATTERNS),
  flaxCases.map(([rows, width, keeps]) => ({
    text: flax(rows, width, keeps, "%m"),
    ops: ["layer_norm", "!mean", "!subtract", "!rsqrt", "!add", "!multiply"],
  })),
  30,
);

keepsMeaning(
  "the mean of squares without the square of another number is no variance",
  patternPass("test", undefined, PATTERNS),
  flaxCases.map(([rows, width, keeps]) => ({
    text: flax(rows, width, keeps, "%x1"),
    ops: ["!layer_norm", "rsqrt"],
  })),
  30,
);

/** What {@linkcode jax} takes the mean of squares of. */
interface WideVariance {
  readonly source: "%x" | "%z";
  readonly centre: "%m" | "%largest" | "%ofBatch";
  readonly factor: "%c" | "%w";
}

const VARIANCE: WideVariance = { source: "%x", centre: "%m", factor: "%c" };

/** As `jnp.mean()` and `jnp.var()` compute it of bf16: both in f32, each narrowed at its end. */
function jax(
  [rows, width, keeps]: readonly [rows: number, width: number, keeps: boolean],
  { source, centre, factor }: WideVariance,
): string {
  const [x, wide, row] = [`T<2x${rows}x${width}>`, `T<2x${rows}x${width}, f32>`, `T<1x1x${width}>`];
  const [one, wideOne, batch] = [`T<2x${rows}x1>`, `T<2x${rows}x1, f32>`, `T<1x${rows}x1, f32>`];
  const stat = keeps ? wideOne : `T<2x${rows}, f32>`;
  const overRows = `<{dim_arg = [2 : i32], keep_dim = ${keeps}}>`;
  const ofRows = (name: string, op: string, of: string): readonly string[] => {
    const reduced = (made: string) => `${made} = "ttnn.${op}"(${of}) ${overRows} : (${wide}) -> ${stat}`;
    const kept =
      `${name} = "ttnn.reshape"(${name}0) <{shape = [2 : i32, ${rows} : i32, 1 : i32]}> : (${stat}) -> ${wideOne}`;
    return keeps ? [reduced(name)] : [reduced(`${name}0`), kept];
  };
  return ttnnModule(`(%x: ${x}, %g: ${row} ${PARAMETER}, %b: ${row} ${PARAMETER}) -> ${x}`, [
    '%d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device',
    '%e = "ttnn.full"(%d) <{fill_value = 1.000000e-03 : f32, shape = #ttnn.shape<1x1x1>}> : (!ttnn.device) -> T<1x1x1>',
    `%z = "ttnn.abs"(%x) : (${x}) -> ${x}`,
    `%a = "ttnn.typecast"(%x) : (${x}) -> ${wide}`,
    ...ofRows("%mean", "mean", "%a"),
    `%w = "ttnn.typecast"(${source}) : (${x}) -> ${wide}`,
    ...ofRows("%m", "mean", "%w"),
    ...ofRows("%largest", "max", "%w"),
    `%ofBatch = "ttnn.mean"(%w) <{dim_arg = [0 : i32, 2 : i32], keep_dim = true}> : (${wide}) -> ${batch}`,
    `%c = "ttnn.subtract"(%w, ${centre}) : (${wide}, ${centre === "%ofBatch" ? batch : wideOne}) -> ${wide}`,
    `%s = "ttnn.multiply"(%c, ${factor}) : (${wide}, ${wide}) -> ${wide}`,
    ...ofRows("%v", "mean", "%s"),
    `%n = "ttnn.typecast"(%mean) : (${wideOne}) -> ${one}`,
    `%u = "ttnn.typecast"(%v) : (${wideOne}) -> ${one}`,
    `%q = "ttnn.add"(%u, %e) : (${one}, T<1x1x1>) -> ${one}`,
    `%t = "ttnn.sqrt"(%q) : (${one}) -> ${one}`,
    `%h = "ttnn.subtract"(%x, %n) : (${x}, ${one}) -> ${x}`,
    `%f = "ttnn.divide"(%h, %t) : (${x}, ${one}) -> ${x}`,
    `%r = "ttnn.multiply"(%f, %g) : (${x}, ${row}) -> ${x}`,
    `%o = "ttnn.add"(%r, %b) : (${x}, ${row}) -> ${x}`,
    `return %o : ${x}`,
  ]);
}

keepsMeaning(
  "layer norms whose mean and variance are computed in f32 and narrowed apart",
  patternPass("test", undefined, PATTERNS),
  flaxCases.map((extents) => ({
    text: jax(extents, VARIANCE),
    ops: ["layer_norm", "!mean", "!subtract", "!sqrt", "!add"],
  })),
);

keepsMeaning(
  "squares of another tensor, around another number or of two factors are no variance",
  patternPass("test", undefined, PATTERNS),
  fc.tuple(
    flaxCases,
    fc.constantFrom<Partial<WideVariance>>(
      { source: "%z" },
      { centre: "%largest" },
      { centre: "%ofBatch" },
      { factor: "%w" },
    ),
  ).map(([extents, other]) => ({
    text: jax(extents, { ...VARIANCE, ...other }),
    ops: ["!layer_norm", "sqrt"],
  })),
);
