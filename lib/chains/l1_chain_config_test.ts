// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { L1ChainConfig } from "./l1_chain_config.ts";
import { idOf } from "../../testing/ids.ts";

Deno.test("L1ChainConfig goes InBuild, Built, Resolved, Completed", () => {
  const chain = new L1ChainConfig(0);
  chain.addOp(idOf(4));
  chain.addOp(idOf(5));
  assertEquals(chain.state, "InBuild");
  chain.build();
  assertEquals(chain.state, "Built");
  chain.resolve();
  assertEquals(chain.state, "Resolved");
  const configs = [{ outputLayout: idOf(1), attributes: undefined }, {
    outputLayout: idOf(2),
    attributes: undefined,
  }];
  chain.complete(configs, []);
  assertEquals([chain.state, chain.outputLayout, chain.configOf(idOf(4))?.outputLayout], ["Completed", 2, 1]);
});

Deno.test("L1ChainConfig refuses steps out of order", () => {
  const chain = new L1ChainConfig(3);
  assertThrows(() => chain.resolve(), Error, "Cannot resolve: chain 3 is InBuild, not Built");
  assertThrows(() => chain.complete([], []), Error, "not Resolved");
  chain.build();
  assertThrows(() => chain.addOp(idOf(1)), Error, "Cannot add op 1");
  assertThrows(() => chain.build(), Error, "not InBuild");
  chain.resolve();
  assertThrows(
    () => chain.complete([{ outputLayout: idOf(0), attributes: undefined }], []),
    Error,
    "1 configs for 0 ops",
  );
});

Deno.test("L1ChainConfig can fail from any state and forgets its configs", () => {
  for (const steps of [0, 1, 2, 3]) {
    const chain = new L1ChainConfig(0);
    chain.addOp(idOf(1));
    if (steps > 0) chain.build();
    if (steps > 1) chain.resolve();
    if (steps > 2) chain.complete([{ outputLayout: idOf(7), attributes: undefined }], []);
    chain.fail("no way");
    assertEquals([chain.state, chain.failure, chain.outputLayout], ["Failed", "no way", undefined]);
  }
});
