// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { getDevice } from "../devices/device_registry.ts";
import { networkOf, transferCycles } from "./network.ts";
import { describeLink, linkCount } from "./noc_route.ts";
import { type Flow, flowTraffic } from "./traffic.ts";
import fc from "fast-check";

function chip(name: string) {
  const device = getDevice(name);
  const network = networkOf(device);
  assert(network);
  return { device, network, flow: flowTraffic(device, network) };
}

function arbitraryFlows(places: number, cores: number): fc.Arbitrary<Flow[]> {
  const core = fc.integer({ min: 0, max: cores - 1 });
  const common = {
    bytes: fc.integer({ min: 1, max: 1 << 18 }),
    transactionBytes: fc.constantFrom(32, 512, 2048, 8192, 20000),
    noc: fc.constantFrom(0 as const, 1 as const),
  };
  const read = fc.record({
    kind: fc.constant("read" as const),
    source: fc.integer({ min: 0, max: places - 1 }),
    destinations: fc.tuple(core),
    ...common,
  });
  const write = fc.record({
    kind: fc.constant("write" as const),
    source: core,
    destinations: fc.uniqueArray(core, { minLength: 1, maxLength: 5 }),
    ...common,
  });
  return fc.array(fc.oneof(read, write), { minLength: 1, maxLength: 24 });
}

Deno.test("flowTraffic() is never faster than its busiest resource, nor a flow than alone on the network", () => {
  for (const name of ["n150", "p100"]) {
    const { network, flow } = chip(name);
    fc.assert(
      fc.property(arbitraryFlows(network.nodes.length, network.cores), (flows) => {
        const together = flow.time(flows);
        const alone = flows.map((one) => flow.time([one]));
        assert(together.cycles >= (together.bottleneck?.cycles ?? 0) * (1 - 1e-9));
        together.arrival.forEach((cycles, index) =>
          assert(cycles >= (alone[index]?.cycles ?? Infinity) * (1 - 1e-9))
        );
        const loads = alone.reduce(
          (sum, { linkBytes }) => sum.map((bytes, link) => bytes + (linkBytes[link] ?? 0)),
          new Float64Array(together.linkBytes.length),
        );
        loads.forEach((bytes, link) =>
          assertAlmostEquals(together.linkBytes[link] ?? 0, bytes, 1e-6 * Math.max(1, bytes))
        );
      }),
      { numRuns: 60 },
    );
  }
});

Deno.test("cyclesAtMost is never below the time of any flows, and just that of equal flows through one bank", () => {
  for (const name of ["n150", "p100"]) {
    const { network, flow } = chip(name);
    fc.assert(
      fc.property(arbitraryFlows(network.nodes.length, network.cores), (flows) => {
        const load = flow.load(flows);
        assert(load.cyclesAtMost >= load.time().cycles * (1 - 1e-9));
      }),
      { numRuns: 100 },
    );
    const readers = Array.from({ length: network.cores }, (_, core): Flow => ({
      kind: "read",
      noc: 0,
      source: network.cores,
      destinations: [core],
      bytes: 1 << 16,
      transactionBytes: 2048,
    }));
    const load = flow.load(readers);
    assertAlmostEquals(load.cyclesAtMost / load.time().cycles, 1, 1e-3);
  }
});

Deno.test("flowTraffic() lets every unicast byte that enters a router leave it again", () => {
  const { network, flow } = chip("n150");
  const nameOf = (noc: number, x: number, y: number, kind: string) => `${noc}:${x},${y}:${kind}`;
  const links = new Map(
    Array.from({ length: linkCount(network) }, (_, link) => {
      const { noc, x, y, kind } = describeLink(network, link);
      return [nameOf(noc, x, y, kind), link] as const;
    }),
  );
  const unicast = arbitraryFlows(network.nodes.length, network.cores)
    .map((flows) => flows.map((one) => ({ ...one, destinations: one.destinations.slice(0, 1) })));
  fc.assert(
    fc.property(unicast, (flows) => {
      const { linkBytes } = flow.time(flows);
      for (const noc of [0, 1] as const) {
        for (let node = 0; node < network.columns * network.rows; node++) {
          const x = node % network.columns;
          const y = Math.floor(node / network.columns);
          const step = noc === 0 ? -1 : 1;
          const left = y * network.columns + (x + step + network.columns) % network.columns;
          const above = ((y + step + network.rows) % network.rows) * network.columns + x;
          const bytes = (at: number, kind: "x" | "y" | "inject" | "eject") => {
            const link = links.get(nameOf(noc, at % network.columns, Math.floor(at / network.columns), kind));
            assert(link !== undefined);
            return linkBytes[link] ?? 0;
          };
          const entered = bytes(left, "x") + bytes(above, "y") + bytes(node, "inject");
          const left2 = bytes(node, "x") + bytes(node, "y") + bytes(node, "eject");
          assertAlmostEquals(entered, left2, 1e-6 * Math.max(1, entered));
        }
      }
    }),
    { numRuns: 40 },
  );
});

Deno.test("a transaction takes whole flits of every link, and one more for the header of each packet", () => {
  const { device, flow } = chip("n150");
  const { linkBytesPerCycle: flit, maxBurst } = device.noc;
  assertEquals([flit, maxBurst], [32, 8192]);
  const packets: readonly (readonly [transactionBytes: number, flits: number])[] = [
    [32, 1 + 1],
    [100, 4 + 1],
    [8192, 256 + 1],
    [8193, 257 + 2],
    [20000, 625 + 3],
  ];
  for (const [transactionBytes, flits] of packets) {
    const { linkBytes } = flow.time([
      { kind: "read", noc: 0, source: 0, destinations: [1], bytes: 10 * transactionBytes, transactionBytes },
    ]);
    const carried = linkBytes.filter((bytes) => bytes > 0);
    assert(carried.length > 0);
    for (const bytes of carried) assertAlmostEquals(bytes, 10 * flits * flit, 1e-6);
  }
});

Deno.test("flowTraffic() takes longer when more bytes move", () => {
  const { network, flow } = chip("n150");
  fc.assert(
    fc.property(arbitraryFlows(network.nodes.length, network.cores), (flows) => {
      const more = flows.map((one) => ({ ...one, bytes: one.bytes * 2 }));
      assert(flow.time(more).cycles > flow.time(flows).cycles);
    }),
    { numRuns: 40 },
  );
});

Deno.test("flowTraffic() agrees with the closed form of one core's transfers on an idle network", () => {
  for (const name of ["n150", "p150-13x10"]) {
    const { device, flow } = chip(name);
    const diagonal = device.grid.workerColumns + 1;
    for (const kind of ["read", "write"] as const) {
      for (const transactionBytes of [64, 512, 2048, 8192]) {
        const transactions = 64;
        const flows: Flow[] = [{
          kind,
          noc: kind === "read" ? 0 : 1,
          source: kind === "read" ? diagonal : 0,
          destinations: [kind === "read" ? 0 : diagonal],
          bytes: transactions * transactionBytes,
          transactionBytes,
        }];
        const closed = transferCycles(device, { kind, transactionBytes, transactions });
        // The closed form knows no header flits, which cost up to one flit per transaction.
        const { cycles } = flow.time(flows);
        assert(cycles >= closed * 0.999 && cycles <= closed * 1.06, `${name} ${kind} ${cycles} ${closed}`);
      }
    }
  }
});

Deno.test("flowTraffic() waits longer for a diagonal than for a neighbour, and least for the core itself", () => {
  const { device, network, flow } = chip("n150");
  const read = (source: number): number =>
    flow.time([{ kind: "read", noc: 0, source, destinations: [0], bytes: 64, transactionBytes: 64 }]).cycles;
  const columns = device.grid.workerColumns;
  // tt-metal:noc-latencies, one 64 B read: same axis 205 cycles, diagonal 293.
  assertAlmostEquals(read(columns), 205, 25);
  assertAlmostEquals(read(1), 205, 25);
  assertAlmostEquals(read(columns + 1), 293, 30);
  assert(read(0) < read(1));
  assert(network.cores === 64);
});

Deno.test("flowTraffic() finds the measured collapse of randomly placed DRAM readers on NoC1", () => {
  // tt-isa:dram: 48 cores at random places, 12 channels, 1 MiB per core: 200 GB/s on
  // NoC0, 77.5 GB/s on NoC1; 12 cores: 189.8 and 82.0. Nothing of the network model is fitted to these.
  const { device, network, flow } = chip("n150");
  const bandwidth = (cores: number, noc: 0 | 1): number => {
    let seed = 1;
    const random = () => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
    let sum = 0;
    const rounds = 20;
    for (let round = 0; round < rounds; round++) {
      const order = Array.from({ length: network.cores }, (_, core) => ({ core, key: random() }))
        .sort((a, b) => a.key - b.key);
      const flows = order.slice(0, cores).map(({ core }, index): Flow => ({
        kind: "read",
        noc,
        source: network.cores + index % 12,
        destinations: [core],
        bytes: 2 ** 20,
        transactionBytes: 8192,
      }));
      sum += cores * 2 ** 20 / flow.time(flows).cycles * device.clock.aiclk / 1000;
    }
    return sum / rounds;
  };
  assertAlmostEquals(bandwidth(48, 0), 200, 20);
  assertAlmostEquals(bandwidth(48, 1), 77.5, 20);
  assertAlmostEquals(bandwidth(12, 0), 189.8, 40);
  assertAlmostEquals(bandwidth(12, 1), 82, 15);
});

Deno.test("flowTraffic() names the resource that limits", () => {
  const { network, flow } = chip("n150");
  const flows = Array.from({ length: 24 }, (_, core): Flow => ({
    kind: "read",
    noc: 0,
    source: network.cores + 3,
    destinations: [core],
    bytes: 1 << 16,
    transactionBytes: 2048,
  }));
  const { bottleneck, bankBytes } = flow.time(flows);
  assertEquals(bottleneck?.kind, "dram_bank");
  assertEquals(bottleneck?.name, "DRAM bank 3");
  assertEquals(bankBytes[3], 24 << 16);
  assertEquals(flow.time([]).cycles, 0);
  assertEquals(describeLink(network, 0), { noc: 0, x: 0, y: 0, kind: "x" });
});

Deno.test("a linked multicast is quicker than one that reserves its path every time", () => {
  const { flow } = chip("n150");
  const multicast = (linked: boolean): Flow => ({
    kind: "write",
    noc: 1,
    source: 0,
    destinations: Array.from({ length: 63 }, (_, core) => core + 1),
    bytes: 1 << 18,
    transactionBytes: 2048,
    linked,
  });
  assert(flow.time([multicast(true)]).cycles * 2 < flow.time([multicast(false)]).cycles);
});
