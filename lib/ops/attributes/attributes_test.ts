// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import type { AttributeMap } from "../../ir/attribute.ts";
import { parseModule } from "../../ir/module_parser.ts";
import { readAttributeText } from "../../ir/attribute_reader.ts";
import { attributeFaults, undeclaredAttributes } from "../op_attributes.ts";
import { OP_DEFINITIONS } from "../op_book.ts";
import { SPLIT_HEADS } from "./attention.ts";
import { type AttributeForm, type AttributeValue, declaredAttribute } from "./attribute_form.ts";
import { CONV1D, CONV2D, POOL2D } from "./window.ts";
import { makeAttributes, printAttributes } from "./print_attributes.ts";
import { readAttributes } from "./read_attributes.ts";

/** Respelled as a test of what a new generation of the text costs: one word here. */
const RESPELLED = { permutation: { type: "array<i64>", spelled: ["perm", "permutation"] } } as const;

const NO_ALIASES = parseModule("module {}\n", "attributes.mlir");

function read(texts: ReadonlyMap<string, string>): AttributeMap {
  return new Map([...texts].map(([name, text]) => [name, readAttributeText(NO_ALIASES, text)]));
}

/** Any value of a declared type. */
function valuesOf(type: string, least: number = -100): fc.Arbitrary<AttributeValue> {
  const integers = fc.integer({ min: least, max: 100 });
  if (type.startsWith("#")) return fc.constantFrom("sum", "tile");
  if (type === "shape" || type.includes("[") || type.includes("<")) {
    return fc.array(integers, { minLength: 1, maxLength: 6 });
  }
  if (type === "bool") return fc.boolean();
  if (type === "string") return fc.constantFrom("nearest", "zeros");
  if (type === "any") return fc.constantFrom("#ttnn.conv2d_config<>", "@callee");
  if (type === "scalar") return fc.oneof(integers.map((f32) => ({ f32 })), integers.map((i32) => ({ i32 })));
  return type === "f32" ? integers.map((n) => n / 4) : integers;
}

Deno.test("what is printed for any declared attribute is read back as the same value", () => {
  const declared = OP_DEFINITIONS.flatMap(({ name, attributes = {} }) =>
    Object.entries(attributes).map(([key, spec]) => ({
      name,
      form: attributes,
      key,
      type: declaredAttribute(key, spec).type,
      least: declaredAttribute(key, spec).least,
    }))
  );
  const cases = fc.constantFrom(...declared).chain((one) =>
    fc.tuple(fc.constant(one), valuesOf(one.type, one.least))
  );
  fc.assert(
    fc.property(cases, ([{ name, form, key, type }, value]) => {
      const attributes = read(printAttributes(form, { [key]: value }));
      const again: Readonly<Record<string, unknown>> = readAttributes({ name, attributes }, form);
      const expected = typeof value === "object" && !("length" in value) ? Object.values(value)[0] : value;
      if (type !== "any") assertEquals(again[key], expected, `${name} ${key}`);
      assertEquals(undeclaredAttributes(attributes.keys(), form), []);
    }),
    { numRuns: 1000 },
  );
});

Deno.test("a default stands for what is missing, and nothing for what is required or of another type", () => {
  const attributes = makeAttributes(POOL2D, { batch_size: 2, ceil_mode: true });
  const pool = readAttributes({ name: "ttnn.max_pool2d", attributes }, POOL2D);
  assertEquals([pool.batch_size, pool.ceil_mode, pool.count_include_pad], [2, true, true]);
  assertThrows(() => pool.kernel_size, RangeError, "ttnn.max_pool2d: attribute 'kernel_size' is missing");
  const words = read(new Map([["dimension", '"last"']]));
  assertEquals(attributeFaults({ name: "ttnn.softmax", attributes: words }), [
    "attribute 'dimension' must be an integer",
  ]);
  const fail = (reason: string) => new SyntaxError(reason);
  const placed = readAttributes({ attributes: words, fail }, { dimension: "si32" });
  assertThrows(() => placed.dimension, SyntaxError, "must be an integer");
});

Deno.test("an attribute that is not declared is not written", () => {
  const form: AttributeForm = CONV1D;
  assertThrows(() => printAttributes(form, { kernel: 3 }), RangeError, "No attribute 'kernel' is declared");
  assertThrows(() => printAttributes(form, { stride: [1, 1] }), RangeError, "'stride' is not written as i32");
});

Deno.test("a respelled attribute is read in all its spellings and written in the first", () => {
  for (const name of ["perm", "permutation"]) {
    const attributes = read(new Map([[name, "array<i64: 1, 0>"]]));
    assertEquals(readAttributes({ attributes }, RESPELLED).permutation, [1, 0]);
  }
  assertEquals([...printAttributes(RESPELLED, { permutation: [1, 0] })], [["perm", "array<i64: 1, 0>"]]);
  const attributes = read(new Map([["num_q_heads", "8 : ui32"]]));
  assertEquals(readAttributes({ attributes }, SPLIT_HEADS).num_heads, 8);
});

Deno.test("pools list their padding in another order than convolutions (tt-mlir:window-padding)", () => {
  assertEquals<readonly string[]>(POOL2D.padding.order, ["top", "left", "bottom", "right"]);
  assertEquals<readonly string[]>(CONV2D.padding.order, ["top", "bottom", "left", "right"]);
});

Deno.test("numbers below the least one are told with it, and read as nothing", () => {
  const faults = (texts: Readonly<Record<string, string>>) => {
    const attributes = read(new Map(Object.entries(texts)));
    return attributeFaults({ name: "ttnn.conv2d", attributes }).filter((fault) =>
      !fault.includes("is missing")
    );
  };
  assertEquals(faults({ in_channels: "-1 : i32" }), [
    "attribute 'in_channels' must be an integer of at least 0",
  ]);
  assertEquals(faults({ stride: "array<i32: 1, 0>" }), [
    "attribute 'stride' must be a list of integers, each of at least 1",
  ]);
  assertEquals(faults({ in_channels: "0 : i32", stride: "array<i32: 1, 2>" }), []);
});

Deno.test("any op may repeat the format of its result, as mid-2025's texts spell it as well", () => {
  assertEquals(undeclaredAttributes(["dtype", "output_dtype", "imagined"], {}), ["imagined"]);
});
