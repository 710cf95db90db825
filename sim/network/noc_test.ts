// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { withConstants } from "../devices/device.ts";
import { getDevice } from "../devices/device_registry.ts";
import { issueCycles, transferCycles } from "./network.ts";

const device = withConstants(
  getDevice("n150"),
  {
    noc: {
      readBytesPerCycle: 20,
      writeBytesPerCycle: 25,
      readIssue: 40,
      writeIssue: 30,
      readLatency: 500,
      writeLatency: 700,
      maxBurst: 8192,
    },
  },
  "test",
  "guess",
);

Deno.test("issueCycles() of large transactions are their bytes over the rate of their direction", () => {
  assertEquals(issueCycles(device, { kind: "read", transactionBytes: 4000, transactions: 3 }), 3 * 4000 / 20);
  assertEquals(
    issueCycles(device, { kind: "write", transactionBytes: 4000, transactions: 3 }),
    3 * 4000 / 25,
  );
});

Deno.test("issueCycles() of small transactions is their issue time, burst by burst", () => {
  assertEquals(issueCycles(device, { kind: "read", transactionBytes: 32, transactions: 10 }), 10 * 40);
  assertEquals(issueCycles(device, { kind: "write", transactionBytes: 32, transactions: 10 }), 10 * 30);
  const slow = withConstants(device, { noc: { readIssue: 2000 } }, "test", "guess");
  assertEquals(issueCycles(slow, { kind: "read", transactionBytes: 8192, transactions: 1 }), 2000);
  assertEquals(issueCycles(slow, { kind: "read", transactionBytes: 8193, transactions: 1 }), 4000);
});

Deno.test("transferCycles() adds the latency once, and takes nothing for no transaction", () => {
  assertEquals(transferCycles(device, { kind: "read", transactionBytes: 32, transactions: 10 }), 500 + 400);
  assertEquals(transferCycles(device, { kind: "write", transactionBytes: 32, transactions: 10 }), 700 + 300);
  assertEquals(transferCycles(device, { kind: "write", transactionBytes: 32, transactions: 0 }), 0);
});
