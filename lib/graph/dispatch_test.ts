// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { parseModule } from "../ir/mod.ts";
import { dispatchesOf, dispatchOpsOf } from "./dispatch.ts";
import type { Graph } from "./graph.ts";
import { readGraph } from "./read_graph.ts";

const T = "tensor<64x64xbf16>";

/** A function with ops of these names, each of which dispatches to `@inner`. */
function graphOf(...names: readonly string[]): Graph {
  const lines = names.map((name, index) =>
    `    %${index} = "${name}"(%x, %x) <{d2m_func = @inner, operandSegmentSizes = array<i32: 1, 1>}> : (${T}, ${T}) -> ${T}`
  );
  const text = `module {
  func.func private @inner(%x: ${T}) -> ${T} {
    %0 = "ttnn.relu"(%x) : (${T}) -> ${T}
    return %0 : ${T}
  }
  func.func @main(%x: ${T}) -> ${T} {
${lines.join("\n")}
    return %0 : ${T}
  }
}
`;
  return readGraph(parseModule(text, "dispatch.mlir"), TEST_WORMHOLE.workerGrid).graph;
}

Deno.test("a dispatch is a d2m_subgraph whose function nothing else runs for", () => {
  const once = graphOf("ttnn.d2m_subgraph");
  const main = once.functions.find(({ name }) => name === "main");
  assertEquals(
    dispatchesOf(once).map(({ caller, op, callee }) => [caller.name, Number(op), callee.name]),
    [["main", 0, "inner"]],
  );
  assertEquals(main === undefined ? [] : [...dispatchOpsOf(once, main)].map(Number), [0]);
  assertEquals(dispatchesOf(graphOf("ttnn.d2m_subgraph", "ttnn.d2m_subgraph")), []);
  assertEquals(dispatchesOf(graphOf("ttnn.generic")), []);
});
