// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { parseModule } from "../ir/mod.ts";
import { withoutDestinations } from "./destinations.ts";

const T = "tensor<32x32xbf16>";

/** Lines of a function of old TTNN without its destinations, and how many ops had some. */
function without(...lines: readonly string[]): readonly [number, ...(readonly string[])] {
  const text = `func.func @f(%x: ${T}, %d: !ttnn.device) -> ${T} {\n${
    lines.join("\n")
  }\n  return %0 : ${T}\n}\n`;
  const { module, ops } = withoutDestinations(parseModule(text, "old.mlir"));
  const read = module.text.split("\n").slice(1, 1 + lines.length).map((line) => line.trim());
  return [ops, ...read.filter((line) => !line.includes("ttnn.empty"))];
}

const EMPTY = `%e = "ttnn.empty"(%d) <{shape = #ttnn.shape<32x32>}> : (!ttnn.device) -> ${T}`;

Deno.test("withoutDestinations() leaves out what ops of TTNN before mid 2025 write to", () => {
  const plain = `%0 = "ttnn.multiply"(%x, %x) : (${T}, ${T}) -> ${T}`;
  const told = (segments: string) =>
    `%0 = "ttnn.multiply"(%x, %x, %e)${segments} : (${T}, ${T}, ${T}) -> ${T}`;
  for (const segments of ["", " <{operandSegmentSizes = array<i32: 2, 1>}>"]) {
    assertEquals(without(EMPTY, told(segments)), [1, plain]);
  }
  assertEquals(
    without(EMPTY, told(" <{a = 1 : i32, operandSegmentSizes = array<i32: 2, 1>}>"))[1],
    `%0 = "ttnn.multiply"(%x, %x) <{a = 1 : i32}> : (${T}, ${T}) -> ${T}`,
  );
  // Groups of other operands stay, with an absent one among them.
  assertEquals(
    without(
      EMPTY,
      `%0 = "ttnn.layer_norm"(%x, %x, %e) <{operandSegmentSizes = array<i32: 1, 1, 0, 1>}> : (${T}, ${T}, ${T}) -> ${T}`,
    )[1],
    `%0 = "ttnn.layer_norm"(%x, %x) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (${T}, ${T}) -> ${T}`,
  );
});

Deno.test("withoutDestinations() takes a change of memory, which moved tensors to other pages too, for any change", () => {
  const change = (name: string, rest: string) => `%0 = "ttnn.${name}"(%x${rest}) -> ${T}`;
  const told = change("to_memory_config", `, %e) : (${T}, ${T}`);
  assertEquals(without(EMPTY, told)[1], change("to_tensor_spec", `) : (${T}`));
  const later = change("to_memory_config", `) : (${T}`);
  assertEquals(without(EMPTY, later), [0, later]);
});

Deno.test("withoutDestinations() takes a destination for the result wherever else it is named", () => {
  const [ops, ...lines] = without(
    EMPTY,
    `%1 = "ttnn.abs"(%x, %e) : (${T}, ${T}) -> ${T}`,
    `%0 = "ttnn.neg"(%1) : (${T}) -> ${T}`,
    `"ttnn.deallocate"(%e) <{force = false}> : (${T}) -> ()`,
  );
  assertEquals(ops, 1);
  assertEquals(lines.at(-1), `"ttnn.deallocate"(%1) <{force = false}> : (${T}) -> ()`);
});

Deno.test("withoutDestinations() keeps inputs, also those that were filled", () => {
  const full =
    `%e = "ttnn.full"(%d) <{fill_value = 1.0 : f32, shape = #ttnn.shape<32x32>}> : (!ttnn.device) -> ${T}`;
  const kept = `%0 = "ttnn.add"(%x, %e) : (${T}, ${T}) -> ${T}`;
  assertEquals(without(full, kept), [0, full, kept]);
  const other = "tensor<32x32xf32>";
  const reads = `%0 = "ttnn.typecast"(%e) : (${other}) -> ${T}`;
  assertEquals(without(EMPTY.replace(T, other), reads), [0, reads]);
  // A text without any is the module itself.
  const module = parseModule(`func.func @f(%x: ${T}) -> ${T} {\n  return %x : ${T}\n}\n`, "new.mlir");
  assert(withoutDestinations(module).module === module);
});

Deno.test("withoutDestinations() leaves out the device of a pool of early 2025, whose extents become lists", () => {
  const extents = ["dilation", "kernel", "padding", "stride"].flatMap((stem, index) =>
    ["height", "width"].map((side) => `${stem}_${side} = ${index} : si32`)
  );
  const pool = (properties: string, operands: string, types: string) =>
    `%0 = "ttnn.max_pool2d"(${operands}) <{ceil_mode = false, ${properties}}> : (${types}) -> ${T}`;
  const lists = [
    "dilation = array<i32: 0, 0>",
    "kernel_size = array<i32: 1, 1>",
    "padding = array<i32: 2, 2>",
  ];
  assertEquals(
    without(EMPTY, pool(extents.join(", "), "%x, %e, %d", `${T}, ${T}, !ttnn.device`)),
    [1, pool([...lists, "stride = array<i32: 3, 3>"].join(", "), "%x", T)],
  );
});

Deno.test("withoutDestinations() gives ops of 2024 and 2025 today's names, and cuts a device that they take no more", () => {
  const line = (rest: string) => `%0 = "ttnn.${rest} -> ${T}`;
  const [ops, ...named] = without(
    line(`div"(%x, %x) : (${T}, ${T})`).replace("%0", "%1"),
    line(`clamp"(%1) <{max = 1.0 : f32, min = 0.0 : f32}> : (${T})`).replace("%0", "%2"),
    line(`to_layout"(%2, %d) <{layout = #ttnn.layout<tile>}> : (${T}, !ttnn.device)`).replace("%0", "%3"),
    line(`softmax"(%3, %d) <{dimension = 1 : si32}> : (${T}, !ttnn.device)`),
  );
  assertEquals([ops, named.map((text) => /ttnn\.\w+"\([^)]*\)/.exec(text)?.[0])], [0, [
    'ttnn.divide"(%x, %x)',
    'ttnn.clamp_scalar"(%1)',
    'ttnn.to_layout"(%2, %d)',
    'ttnn.softmax"(%3)',
  ]]);
});

Deno.test("withoutDestinations() keeps what an op writes to in every generation", () => {
  const sent = `%0 = "ttnn.point_to_point"(%x, %e) : (${T}, ${T}) -> ${T}`;
  assertEquals(without(EMPTY, sent), [0, sent]);
});

Deno.test("withoutDestinations() takes a change of memory to or from the host of 2024 for any change", () => {
  const layout = (memory: string, rest = "") =>
    `tensor<32x32xbf16, #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<32x32xbf16, #tt.memory_space<${memory}>>${rest}>>`;
  const [host, dram] = [layout("system"), layout("dram", ", interleaved")];
  const change = (name: string, from: string, to: string) =>
    `func.func @f(%x: ${from}) -> ${to} {\n  %0 = "ttnn.${name}"(%x) : (${from}) -> ${to}\n  return %0 : ${to}\n}\n`;
  const read = (from: string, to: string) =>
    withoutDestinations(parseModule(change("to_memory_config", from, to), "old.mlir")).module.text;
  assertEquals(read(host, dram), change("to_tensor_spec", host, dram));
  assertEquals(read(dram, host), change("to_tensor_spec", dram, host));
  assertEquals(read(dram, dram), change("to_memory_config", dram, dram));
});
