// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { normalizeGroups } from "./normalize_groups.ts";

interface Image {
  readonly batch: number;
  readonly groups: number;
  /** Channels of a group. */
  readonly size: number;
  readonly rows: number;
  readonly columns: number;
  /** Channels in front, apart from pixels or with them; or channels last, also of all images in one list of pixels. */
  readonly split: "channels" | "channels and pixels" | "last" | "list";
  /** Means are taken in f32, as JAX takes them. */
  readonly hasWideMeans?: boolean;
}

/** Groups normalised as the input spells them: turned from channels last, split, normalised, joined, turned back. */
function grouped({ batch, groups, size, rows, columns, split, hasWideMeans = false }: Image): string {
  const channels = groups * size;
  const pixels = rows * columns;
  const type = (extents: readonly number[]): string => `T<${extents.join("x")}>`;
  const list = (extents: readonly number[]): string => extents.map((extent) => `${extent} : i32`).join(", ");
  const isLast = split === "last" || split === "list";
  const last = split === "list" ? [1, 1, batch * pixels, channels] : [batch, rows, columns, channels];
  const first = [batch, channels, rows, columns];
  const image = isLast ? last : first;
  const apart = {
    "channels": [batch, groups, size, pixels],
    "channels and pixels": [batch, groups, 1, size * pixels],
    "last": [batch, pixels, groups, size],
    "list": [batch, pixels, groups, size],
  }[split];
  const dims = isLast ? [1, 3] : [2, 3];
  const means = apart.map((extent, dim) => dims.includes(dim) ? 1 : extent);
  const [s, m] = [type(apart), type(means)];
  const mean = (name: string, of: string): readonly string[] => {
    const properties = `<{dim_arg = [${list(dims)}], keep_dim = true}>`;
    const [wide, mean] = [s, m].map((type) => type.replace(">", ", f32>"));
    return hasWideMeans
      ? [
        `${name}w = "ttnn.typecast"(${of}) : (${s}) -> ${wide}`,
        `${name}m = "ttnn.mean"(${name}w) ${properties} : (${wide}) -> ${mean}`,
        `${name} = "ttnn.typecast"(${name}m) : (${mean}) -> ${m}`,
      ]
      : [`${name} = "ttnn.mean"(${of}) ${properties} : (${s}) -> ${m}`];
  };
  const permuted = isLast ? [] : [
    `%x = "ttnn.permute"(%z) <{permutation = array<i64: 0, 3, 1, 2>}> : (${type(last)}) -> ${type(first)}`,
  ];
  const back = isLast ? [`return %9 : ${type(last)}`] : [
    `%y = "ttnn.permute"(%9) <{permutation = array<i64: 0, 2, 3, 1>}> : (${type(first)}) -> ${type(last)}`,
    `return %y : ${type(last)}`,
  ];
  return ttnnModule(`(%z: ${type(last)}) -> ${type(last)}`, [
    `%d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device`,
    ...permuted,
    `%0 = "ttnn.reshape"(${isLast ? "%z" : "%x"}) <{shape = [${list(apart)}]}> : (${type(image)}) -> ${s}`,
    ...mean("%1", "%0"),
    `%2 = "ttnn.subtract"(%0, %1) : (${s}, ${m}) -> ${s}`,
    `%3 = "ttnn.multiply"(%2, %2) : (${s}, ${s}) -> ${s}`,
    ...mean("%4", "%3"),
    `%5 = "ttnn.full"(%d) <{fill_value = 9.99999974E-6 : f32, shape = #ttnn.shape<1x1x1x1>}> : (!ttnn.device) -> T<1x1x1x1>`,
    `%6 = "ttnn.add"(%4, %5) : (${m}, T<1x1x1x1>) -> ${m}`,
    `%7 = "ttnn.rsqrt"(%6) : (${m}) -> ${m}`,
    `%8 = "ttnn.multiply"(%2, %7) : (${s}, ${m}) -> ${s}`,
    `%9 = "ttnn.reshape"(%8) <{shape = [${list(image)}]}> : (${s}) -> ${type(image)}`,
    ...back,
  ]);
}

keepsMeaning(
  "groups normalised with channels last",
  [normalizeGroups],
  fc.record({
    batch: fc.integer({ min: 1, max: 3 }),
    groups: fc.integer({ min: 2, max: 3 }),
    size: fc.integer({ min: 2, max: 4 }),
    rows: fc.integer({ min: 2, max: 3 }),
    // Whole tiles: with channels last the image must not take more of them.
    columns: fc.constant(32),
    split: fc.constantFrom("channels", "channels and pixels", "last", "list"),
    hasWideMeans: fc.boolean(),
  }).map((image) => ({ text: grouped(image), ops: ["repeat", "!typecast"] })),
  20,
);

const IMAGE: Image = { batch: 2, groups: 32, size: 10, rows: 16, columns: 16, split: "channels" };

Deno.test("no tensor of all pixels has a dimension of the channels of a group", () => {
  for (const split of ["channels", "channels and pixels", "last", "list"] as const) {
    const lines = passedBody(grouped({ ...IMAGE, split }), normalizeGroups);
    const computing = lines.filter((line) => /ttnn\.(?:mean|subtract|multiply)/.test(line));
    assertEquals(computing.length, 7, lines.join("\n"));
    assert(
      computing.every((line) => !line.includes("10x256") && !line.includes("256x32x10")),
      lines.join("\n"),
    );
  }
});

Deno.test("means over something else than groups of channels stay", () => {
  // Rows of pixels per channel: an instance norm over part of the image.
  const text = grouped(IMAGE).replaceAll("dim_arg = [2 : i32, 3 : i32]", "dim_arg = [3 : i32]")
    .replaceAll("2x32x1x1", "2x32x10x1");
  assert(passedBody(text, normalizeGroups).some((line) => line.includes("(%0, %1)")));
});
