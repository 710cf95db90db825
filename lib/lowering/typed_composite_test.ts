// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { parseModule } from "../ir/mod.ts";
import { lowerModule } from "./lower_module.ts";
import { needsLowering } from "./needs_lowering.ts";
import { loweredBody } from "./testing/lowered_body.ts";

/** A composite whose decomposition is the placeholder that front ends write: it only has the right type. */
function composite(
  name: string,
  types: readonly string[],
  result: string,
  attributes: string,
): string {
  const parameters = types.map((type, index) => `%a${index}: ${type}`).join(", ");
  const operands = types.map((_, index) => `%a${index}`).join(", ");
  return `module {
  func.func @main(${parameters}) -> ${result} {
    %0 = "ttcore.composite"(${operands}) <{composite_name = "${name}", decomposition = @parts, ` +
    `composite_attributes = {${attributes}}}> : (${types.join(", ")}) -> ${result}
    return %0 : ${result}
  }
  func.func private @parts(${parameters}) -> ${result} {
    %0 = "ttir.empty"() : () -> ${result}
    return %0 : ${result}
  }
}
`;
}

/** The first op of that name, without its SSA results. */
function written(text: string, name: string): string | undefined {
  return loweredBody(text).find((line) => line.includes(`"${name}"`))?.replace(/^%\d+ = /, "");
}

Deno.test("a composite that upstream makes a TTNN op becomes this op, whatever its decomposition says", () => {
  const [q, k, v] = ["tensor<1x16x32x128xbf16>", "tensor<1x1x32x128xbf16>", "tensor<1x1x32x64xbf16>"];
  const out = "tensor<1x16x32x64xbf16>";
  const flags = (value: boolean, mask: boolean): string =>
    `head_dim_v = 64 : ui32, is_causal = ${!mask}, has_value = ${value}, has_attention_mask = ${mask}, scale = 5.000000e-01 : f32`;
  const latent = (types: readonly string[], value: boolean, mask: boolean): string | undefined =>
    written(composite("flash_mla_prefill", types, out, flags(value, mask)), "ttnn.flash_mla_prefill");
  const properties = (sizes: string, causal: boolean): string =>
    `<{head_dim_v = 64 : ui32, is_causal = ${causal}, operandSegmentSizes = array<i32: ${sizes}>, scale = 5.000000e-01 : f32}>`;
  assertEquals(
    latent([q, k, v], true, false),
    `"ttnn.flash_mla_prefill"(%arg0, %arg1, %arg2) ${
      properties("1, 1, 1, 0", true)
    } : (${q}, ${k}, ${v}) -> ${out}`,
  );
  const mask = "tensor<1x1x32x32xbf16>";
  assertEquals(
    latent([q, k, mask], false, true),
    `"ttnn.flash_mla_prefill"(%arg0, %arg1, %arg2) ${
      properties("1, 1, 0, 1", false)
    } : (${q}, ${k}, ${mask}) -> ${out}`,
  );
});

Deno.test("a rotation of rows that fill no tile is cut to them", () => {
  const [x, c] = ["tensor<1x8x17x64xbf16>", "tensor<1x1x17x64xbf16>"];
  const body = loweredBody(composite("rotary_embedding", [x, c, c], x, ""));
  assertEquals(
    body[0],
    `%0 = "ttnn.rotary_embedding"(%arg0, %arg1, %arg2) : (${x}, ${c}, ${c}) -> tensor<1x8x32x64xbf16>`,
  );
  assert(body[1]?.includes("ttnn.slice_static"), body[1]);
});

Deno.test("a module whose only op is such a composite is TTIR, one of an unknown composite is not", () => {
  const types = [
    "tensor<1x2x32x64xbf16>",
    "tensor<8x2x32x64xbf16>",
    "tensor<8x2x32x64xbf16>",
    "tensor<1x4xi32>",
  ];
  const text = (name: string): string =>
    composite(name, [...types, "tensor<1xi32>"], types[0] ?? "", "").replace(/ {4}%0 = "ttir.empty".*\n/, "")
      .replace(/(@parts[^]*)return %0/, "$1return %a0");
  assert(needsLowering(parseModule(text("chunked_scaled_dot_product_attention"), "a.mlir")));
  assert(!needsLowering(parseModule(text("unknown"), "a.mlir")));
  assert(written(text("chunked_scaled_dot_product_attention"), "ttnn.chunked_scaled_dot_product_attention"));
});

Deno.test("kernels that only Blackhole has become ops there; on Wormhole their decomposition takes their place", () => {
  const [x, index] = ["tensor<1x512xbf16>", "tensor<1x512xui32>"];
  const text = composite("topk_large_indices", [x], index, "k = 512 : ui32");
  const on = (chip: typeof TEST_WORMHOLE): boolean =>
    lowerModule(parseModule(text, "a.mlir"), chip).includes('"ttnn.topk_large_indices"');
  assertEquals([on({ ...TEST_WORMHOLE, architecture: "blackhole" }), on(TEST_WORMHOLE)], [true, false]);
});

Deno.test("attention in training becomes its kernel in four dimensions, where its tokens fill tiles", () => {
  const attention = (rows: number): readonly string[] => {
    const type = `tensor<8x${rows}x64xbf16>`;
    const attributes =
      "mask_type = #ttcore.attention_mask_type<causal>, dropout_probability = 0.000000e+00 : f32, " +
      "return_intermediates = false";
    return loweredBody(composite("sdpa_fw", [type, type, type], type, attributes));
  };
  const kernel = attention(64).find((line) => line.includes("ttnn.sdpa_fw")) ?? "";
  const four = "tensor<1x8x64x64xbf16>";
  assertEquals(kernel.replace(/^.*? : \(/, "("), `(${four}, ${four}, ${four}) -> ${four}`);
  assert(kernel.includes("mask_type = #ttcore.attention_mask_type<causal>"), kernel);
  assert(!attention(31).some((line) => line.includes("ttnn.sdpa_fw")));
});

Deno.test("the gated delta rule says which of its operands are there", () => {
  const [q, v, g, state] = [
    "tensor<1x64x4x32xbf16>",
    "tensor<1x64x8x32xbf16>",
    "tensor<1x64x8xf32>",
    "tensor<1x8x32x32xf32>",
  ];
  const text = composite(
    "chunk_gated_delta_rule",
    [q, q, v, g, g, state],
    v,
    "has_initial_state = true, chunk_size = 32 : ui32",
  );
  const kernel = written(text, "ttnn.chunk_gated_delta_rule") ?? "";
  assert(kernel.includes("operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>"), kernel);
  assert(kernel.includes("chunk_size = 32 : ui32"), kernel);
});
