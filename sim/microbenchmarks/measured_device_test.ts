// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import { DiagnosticError } from "../../lib/diagnostics/diagnostic.ts";
import { DEVICE_NAMES, getDevice } from "../devices/device_registry.ts";
import { DEVICE_SCHEMA } from "../devices/device_schema.ts";
import { getMeasuredDevice, withMeasuredConstants } from "./measured_device.ts";
import { MICROBENCHMARK_SCHEMA } from "./microbenchmark_schema.ts";

Deno.test("microbenchmark constants stand in sections that no device has", () => {
  const shared = Object.keys(MICROBENCHMARK_SCHEMA).filter((section) => section in DEVICE_SCHEMA);
  assertEquals(shared, []);
  for (const name of DEVICE_NAMES) {
    const plain = getDevice(name);
    assertEquals(Object.keys(MICROBENCHMARK_SCHEMA).filter((section) => section in plain), []);
  }
});

Deno.test("getMeasuredDevice() adds every microbenchmark constant, with its source, to every device", () => {
  for (const name of [...DEVICE_NAMES, "n150-2025-06"]) {
    const device = getMeasuredDevice(name);
    assertEquals(device.name, name);
    for (const [section, units] of Object.entries(MICROBENCHMARK_SCHEMA)) {
      for (const [constant, [unit]] of Object.entries<readonly string[]>(units)) {
        const found = device.constants[section]?.[constant];
        assert(found !== undefined && found.source.length > 0, `${name} ${section}.${constant}`);
        assertEquals(found.unit, unit);
      }
    }
  }
  assertThrows(() => getMeasuredDevice("n42"), DiagnosticError, "devices are n150");
});

Deno.test("withMeasuredConstants() changes constants of both kinds and leaves the rest alone", () => {
  const before = getMeasuredDevice("n150");
  const after = withMeasuredConstants(
    before,
    { clock: { aiclk: 800 }, dispatcher: { base: 9 } },
    "test",
    "guess",
  );
  assertEquals([after.clock.aiclk, after.dispatcher.base], [800, 9]);
  assertEquals([before.clock.aiclk, before.dispatcher.base === 9], [1000, false]);
  assertEquals(after.constants.dispatcher?.base?.source, "test");
  assertEquals(after.constants.dispatcher?.configure, before.constants.dispatcher?.configure);
  assertThrows(
    () => withMeasuredConstants(before, { dispatcher: { bas: 9 } }, "test", "guess"),
    RangeError,
    "dispatcher.bas",
  );
});
