// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { LayoutTable } from "../layout/layout_table.ts";
import { makeLayout } from "../layout/make_layout.ts";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { RunKeys } from "./run_keys.ts";

const LAYOUTS = new LayoutTable();
const A = LAYOUTS.intern(
  makeLayout(
    { shape: [32, 32], dataType: "bf16", bufferType: "dram", memoryLayout: "interleaved" },
    TEST_WORMHOLE.workerGrid,
  ),
);
const B = LAYOUTS.intern({ ...LAYOUTS.get(A), bufferType: "l1" });

Deno.test("implementations that differ in a layout, in the operand that has it, or in the config have keys and ids of their own", () => {
  const keys = new RunKeys();
  const impls = [undefined, { kind: "matmul" } as const].flatMap((config) =>
    [undefined, A, B].flatMap((made) =>
      [[A], [A, B], [B, A], [A, A], [undefined, A], [A, B, A], [A, B, B]].map((inputs) => ({
        inputs,
        outputs: [made],
        config,
        reasons: [],
      }))
    )
  );
  assertEquals(new Set(impls.map((impl) => keys.of(impl.inputs, impl))).size, impls.length);
  assertEquals(new Set(impls.map((impl) => keys.idOf(impl))).size, impls.length);
});

Deno.test("equal candidates in different objects have one key and one id", () => {
  const keys = new RunKeys();
  for (const inputs of [[A, B], [A, B, A]]) {
    const impl = () => ({ inputs, outputs: [A], config: { kind: "matmul" } as const, reasons: [] });
    assertEquals(keys.of(inputs, impl()), keys.ofChoice(impl()));
    assertEquals(keys.idOf(impl()), keys.idOf(impl()));
  }
});

Deno.test("keys that exceed a safe integer are strings", () => {
  const keys = new RunKeys();
  const [few, many] = [{ outputs: [A], config: undefined }, { outputs: [A, A], config: undefined }];
  assertEquals(typeof keys.of([A, B], few), "number");
  assertEquals(typeof keys.of([A, B, A], few), "string");
  assertEquals(typeof keys.of([A, B], many), "string");
  // More configs than a byte can distinguish.
  const all = new Set(
    Array.from({ length: 300 }, (_, block) =>
      keys.of([A], {
        outputs: [B],
        config: { kind: "conv2d", conv2dConfig: { actBlockHOverride: block } },
      })),
  );
  assertEquals(all.size, 300);
  assert([...all].some((key) => typeof key === "string"));
});
