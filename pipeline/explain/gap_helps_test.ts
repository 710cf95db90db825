// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { type GapHelp, greatestHelps } from "./gap_helps.ts";
import type { GapRegion } from "./gap_regions.ts";

function region(op: number, lostUs: number, limit: GapRegion["limit"]): GapRegion {
  const worst = { op, name: "ttnn.relu", plan: "", optimum: "" };
  return { function: "main", ops: [op], lostUs, limit, shortBytes: 64, worst };
}

Deno.test("greatestHelps() adds up the copies that a rule forces, and asks for the most L1 that one of them lacks", () => {
  const rule: GapHelp = { kind: "rule", what: "pool/rows", us: 2, amount: 1 };
  const l1: GapHelp = { kind: "l1", what: "ttnn.add (op 3)", us: 1, amount: 512 };
  assertEquals(greatestHelps([], () => 0, [rule, l1, { ...rule, us: 3 }, { ...l1, us: 1.5, amount: 256 }]), [
    { ...rule, us: 5, amount: 2 },
    { ...l1, us: 2.5, amount: 512 },
  ]);
});

Deno.test("greatestHelps() limits the gain by L1 to a region's loss and to the bound's", () => {
  const regions = [region(1, 8, "l1_capacity"), region(2, 6, "search"), region(3, 4, "l1_capacity")];
  const saved = (gain: number) =>
    greatestHelps(regions, () => gain, []).map(({ what, us }) => `${what} ${us}`);
  assertEquals(saved(10), ["ttnn.relu (op 1) 8", "ttnn.relu (op 3) 4"]);
  assertEquals(saved(5), ["ttnn.relu (op 1) 5", "ttnn.relu (op 3) 4"]);
  assertEquals(saved(0), []);
});
