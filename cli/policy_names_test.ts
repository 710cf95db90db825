// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { policies } from "../lib/policy/policies.ts";
import { POLICY_NAMES } from "./policy_names.ts";

Deno.test("POLICY_NAMES names every policy, in the order of the registry", () => {
  assertEquals(POLICY_NAMES, policies.map((policy) => policy.name));
});
