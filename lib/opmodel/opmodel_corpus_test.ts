// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { corpusFiles, corpusName, corpusTest } from "../../testing/corpus.ts";
import { readDevice } from "../dialect/system_desc.ts";
import { readGraph } from "../graph/read_graph.ts";
import { opSignatures } from "../graph/signature.ts";
import { parseModule } from "../ir/mod.ts";
import { LayoutTable } from "../layout/layout_table.ts";
import { createOpModel } from "./create_op_model.ts";

/** Every how manieth model file is read; the corpus holds families of near-equal files. */
const STRIDE = 4;

corpusTest("ops of real models are legal as their compilers laid them out", () => {
  let asked = 0;
  const refused = new Map<string, number>();
  const files = ["dumps/ttnn", "lowered/models"].flatMap((folder) => corpusFiles(folder));
  for (const file of files.filter((_, index) => index % STRIDE === 0)) {
    const module = parseModule(Deno.readTextFileSync(file), corpusName(file));
    const workerGrid = readDevice(module)?.workerGrid ?? TEST_WORMHOLE.workerGrid;
    const { graph } = readGraph(module, workerGrid);
    const layouts = new LayoutTable();
    const model = createOpModel({ chip: { ...TEST_WORMHOLE, workerGrid }, layouts });
    const layoutOf = (fn: (typeof graph.functions)[number], value: number | undefined) => {
      const layout = value === undefined ? undefined : fn.values[value]?.layout;
      return layout === undefined ? undefined : layouts.intern(layout);
    };
    for (
      const fn of graph.functions.filter(({ kind }) => kind === "forward_device" || kind === "const_eval")
    ) {
      for (const [index, signature] of opSignatures(fn).entries()) {
        const op = fn.ops[index];
        if (op === undefined) continue;
        asked++;
        const inputs = op.operands.map((value) => layoutOf(fn, value));
        const answer = model.queryOpConstraints(signature, inputs, layoutOf(fn, op.results[0]), undefined);
        if (answer.status === "valid") continue;
        const reason = `${op.name} ${answer.rule}`;
        refused.set(reason, (refused.get(reason) ?? 0) + 1);
      }
    }
  }
  const count = [...refused.values()].reduce((sum, number) => sum + number, 0);
  assert(asked > 2000, `only ${asked} ops were found`);
  assert(count <= 0.01 * asked, `${count} of ${asked} refused: ${[...refused].join("; ")}`);
});
