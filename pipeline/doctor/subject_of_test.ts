// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { failedCheckOf } from "./failed_check.ts";
import { readRuntimeLog } from "./runtime_log.ts";

/** The subjects and ops that doctor finds in a text, be it a log or a bare message. */
function read(text: string): { readonly subjects: readonly string[]; readonly ops: readonly string[] } {
  const found = readRuntimeLog(text);
  const alone = failedCheckOf(text);
  const failures = found.length > 0 || alone === undefined ? found : [alone];
  return {
    subjects: failures.map((one) => one.kind === "failed_check" ? one.subject : one.kind),
    ops: failures.flatMap((one) => one.kind === "failed_check" ? one.ops ?? [] : []),
  };
}

function assertSubjects(rows: readonly (readonly [subject: string, text: string])[]): void {
  for (const [subject, text] of rows) assertEquals(read(text).subjects, [subject], text);
}

Deno.test("what a message demands counts before what it is about", () => {
  assertSubjects([
    ["divisible", "num_links must be divisible by 3"],
    ["data_type", "the mesh tensor must be BFLOAT16"],
    ["data_type", "ttnn.prod does not support integer inputs - got 5."],
    ["arguments", "page_table must be provided when the cache is paged"],
    ["internal", "Internal error: shard orders of a sharded tensor differ"],
  ]);
});

Deno.test("words of a room tell messages that only say what is wrong", () => {
  assertSubjects([
    ["queue", "Packed command 12 must be smaller than 5"],
    ["board", "Config space reset not completed for device 3!"],
    ["mlir_text", "unexpected dialect section in the input"],
    ["verifier", "must be tensor of index values, but got 'f32'"],
    ["streams", "open_socket_group needs both ends in one process"],
    ["compiler", "sharding rule of the op has no factors"],
    ["model_code", "RuntimeError: Given weight of size [4, 2], expected input to have 2 channels"],
  ]);
});

Deno.test("an assertion and an unreachable case are about their words, and crashes without them", () => {
  assertSubjects([
    ["storage", `Assertion \`onHost(t) && "copy takes tensors on the host only"' failed.`],
    ["crash", "Assertion `x != y' failed."],
  ]);
});

Deno.test("a condition that is one name speaks for itself", () => {
  assertSubjects([["alignment", "TT_FATAL @ /a/tt_metal/impl/x.cpp:1: valid_page_size"]]);
});

Deno.test("words stand after `tt::exception` without `info:`, and in a check as its source spells it", () => {
  assertSubjects([
    [
      "shapes",
      "TT_THROW @ /a/ttnn/cpp/ttnn/operations/eltwise/binary/device/x.cpp:4: tt::exception\nunsupported broadcast",
    ],
    ["mesh", 'fails at TT_FATAL(shape.dims() == 2, "rings need a 2D mesh shape, got {}", shape);'],
  ]);
});

Deno.test("what is said of hangs, builds, tools and local servers in plain words", () => {
  assertSubjects([
    ["hang", "`ttnn.foo_bar()` hangs after 12 tokens."],
    ["hang", "ERROR - HTTPConnectionPool(host='localhost', port=80): Read timed out."],
    ["download", "ERROR - HTTPSConnectionPool(host='example.org', port=443): Read timed out."],
    ["installation", "[3/9] Performing build step for 'x'\nFAILED: [code=2] /a/x-stamp"],
    ["python_call", "TypeError: full() received an invalid combination of arguments - got (torch.dtype)"],
    ["accuracy", "AssertionError: assert 0.42 >= 0.99"],
    ["accuracy", "`ttnn.foo` returns garbage with 3 heads"],
    ["installation", "ERROR: Could not find a version that satisfies the requirement foo==1"],
    ["files", "RuntimeError: Error: descriptor file a/b.yaml does not exist!"],
    ["compiler", "ttnn.foo fails to lower"],
    ["capacity", "Operands of ttnn.foo cannot fit in memory"],
    ["tools", "a.mlir:3:4: error: CHECK-NEXT: expected string not found in input"],
  ]);
});

Deno.test("ops are named by bindings and titles, and never invented outside of ops", () => {
  const call =
    "TypeError: __call__(): incompatible function arguments. The following are supported: 1. (self: " +
    "ttnn._ttnn.operations.creation.arange_t, stop: int)";
  assertEquals(read(call).ops, ["ttnn.arange"]);
  assertEquals(read("[ttnn.softmax] TT_FATAL: Size of cb: 80 must be divisible by 3").ops, ["ttnn.softmax"]);
  assertEquals(read("Unable to reshape a tensor in TILE_LAYOUT to this height").ops, ["ttnn.reshape"]);
  assertEquals(read("resolve_links: no valid submesh assignment found").ops, []);
});
