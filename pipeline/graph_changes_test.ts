// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { corpusTest, sharedText } from "../testing/corpus.ts";
import { nameOfLocation } from "../lib/overrides/overrides.ts";
import { parseModule } from "../lib/ir/mod.ts";
import { locationText } from "../lib/ir/location.ts";
import { countChanges } from "./graph_changes.ts";
import { loadModule } from "./load_module.ts";

const T = "tensor<64x64xbf16>";
const TURN = "<{dim0 = 0 : si32, dim1 = 1 : si32}>";
const PROGRAM = `module {
  func.func @main(%a: ${T}, %w: ${T} {ttcore.argument_type = #ttcore.argument_type<parameter>}, %b: tensor<64xbf16>) -> (${T}, ${T}) {
    %0 = "ttir.matmul"(%a, %w) : (${T}, ${T}) -> ${T} loc(#loc1)
    %1 = "ttir.add"(%0, %b) : (${T}, tensor<64xbf16>) -> ${T} loc("bias")
    %2 = "ttir.relu"(%1) : (${T}) -> ${T} loc("act")
    %3 = "ttir.relu"(%1) : (${T}) -> ${T} loc("twin")
    %4 = "ttir.transpose"(%3) ${TURN} : (${T}) -> ${T} loc("there")
    %5 = "ttir.transpose"(%4) ${TURN} : (${T}) -> ${T} loc("back")
    return %2, %5 : ${T}, ${T}
  }
}
#loc1 = loc("product")
`;

/** Ops that are gone, as `pass: op into op`, by the names of their locations. */
function fates(passes?: "none"): readonly string[] {
  const { graphChanges } = loadModule(PROGRAM, {
    device: "n150",
    ...(passes === undefined ? {} : { passes }),
  });
  return countChanges(graphChanges).flatMap(({ pass, merged = [] }) =>
    merged.map(({ location, into, intoLocation = "" }) =>
      `${pass}: ${nameOfLocation(location)} into ${into ?? "nothing"} ${nameOfLocation(intoLocation) ?? ""}`
        .trim()
    )
  );
}

Deno.test("of every op that is gone it is told which pass merged it into which op", () => {
  const folded = ["lowering: there into nothing", "lowering: back into nothing"];
  assertEquals(fates(), [
    ...folded,
    "fuse-linear: product into ttnn.linear bias",
    "fuse-linear: bias into ttnn.linear bias",
    "cse: twin into ttnn.relu act",
  ]);
  assertEquals(fates("none"), folded);
});

corpusTest("every op of real TTIR is in the graph by its location, or told to be gone", () => {
  const text = sharedText("corpus", "dumps", "ttir", "tools_explorer_test_models_resnet_ttir.mlir");
  const { module, graphChanges } = loadModule(text, { device: "n150" });
  const input = parseModule(text, "m.mlir");
  const left = new Set(module.operations.map((op) => locationText(module, op.location)));
  const told = new Set(graphChanges.flatMap(({ merged = [] }) => merged.map(({ location }) => location)));
  const missing = input.operations.filter((op) => op.name.startsWith("ttir.") && op.operands.length > 0)
    .map((op) => locationText(input, op.location)).filter((location) =>
      location !== "" && !left.has(location) && !told.has(location)
    );
  assertEquals(missing, []);
});
