// SPDX-License-Identifier: Apache-2.0
import type { Mesh } from "../../lib/device/mesh.ts";
import { DiagnosticError } from "../../lib/diagnostics/diagnostic.ts";
import { getProfile, type TtnnProfile } from "../../lib/dialect/ttnn_profile.ts";
import { isFaulty } from "../../lib/memory/memory_verdict.ts";
import type { OpModel } from "../../lib/opmodel/op_model.ts";
import { LAYOUT_LIMITS, type PolicyOptions, TENSOR_L1_USAGE_CAP } from "../../lib/policy/options.ts";
import type { Policy } from "../../lib/policy/policy.ts";
import type { DecisionTrace } from "../../lib/propagation/decision_trace.ts";
import type { Workbench } from "../../pipeline/load.ts";
import {
  carryOutFormats,
  type Optimized,
  optimizeModule,
  type OptimizeTools,
  spelledAs,
} from "../../pipeline/optimize.ts";
import { type PlanDocument, planDocument } from "../../pipeline/plan_document.ts";
import { comparedPlanKind, decidedWith } from "../../pipeline/plan_gap.ts";
import type { LoadedModule } from "../../pipeline/prepared_module.ts";
import type { Device } from "../../sim/devices/device.ts";
import type { CommandContext } from "../command.ts";
import { decidedGraph } from "../graph_options.ts";
import type { Host } from "../host.ts";
import type { LoadInputOptions } from "../load_input.ts";
import { loadKeepingNamed, requireOverrides } from "../load_for_policies.ts";
import { chosenPolicy, optionsForPolicies, policyTools } from "../policy_options.ts";
import { baseName, type Progress } from "../progress.ts";
import { verdictText } from "../render/verdict.ts";
import type { Pinned } from "./kept_pins.ts";
import config from "../../deno.json" with { type: "json" };

/**
 * Modules with more ops than this run a full garbage collection after parsing and after the search,
 * because V8 would otherwise let the heap grow fourfold. It takes 1 % of the time; with fewer ops the search
 * needs more memory than reading and writing.
 */
const COLLECTED_OPS = 10_000;

/** A decided input with everything needed for its outputs. */
export interface DecidedInput {
  readonly document: PlanDocument;
  readonly optimized: Optimized;
  readonly traces: readonly DecisionTrace[];
  readonly opModel: OpModel;
  readonly policyOptions: PolicyOptions;
  /** Axes of the mesh that it runs on; `[]` for one chip. */
  readonly mesh: Mesh;
  readonly workbench: Pick<Workbench, "chip" | "mesh" | "device">;
}

/** An input to decide. */
export interface DecideRequest {
  readonly context: CommandContext;
  readonly file: string;
  readonly progress: Progress;
  /** Reads and loads the input; a function, so that its text can be collected while deciding. */
  readonly load: (how: LoadInputOptions) => Promise<LoadedModule>;
  /** By default the options and the input choose. */
  readonly device?: Device;
}

/** A loaded input with everything that its plan depends on. */
interface LoadedRequest extends DecideRequest {
  readonly policy: Policy;
  readonly policyOptions: PolicyOptions;
  readonly profile: TtnnProfile | undefined;
  /** Whether `--gap` asks for a lower bound that the policy itself does not find. */
  readonly isBounded: boolean;
  readonly workbench: LoadedModule;
  /** {@linkcode workbench} in the profile, with the formats and pages of overrides. */
  readonly subject: Workbench;
  /** The plan of `--pin`. */
  readonly pinned: Pinned | undefined;
}

/** Decides an input for one device with the options of the command line, pins and lower bounds included. */
export async function decide(request: DecideRequest): Promise<DecidedInput> {
  const loaded = await loadRequest(request);
  const { context: { host, options }, file, progress, policy, policyOptions, isBounded, workbench } = loaded;
  progress.stage(`${baseName(file)}: ${policy.name} for ${workbench.device.name}`);
  const started = host.now();
  const wantsTraces = options.flag("enable-decision-trace") || options.given("decision-trace-dir");
  const traces: DecisionTrace[] = [];
  const { optimized, held } = optimizeLoaded(
    loaded,
    wantsTraces ? { decisionTrace: (trace) => void traces.push(trace) } : {},
  );
  const wallMs = Math.round(host.now() - started);
  const isFreeBounded = optimized.isOverridden && options.flag("gap");
  if (isBounded || isFreeBounded) progress.stage(`${baseName(file)}: bounding the time`);
  // Most runs need no bound. Deno loads the module of a literal `import()` before it starts; `satisfies` makes none.
  const bounds: typeof import("../../pipeline/lower_bound.ts") | undefined = isBounded || isFreeBounded
    ? await import("../../pipeline/lower_bound.ts" satisfies string)
    : undefined;
  const planKind = comparedPlanKind(optimized.plan);
  const document = planDocument(optimized, {
    input: file,
    version: config.version,
    wallMs,
    bound: isBounded
      ? bounds?.lowerBoundOf(optimized.workbench, decidedWith(optimized.plan, held), planKind)
      : undefined,
    freeBound: isFreeBounded
      ? bounds?.freeLowerBoundOf(workbench, decidedWith(optimized.plan, policyOptions), planKind)
      : undefined,
  });
  if (wantsTraces && traces.length === 0) {
    host.stderr.write(`remark: ${policy.name} searches without a decision trace; none is written\n`);
  }
  const { mesh, chip, device } = workbench;
  const { opModel } = optimized.workbench.planning();
  return { document, optimized, traces, opModel, policyOptions, mesh, workbench: { chip, mesh, device } };
}

/**
 * Reads the options of the command line, loads the input and applies what they fix before anything is decided.
 *
 * @throws {DiagnosticError} if the text to write would not run on the chip that it names
 */
async function loadRequest(request: DecideRequest): Promise<LoadedRequest> {
  const { context: { host, options }, file, progress, load, device } = request;
  const policy = await chosenPolicy(options);
  const isBounded = options.flag("gap") && policy.tellsGap !== true;
  const policyOptions = optionsForPolicies(host, options, [policy], [
    TENSOR_L1_USAGE_CAP,
    ...isBounded ? LAYOUT_LIMITS : [],
  ]);
  const profileName = options.text("ttnn-profile");
  const profile = profileName === undefined ? undefined : getProfile(profileName);
  progress.stage(`${baseName(file)}: reading`);
  const how = { ...policyOptions, ...decidedGraph(options), device };
  const workbench = await loadKeepingNamed(host, how, policyOptions, load);
  collectAfter(workbench, host);
  // Other chips may be shown for comparison, but no text is written that would not run on the chip that it
  // names.
  const otherwise = workbench.describedOtherwise;
  if (otherwise !== undefined && options.given("output")) throw new DiagnosticError([otherwise]);
  if (otherwise !== undefined) host.stderr.once(`warning: ${otherwise.message}\n`);
  requireOverrides(host, workbench, policyOptions);
  // Pins name ops of the decided graph, so the graph changes of overrides come first.
  const subject = carryOutFormats(spelledAs(workbench, policyOptions, profile), policyOptions, profile);
  const pin = options.text("pin");
  let pinned: Pinned | undefined;
  if (pin !== undefined) {
    const { readPins }: typeof import("./kept_pins.ts") = await import("./kept_pins.ts" satisfies string);
    pinned = await readPins(host, pin, subject, policy, policyOptions);
  }
  return { ...request, policy, policyOptions, profile, isBounded, workbench, subject, pinned };
}

/**
 * Decides a loaded input: keeps the whole plan of `--pin` if it fits, else its layouts as far as they are legal.
 *
 * @returns the plan, and the options with what is kept of the pinned one
 */
function optimizeLoaded(
  { context: { host, options }, policy, policyOptions, profile, progress, subject, pinned }: LoadedRequest,
  tracing: Pick<OptimizeTools, "decisionTrace">,
): { readonly optimized: Optimized; readonly held: PolicyOptions } {
  const tools = policyTools(host, policyOptions, progress);
  const optimizeBy = (how: PolicyOptions, kept: Pick<OptimizeTools, "pinned"> = {}): Optimized =>
    optimizeModule(subject, policy, how, {
      ...tools,
      ...kept,
      onDecided: () => collectAfterSearch(subject, host),
      ...tracing,
      profile,
    });
  const again = pinned?.keepWhole((kept) => optimizeBy(policyOptions, kept));
  if (again !== undefined && !isFaulty(again.memory.verdict)) {
    return { optimized: again, held: policyOptions };
  }
  // With less room than the plan was made for, only layouts are kept, if possible.
  if (again !== undefined) {
    host.stderr.once(
      `remark: ${options.text("pin")}: the plan ${verdictText(again.memory.verdict)} here; ` +
        `only its layouts are kept, as far as they are legal\n`,
    );
  }
  const held = pinned?.options ?? policyOptions;
  return { optimized: optimizeBy(held), held };
}

/** Runs the garbage collector for a long module. */
function collectAfter({ module }: Workbench, host: Host): void {
  if (module.operations.length > COLLECTED_OPS) host.collectGarbage?.();
}

/**
 * Like {@linkcode collectAfter}, and drops the op model's answers to the search; the finished plan needs few
 * of them.
 */
function collectAfterSearch(workbench: Workbench, host: Host): void {
  if (workbench.module.operations.length <= COLLECTED_OPS) return;
  for (const { opModel, cost } of [workbench, workbench.planning()]) {
    opModel.forgetAnswers?.();
    cost.forgetAnswers?.();
  }
  collectAfter(workbench, host);
}
