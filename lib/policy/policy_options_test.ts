// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { createWorkbench } from "../../pipeline/load.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import { convolution } from "../chains/testing/convolution.ts";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import { parseModule } from "../ir/mod.ts";
import { LayoutTable } from "../layout/layout_table.ts";
import { createOpModel } from "../opmodel/create_op_model.ts";
import { ToyCostModel } from "../propagation/testing/toy_models.ts";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { DEFAULT_POLICY_OPTIONS, type PolicyOptions, readPolicyOptions } from "./options.ts";
import { policies } from "./policies.ts";
import type { Policy, PolicyContext } from "./policy.ts";
import type { OptionInput } from "./policy_option.ts";
import type { SearchStepName } from "./search_plan.ts";

/** The property of an option in the values that a policy receives. */
const FIELDS: Readonly<Record<string, string>> = {
  "tensor-l1-usage-cap": "tensorL1UsageCap",
  "beam-width": "beamWidth",
  "max-legal-layouts": "maxLegalLayouts",
  "max-input-candidates-per-operand": "maxInputCandidatesPerOperand",
  "max-reshard-candidates-per-type": "maxReshardCandidatesPerType",
  "enable-l1-sharding-layouts": "enableL1ShardingLayouts",
  "row-major-enabled": "rowMajorEnabled",
  "math-fidelities": "mathFidelities",
  "keep": "keptOps",
  "score": "score",
  "spill": "spill",
  "schedule": "schedule",
  "override-output-layout": "overrides.outputLayouts",
  "override-conv2d-config": "overrides.conv2dConfigs",
  "override-conv3d-config": "overrides.conv3dConfigs",
  "insert-memreconfig": "overrides.memReconfigs",
  "memreconfig-enabled": "memReconfigEnabled",
  "l1-interleaved-fallback-analysis-enabled": "l1InterleavedFallback",
  "solve-for-optimal-first-op-input": "solveForOptimalFirstOpInput",
  "legacy-quirks": "legacyQuirks",
  "trace-solver": "traceSolver",
};

const NO_EXACT: ReadonlySet<SearchStepName> = new Set(["eliminate"]);

/** The models that a policy decides with. */
type Models = Pick<PolicyContext, "graph" | "opModel" | "cost">;

/** The same object, wrapped to report which of its fields are read. */
function watched<Value extends object>(value: Value, prefix: string, seen: (field: string) => void): Value {
  return new Proxy(value, {
    get(target, key) {
      seen(`${prefix}${String(key)}`);
      return Reflect.get(target, key);
    },
  });
}

/** A model of the zoo. */
function model(name: string): Models {
  const path = `testdata/models/${name}.mlir`;
  const module = parseModule(Deno.readTextFileSync(join(PROJECT_ROOT, path)), path);
  const { binding, opModel, cost } = createWorkbench(module, getDevice("n150"));
  return { graph: binding.graph, opModel, cost };
}

/** Two ops, the first of which may be overridden by name. */
function twoOps(): Models {
  const builder = new GraphBuilder();
  const tensor = { shape: [256, 256], dataType: "bf16" } as const;
  const first = builder.op("ttnn.relu", [builder.argument(tensor)], tensor, { location: '"first"' });
  builder.return(builder.op("ttnn.exp", [first], tensor));
  const opModel = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  return { graph: builder.buildGraph(), opModel, cost: new ToyCostModel(opModel.layouts) };
}

/** A convolution, which chains only run on a converted operand. */
function oneConvolution(): Models {
  const builder = new GraphBuilder();
  convolution(builder, 1);
  const opModel = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  return { graph: builder.buildGraph(), opModel, cost: new ToyCostModel(opModel.layouts) };
}

/** Options that a policy reads while it decides, without overrides and with an overridden op. */
function optionsRead(policy: Policy): string[] {
  const fields = new Set<string>();
  const seen = (field: string) => void fields.add(field);
  // An option of a single policy is looked up by name.
  const given = new class extends Map<string, OptionInput> {
    override get(name: string): OptionInput | undefined {
      seen(name);
      return super.get(name);
    }
  }();
  const overridden = new Map([["first", { bufferType: "l1" }]] as const);
  // A search ends when a bound proves a plan optimal, so this needs a function with enough time and without
  // such a proof.
  const isTimed = policy.options.some(({ name }) => name === "time-budget");
  if (isTimed) given.set("time-budget", 60);
  const cases = [
    // Ops that read constants, reshape, concatenate and normalize.
    [model("segformer_block"), new Map()],
    ...isTimed ? [[model("vit_b"), new Map()] as const] : [],
    // Chains run in short graphs.
    ...isTimed ? [[oneConvolution(), new Map()] as const] : [],
    // Beams run where there is no exact assignment.
    ...isTimed ? [[{ ...model("segformer_block"), leftOut: NO_EXACT }, new Map()] as const] : [],
    [twoOps(), overridden],
  ] as const;
  for (const [models, outputLayouts] of cases) {
    const options: PolicyOptions = {
      ...DEFAULT_POLICY_OPTIONS,
      given,
      overrides: watched({ ...DEFAULT_POLICY_OPTIONS.overrides, outputLayouts }, "overrides.", seen),
    };
    policy.decide(watched({ ...models, options: watched(options, "", seen) }, "", seen));
  }
  const names = policies.flatMap(({ options }) => options.map(({ name }) => name));
  return [...new Set(names)].filter((name) => fields.has(FIELDS[name] ?? name)).sort();
}

for (const policy of policies) {
  Deno.test(`${policy.name} reads the options that it names, and no others`, () => {
    const named = policy.options.map(({ name }) => name);
    assertEquals(optionsRead(policy), named.sort());
  });
}

Deno.test("no policy names an option twice, and every option has one definition", () => {
  const definitions = new Map(
    policies.flatMap(({ options }) => options.map((option) => [option.name, option])),
  );
  for (const { options } of policies) {
    assertEquals(new Set(options).size, options.length);
    for (const option of options) assertEquals(definitions.get(option.name) === option, true, option.name);
  }
});

Deno.test("readPolicyOptions() takes given options, defaults for the others, and refuses invalid values", () => {
  const given = new Map<string, string | number | boolean>([
    ["beam-width", "3"],
    ["spill", "exact"],
    ["memreconfig-enabled", false],
    ["insert-memreconfig", "add_1=0:1"],
  ]);
  const options = readPolicyOptions(given);
  assertEquals(options, {
    ...DEFAULT_POLICY_OPTIONS,
    overrides: { ...DEFAULT_POLICY_OPTIONS.overrides, memReconfigs: new Map([["add_1", [0, 1]]]) },
    beamWidth: 3,
    spill: "exact",
    memReconfigEnabled: false,
    given,
  });
  for (
    const [name, value] of [["beam-width", 0], ["max-legal-layouts", 2.5], ["max-legal-layouts", -1], [
      "tensor-l1-usage-cap",
      1.5,
    ], [
      "score",
      "best",
    ]] as const
  ) {
    assertThrows(() => readPolicyOptions(new Map([[name, value]])), RangeError, `--${name}`);
  }
});
