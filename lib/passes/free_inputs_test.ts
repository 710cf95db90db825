// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { LoadedModule } from "../../pipeline/prepared_module.ts";
import { loadModule } from "../../pipeline/load_module.ts";

const IMAGE = "tensor<2x3x32x32xbf16>";
const LAST = "tensor<2x32x32x3xbf16>";
const MADE = "tensor<2x32x32x8xbf16>";
const WEIGHT = "tensor<3x8xbf16>";

/** A product over channels, which come second in what is given. */
function loaded(role: string, returned: string, part?: string, status = "unsharded"): LoadedModule {
  const permutation = "<{permutation = array<i64: 0, 2, 3, 1>}>";
  const local = part === undefined
    ? ""
    : `, ttcore.local_shape = #ttcore<local_shape local_shape = ${part}>, ttcore.shard_status = #ttcore.shard_status<${status}>`;
  const given = `%x: ${IMAGE} {ttcore.argument_type = #ttcore.argument_type<${role}>${local}}, %w: ${WEIGHT}`;
  const results = returned === "%x" ? `(${MADE}, ${IMAGE})` : MADE;
  const text = `func.func @main(${given}) -> ${results} {
  %0 = "ttir.permute"(%x) ${permutation} : (${IMAGE}) -> ${LAST}
  %1 = "ttir.matmul"(%0, %w) : (${LAST}, ${WEIGHT}) -> ${MADE}
  return ${returned === "%x" ? `%1, %x : ${MADE}, ${IMAGE}` : `%1 : ${MADE}`}
}`;
  return loadModule(text, { device: "n150", passes: { off: new Set(), freesInputs: true } });
}

function opsOf({ binding: { graph } }: LoadedModule): readonly string[] {
  return graph.functions.flatMap(({ ops }) => ops.map(({ name }) => name));
}

function notesOf(changes: LoadedModule["graphChanges"]): readonly string[] {
  return changes.flatMap(({ note }) => note ?? []);
}

Deno.test("an input arrives as its only reader wants it, and callers are told", () => {
  const freed = loaded("input", "%1");
  assertEquals(opsOf(freed), ["ttnn.matmul"]);
  const [, shape] = /%\w+: tensor<([\dx]+)xbf16/.exec(freed.module.text) ?? [];
  assertEquals(
    notesOf(freed.graphChanges).at(-1),
    `argument 0 of @main arrives after ttnn.permute to ${shape} in tiles`,
  );
});

Deno.test("neither an input with two readers nor a parameter arrives permuted", () => {
  for (const kept of [loaded("input", "%x"), loaded("parameter", "%1")]) {
    assertEquals(notesOf(kept.graphChanges).filter((note) => note.includes("permute")), []);
    assertMatch(kept.module.text, /tensor<2x3x32x32xbf16/);
  }
});

Deno.test("what a chip has of an input is said anew with its dimensions, and a part of it keeps them", () => {
  const { text } = loaded("input", "%1", IMAGE).module;
  const [, shape] = /%\w+: tensor<([\dx]+)xbf16/.exec(text) ?? [];
  assertStringIncludes(text, `local_shape = tensor<${shape}xbf16>`);
  assertMatch(
    loaded("input", "%1", "tensor<1x3x32x32xbf16>", "presharded").module.text,
    /tensor<2x3x32x32xbf16/,
  );
});
