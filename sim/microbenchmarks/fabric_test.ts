// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals } from "@std/assert";
import { hopMicroseconds, type PacketStream, packetStreamGigabytes } from "./fabric.ts";
import { getMeasuredDevice } from "./measured_device.ts";

const MACHINES = ["t3000", "wormhole-galaxy", "p150x4", "blackhole-galaxy", "p300", "p300-2025"];

const STREAM: PacketStream = {
  packetBytes: 4096,
  route: "line",
  multicast: false,
  increments: false,
  lone: false,
  links: 1,
};

Deno.test("no stream is faster than its link, and larger packets are never slower by the byte", () => {
  for (const machine of MACHINES.map(getMeasuredDevice)) {
    for (const route of ["line", "ring", "mesh"] as const) {
      for (const multicast of [false, true]) {
        const rates = [16, 2048, 4096].map((packetBytes) =>
          packetStreamGigabytes({ ...STREAM, route, multicast, packetBytes }, machine)
        );
        rates.forEach((rate, index) => {
          assert(rate < machine.ethernet.linkBandwidth, `${machine.name} ${route}: ${rate}`);
          assert(rate >= (rates[index - 1] ?? 0));
        });
      }
    }
  }
});

Deno.test("increments of semaphores and shared links cost bandwidth, a lone sender's least", () => {
  for (const machine of MACHINES.map(getMeasuredDevice)) {
    const rate = (changes: Partial<PacketStream>) =>
      packetStreamGigabytes({ ...STREAM, ...changes }, machine);
    assert(rate({ increments: true }) < rate({}));
    assert(rate({ increments: true }) <= rate({ increments: true, lone: true }));
    assert(rate({ links: 2 }) <= rate({}));
    assertAlmostEquals(rate({ links: 2, lone: true }), rate({}), 1e-9);
  }
});

Deno.test("the larger a packet, the later it is on the next chip", () => {
  for (const machine of MACHINES.map(getMeasuredDevice)) {
    const times = [16, 2048, 4096].map((bytes) => hopMicroseconds(bytes, machine));
    assert((times[0] ?? 0) < (times[1] ?? 0) && (times[1] ?? 0) < (times[2] ?? 0));
    assert((times[0] ?? 0) >= machine.ethernet.hopLatency);
  }
});
