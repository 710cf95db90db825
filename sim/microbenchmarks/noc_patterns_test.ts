// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import fc from "fast-check";
import { getMeasuredDevice } from "./measured_device.ts";
import { allToAllCycles, dramRunCycles, multicastCycles, unicastCycles } from "./noc_patterns.ts";

const devices = fc.constantFrom("n150", "p150-13x10").map((name) => getMeasuredDevice(name));
const bytes = fc.integer({ min: 4, max: 14 }).map((power) => 2 ** power);
const counts = fc.integer({ min: 1, max: 256 });
const kinds = fc.constantFrom("read" as const, "write" as const);

Deno.test("unicastCycles() is never faster than the link and grows with bytes, transactions and peers", () => {
  fc.assert(
    fc.property(devices, kinds, bytes, counts, fc.boolean(), (device, kind, size, transactions, stateful) => {
      const run = { kind, transactionBytes: size, transactions, peers: 1, sameAxis: false, stateful };
      const cycles = unicastCycles(run, device);
      assert(cycles >= size * transactions / device.noc.linkBytesPerCycle);
      assert(unicastCycles({ ...run, transactionBytes: 2 * size }, device) >= cycles);
      assert(unicastCycles({ ...run, transactions: 2 * transactions }, device) >= cycles);
      assert(unicastCycles({ ...run, peers: 8 }, device) >= cycles);
    }),
  );
});

Deno.test("multicastCycles() is never faster than the link, and linked never slower than unlinked", () => {
  const extents = fc.integer({ min: 1, max: 8 });
  fc.assert(
    fc.property(devices, bytes, counts, extents, extents, (device, size, transactions, columns, rows) => {
      const run = { transactionBytes: size, transactions, columns, rows, linked: true, loopback: false };
      const cycles = multicastCycles(run, device);
      assert(cycles >= size * transactions / device.noc.linkBytesPerCycle);
      if (columns * rows <= 8) assert(multicastCycles({ ...run, linked: false }, device) >= cycles);
    }),
  );
});

Deno.test("allToAllCycles() and dramRunCycles() grow with bytes", () => {
  fc.assert(fc.property(devices, kinds, bytes, counts, (device, kind, size, transactions) => {
    const run = { kind, transactionBytes: size, transactions, columns: 8, rows: 8 };
    assert(
      allToAllCycles({ ...run, transactionBytes: 2 * size }, device) >= allToAllCycles(run, device),
    );
    const dram = { kind, transactionBytes: size, transactions, interleaved: true };
    assert(dramRunCycles({ ...dram, transactions: transactions + 1 }, device) >= dramRunCycles(dram, device));
  }));
});
