// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { type GapHelp, greatestHelps } from "./gap_helps.ts";
import type { GapRegion } from "./gap_regions.ts";

function region(op: number, lostUs: number, limit: GapRegion["limit"], shortBytes = 64): GapRegion {
  const worst = { op, name: "ttnn.relu", plan: "", optimum: "" };
  return { function: "main", ops: [op], lostUs, limit, shortBytes, worst };
}

Deno.test("greatestHelps() adds up the copies that a rule forces, and asks for the most L1 that one of them lacks", () => {
  const rule: GapHelp = { kind: "rule", what: "pool/rows", us: 2, amount: 1 };
  const l1: GapHelp = { kind: "l1", what: "ttnn.add (op 3)", us: 1, amount: 512 };
  assertEquals(greatestHelps([], () => 0, [rule, l1, { ...rule, us: 3 }, { ...l1, us: 1.5, amount: 256 }]), [
    { ...rule, us: 5, amount: 2 },
    { ...l1, us: 2.5, amount: 512 },
  ]);
});

Deno.test("greatestHelps() limits the gain by L1 to what the regions lose that it helps, and to the bound's", () => {
  const regions = [
    region(1, 8, "l1_capacity"),
    region(2, 6, "search"),
    region(3, 3, "l1_capacity", 128),
    region(4, 1, "l1_capacity", 128),
  ];
  const saved = (gain: number) =>
    greatestHelps(regions, () => gain, []).map(({ what, us }) => `${what} ${us}`);
  assertEquals(saved(10), ["ttnn.relu (op 1) 8", "ttnn.relu (op 3) 4"]);
  assertEquals(saved(5), ["ttnn.relu (op 1) 5", "ttnn.relu (op 3) 4"]);
  assertEquals(saved(0), []);
});

Deno.test("greatestHelps() asks what more L1 saves only where that may be among the greatest", () => {
  const rules = Array.from({ length: 5 }, (_, index): GapHelp => ({
    kind: "rule",
    what: `rule/${index}`,
    us: 10,
    amount: 1,
  }));
  const asked: number[] = [];
  const regions = [region(1, 12, "l1_capacity", 1), region(2, 9, "l1_capacity", 2)];
  const found = greatestHelps(regions, (_, more) => asked.push(more) * 11, rules);
  assertEquals(asked, [1]);
  assertEquals(found.map(({ us }) => us), [11, 10, 10, 10, 10]);
});
