// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { policies } from "../lib/policy/policies.ts";
import { DEVICE_NAMES } from "../sim/devices/device_registry.ts";
import { BUNDLED_DEVICES } from "./device_names.ts";
import { POLICY_NAMES } from "./policy_names.ts";

Deno.test("POLICY_NAMES names every policy, in the order of the registry", () => {
  assertEquals(POLICY_NAMES, policies.map((policy) => policy.name));
});

Deno.test("BUNDLED_DEVICES names every device, in the order of the registry", () => {
  assertEquals(BUNDLED_DEVICES, DEVICE_NAMES);
});
