// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { parseModule } from "../ir/mod.ts";
import { isDecided, roleOf, runsOnDevice } from "./function_role.ts";
import { readGraph } from "./read_graph.ts";

const T = "tensor<32x32xbf16>";

/** Whether a policy decides a function of this kind with these lines as its body. */
function decided(kind: string, ...lines: readonly string[]): boolean | undefined {
  const text = `module {
  func.func @main(%x: ${T}) -> ${T} attributes {tt.function_type = "${kind}"} {
${lines.join("\n")}
    return %x : ${T}
  }
}
`;
  const [fn] = readGraph(parseModule(text, "role.mlir"), TEST_WORMHOLE.workerGrid).graph.functions;
  return fn && isDecided(fn);
}

Deno.test("policies decide functions of an inference that have ops, and no others", () => {
  const op = `    %0 = "ttnn.relu"(%x) : (${T}) -> ${T}`;
  assertEquals(decided("forward_device", op), true);
  assertEquals(decided("forward_device"), false);
  assertEquals(decided("const_eval", op), false);
  assertEquals(decided("forward_cpu", op), false);
});

Deno.test("functions of an inference or of loading take memory of the chip; host code and wrappers do not", () => {
  assertEquals(
    (["trace_main", "const_eval", "forward_cpu", "trace_execute"] as const).map((kind) =>
      runsOnDevice(roleOf(kind))
    ),
    [true, true, false, false],
  );
});
