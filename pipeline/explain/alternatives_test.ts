// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { DEFAULT_POLICY_OPTIONS } from "../../lib/policy/options.ts";
import { getPolicy } from "../../lib/policy/policies.ts";
import type { DecisionTrace } from "../../lib/propagation/decision_trace.ts";
import { loadModule } from "../load_module.ts";
import { optimizeModule } from "../optimize.ts";
import { planQuestions } from "./alternatives.ts";
import { type OpStory, storyOf } from "./story.ts";
import { viewsOf } from "./views.ts";

const MODELS = new URL("../../testdata/models/", import.meta.url);

/** The stories of all ops of a model, told from the plan alone or with what the search of its policy left. */
async function storiesOf(
  model: string,
  policy: string,
  from: "plan" | "search",
): Promise<readonly OpStory[]> {
  const text = await Deno.readTextFile(new URL(`${model}.mlir`, MODELS));
  const workbench = loadModule(text, { device: "n150" });
  const traces: DecisionTrace[] = [];
  const decisionTrace = (trace: DecisionTrace): void => void traces.push(trace);
  const options = DEFAULT_POLICY_OPTIONS;
  const optimized = optimizeModule(workbench, getPolicy(policy), options, { decisionTrace });
  const { withAlternatives } = planQuestions(workbench, optimized.graph, optimized.plan, options);
  return viewsOf(optimized, from === "plan" ? [] : traces).flatMap((view) =>
    view.ops.map((op) => storyOf(view, withAlternatives(view.function, op)))
  );
}

Deno.test("in an exact plan no single op has a quicker way with all else as decided", async () => {
  const stories = (await storiesOf("mnist", "optimal", "plan")).filter(({ alone }) => alone);
  assert(stories.length > 3);
  for (const { op, candidates, layouts } of stories) {
    const [chosen, ...others] = candidates;
    assert(chosen?.isChosen, `op ${op}`);
    assertEquals(layouts[0], chosen.output);
    assert(others.length > 0, `op ${op} has no alternatives`);
    for (const { output, microseconds = 0, against } of others) {
      assert(microseconds >= (chosen.microseconds ?? 0) - 1e-6, `op ${op}: ${output} is quicker, ${against}`);
    }
  }
});

Deno.test("plans by chains list each op's alternatives, and the op model's refusals", async () => {
  const stories = (await storiesOf("segformer_block", "df-sharding-2", "plan")).filter(({ alone }) => alone);
  assert(stories.length > 10);
  assert(stories.some(({ rejections }) => rejections.length > 0));
  assert(stories.every(({ candidates }) => candidates.filter(({ isChosen }) => isChosen).length === 1));
});

Deno.test("of no memory in which a candidate's result lies it is said that no hint names it", async () => {
  const stories = await storiesOf("llama_3_2_1b_decode", "optimal", "plan");
  const told = stories.flatMap(({ op, candidates, notAsked }) =>
    candidates.flatMap(({ output }) => {
      const memory = output.split("/").slice(0, 2).join("/");
      return notAsked.filter((sentence) => sentence.split(/[,:] /).includes(memory)).map(() =>
        `op ${op}: ${memory}`
      );
    })
  );
  assertEquals(told, []);
});

Deno.test("candidates of a search are listed as recorded", async () => {
  const stories = await storiesOf("mnist", "greedy", "search");
  assert(stories.some(({ candidates }) => candidates.length > 0));
  assertEquals(stories.filter(({ alone }) => alone), []);
});

Deno.test("an operand that is read twice is copied once", () => {
  const T = "tensor<1024x1024xbf16>";
  const alternativesOfAdd = (left: string, right: string) => {
    const text = `func.func @main(%x: ${T}, %y: ${T}) -> ${T} {
      %0 = "ttir.relu"(%x) : (${T}) -> ${T}
      %1 = "ttir.relu"(%y) : (${T}) -> ${T}
      %2 = "ttir.add"(${left}, ${right}) : (${T}, ${T}) -> ${T}
      %3 = "ttir.multiply"(%2, %1) : (${T}, ${T}) -> ${T}
      return %3 : ${T}
    }`;
    const workbench = loadModule(text, { device: "n150", passes: "none" });
    const options = DEFAULT_POLICY_OPTIONS;
    const optimized = optimizeModule(workbench, getPolicy("dram"), options);
    const { withAlternatives } = planQuestions(workbench, optimized.graph, optimized.plan, options);
    const [view] = viewsOf(optimized, []);
    const add = view?.ops.find(({ name }) => name === "ttnn.add");
    assert(view !== undefined && add !== undefined);
    return new Map(
      withAlternatives(view.function, add).beam.map(({ inputs, output, microseconds = 0 }) =>
        [output, { inputs, microseconds }] as const
      ),
    );
  };
  const [twice, apart] = [alternativesOfAdd("%0", "%0"), alternativesOfAdd("%0", "%1")];
  // One copy serves both operands, two would cost more than reading DRAM does.
  const copied = [...twice].filter(([, { inputs }]) => inputs.every((layout) => layout === inputs[0])).filter(
    ([output, { inputs }]) => inputs[0] !== "dram/interleaved" && apart.has(output),
  );
  assert(copied.length > 0);
  for (const [output, { microseconds }] of copied) {
    assert(microseconds < (apart.get(output)?.microseconds ?? 0), output);
  }
});
