// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { chipDramBandwidth, type DramStreams } from "./dram_streams.ts";
import { getMeasuredDevice } from "./measured_device.ts";

const N150 = getMeasuredDevice("n150");
const STREAMS = { cores: 48, channels: 12, placed: false, noc: 0, dynamicChannels: false } as const;

function bandwidth(streams: Partial<DramStreams>): number {
  return chipDramBandwidth({ ...STREAMS, kind: "read", ...streams }, N150);
}

Deno.test("reads at random places suit NoC0, writes NoC1, and cores next to their channels beat both", () => {
  // tt-isa:dram: 200 and 78 GB/s read, 52 and 134 GB/s written.
  assert(bandwidth({ noc: 0 }) > 2 * bandwidth({ noc: 1 }));
  assert(bandwidth({ kind: "write", noc: 1 }) > 2 * bandwidth({ kind: "write", noc: 0 }));
  for (const kind of ["read", "write"] as const) {
    for (const noc of [0, 1] as const) {
      assert(bandwidth({ kind, placed: true, noc }) >= bandwidth({ kind, noc }));
    }
  }
});

Deno.test("streams never exceed the share that their channels sustain", () => {
  const { banks, peakBandwidth } = N150.dram;
  for (const channels of [1, 6, 12]) {
    const most = peakBandwidth * channels / banks;
    assert(bandwidth({ channels, placed: true }) <= most);
    assert(bandwidth({ channels, kind: "write", placed: true, noc: 1 }) <= most);
  }
  // As many channels as cores are busy at most.
  assertEquals(bandwidth({ cores: 2, placed: true }), bandwidth({ cores: 2, channels: 2, placed: true }));
});
