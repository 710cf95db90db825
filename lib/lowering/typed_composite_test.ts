// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { parseModule } from "../ir/mod.ts";
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
