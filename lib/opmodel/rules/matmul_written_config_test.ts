// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import { layoutOf, signatureOf, tensorOf } from "../../../testing/op_queries.ts";
import type { Attribute } from "../../ir/attribute.ts";
import { LayoutTable } from "../../layout/layout_table.ts";
import { isSharded } from "../../layout/ttnn_layout.ts";
import { createOpModel } from "../create_op_model.ts";

/** An op model that answers as the backend does, and one that answers for what plans write. */
function models() {
  const layouts = new LayoutTable();
  return {
    asIs: createOpModel({ chip: TEST_WORMHOLE, layouts }),
    asWritten: createOpModel({ chip: TEST_WORMHOLE, layouts, asWritten: true }),
  };
}

const RELU: Readonly<Record<string, Attribute>> = { activation: { kind: "string", value: "relu" } };

Deno.test("an activation behind a sharded operand is refused as it stands, and written into the program config", () => {
  const { asIs, asWritten } = models();
  const [a, b, out] = [tensorOf([256, 512]), tensorOf([512, 512]), tensorOf([256, 512])];
  const op = signatureOf("ttnn.matmul", [a, b], [out], RELU);
  for (const result of ["dram", "l1", "bs 8x8"]) {
    const inputs = [layoutOf(asIs, a, "bs 8x8"), layoutOf(asIs, b, "dram")];
    const hint = layoutOf(asIs, out, result);
    const refused = asIs.queryOpConstraints(op, inputs, hint, undefined);
    assertEquals(refused.status === "invalid" && refused.rule, "matmul/activation-of-shards");
    const answer = asWritten.queryOpConstraints(op, inputs, hint, undefined);
    assert(answer.status === "valid" && answer.config?.kind === "matmul");
    const { programConfig, computeConfig } = answer.config;
    assert(programConfig?.kind === "matmul_multi_core_reuse_multi_cast");
    assertEquals(programConfig.fusedActivation, { opType: "relu", params: [] });
    // Without it, a program config would lower the fidelity.
    assertEquals(computeConfig?.mathFidelity, "hifi2");
    assertEquals(answer.programs.length, 1);
  }
});

Deno.test("products of DRAM tensors keep what they have", () => {
  const { asWritten } = models();
  const [a, b, out] = [tensorOf([256, 512]), tensorOf([512, 512]), tensorOf([256, 512])];
  const op = signatureOf("ttnn.matmul", [a, b], [out], RELU);
  const dram = [a, b].map((tensor) => layoutOf(asWritten, tensor, "dram"));
  assertEquals(asWritten.writtenConfig?.(op, dram, layoutOf(asWritten, out, "dram"), undefined), undefined);
});

Deno.test("a plan's written config means the same to the backend, for any other tensors in L1", () => {
  const extent = fc.constantFrom(32, 64, 96, 256, 384, 1024, 2048);
  const place = fc.constantFrom(
    "dram",
    "l1",
    "hs 2x1",
    "hs 8x1",
    "hs 64x1",
    "ws 1x4",
    "ws 1x8",
    "bs 4x4",
    "bs 8x8",
  );
  const batch = fc.constantFrom([], [4], [1, 12]);
  let written = 0;
  let agreed = 0;
  fc.assert(
    fc.property(
      fc.record({ m: extent, k: extent, n: extent, batch, both: fc.boolean(), activates: fc.boolean() }),
      fc.tuple(place, fc.constantFrom("dram", "l1"), place),
      ({ m, k, n, batch, both, activates }, places) => {
        const { asIs, asWritten } = models();
        const tensors = [
          tensorOf([...batch, m, k]),
          tensorOf([...(both ? batch : []), k, n]),
          tensorOf([...batch, m, n]),
        ];
        const op = signatureOf("ttnn.matmul", tensors.slice(0, 2), tensors.slice(2), activates ? RELU : {});
        const ids = tensors.map((tensor, index) => {
          try {
            return layoutOf(asIs, tensor, places[index] ?? "dram");
          } catch {
            return undefined;
          }
        });
        if (ids.includes(undefined)) return;
        const answer = asWritten.queryOpConstraints(op, ids.slice(0, 2), ids[2], undefined, -Infinity);
        if (answer.status === "invalid") return;
        const config = asWritten.writtenConfig?.(op, ids.slice(0, 2), ids[2], undefined);
        const again = asIs.queryOpConstraints(op, ids.slice(0, 2), ids[2], config, -Infinity);
        assert(again.status === "valid", again.status === "invalid" ? again.message : "");
        assertEquals(again.outputLayouts, answer.outputLayouts);
        assertEquals(again.cbPeakBytes, answer.cbPeakBytes);
        assertEquals(again.programs.map(({ kind }) => kind), answer.programs.map(({ kind }) => kind));
        const hasShards = ids.some((id) => id !== undefined && isSharded(asIs.layouts.get(id)));
        if (!hasShards && config === undefined) return;
        written++;
        // A hint whose shards are larger than those that the op makes may leave less room than the config needs; plans
        // only hold what the op makes.
        if (answer.outputLayouts[0] !== ids[2]) return;
        agreed++;
        assertEquals(again.dependsOnRoom, false, "it depends on what else lies in L1");
      },
    ),
    { numRuns: 400 },
  );
  assert(written > 50 && agreed > 20, `only ${written} configs were written, ${agreed} for the hint`);
});
