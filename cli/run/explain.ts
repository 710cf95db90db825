// SPDX-License-Identifier: Apache-2.0
import type { DeviceProgram } from "../../lib/programs/program.ts";
import type { DecisionTrace, OpTrace } from "../../lib/propagation/decision_trace.ts";
import { optimizeModule } from "../../pipeline/optimize.ts";
import { beyondHints } from "../../pipeline/explain/beyond_hints.ts";
import { planQuestions } from "../../pipeline/explain/alternatives.ts";
import { looksLikeTrace, readTrace } from "../../pipeline/explain/upstream_trace.ts";
import { findOps, storyOf } from "../../pipeline/explain/story.ts";
import { programsOf, viewsOf } from "../../pipeline/explain/views.ts";
import { didYouMean } from "../closest.ts";
import { type CommandContext, type ExitCode, type Invocation, type Options, UsageError } from "../command.ts";
import type { Host } from "../host.ts";
import { inputFile, type InputText } from "../load_input.ts";
import { loadForPolicies, mergedHint } from "../load_for_policies.ts";
import { chosenPolicy, optionsForPolicies, policyTools } from "../policy_options.ts";
import { printAnswer } from "../print_answer.ts";
import { baseName, createProgress } from "../progress.ts";
import { explainGap, explainSearch } from "./explain_plan.ts";
import { listedCandidates, renderStory } from "../render/story.ts";
import { topRows } from "../row_options.ts";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { host, positionals, options } = invocation;
  if (options.flag("search")) return await explainSearch(invocation);
  if (options.flag("gap")) return await explainGap(invocation);
  const wanted = options.text("op");
  if (wanted === undefined) {
    throw new UsageError(
      "Cannot explain without an op: give one, for example --op 12 or --op add_1, or --gap or --search for the whole plan",
    );
  }
  const { views, programsOf, withAlternatives, beyond, device, hint } = await readViews(
    host,
    options,
    positionals[0],
  );
  const [view, op] = chooseOp(host, views, wanted, hint);
  const told = storyOf(view, withAlternatives(view.function, op), programsOf(view.function, op.op));
  const story = {
    ...told,
    notAsked: [
      ...told.notAsked,
      ...beyond(view.function, op.op, told.candidates.map(({ output }) => output)),
    ],
  };
  const top = topRows(options);
  return printAnswer(
    invocation,
    () => ({
      schema: "tilewright.explanation/1",
      input: positionals[0] ?? options.text("trace") ?? "-",
      device,
      summary: {
        op: story.op,
        name: story.name,
        location: story.location,
        layouts: story.layouts,
        decided: story.decided,
        candidates: story.candidates.length,
        rejections: story.rejections.length,
      },
      ...story,
      candidates: listedCandidates(story, top),
      rejections: story.rejections.slice(0, top),
    }),
    (style) => renderStory(story, style, top),
  );
}

interface Explained {
  readonly views: readonly DecisionTrace[];
  /** Hint about ops of the input that are missing here; `undefined` if none are. */
  readonly hint?: string | undefined;
  /** Name of the chip; `null` if only a trace was read. */
  readonly device: string | null;
  /** Device programs of an op of a function; empty if only a trace was read. */
  readonly programsOf: (functionName: string, op: number) => readonly DeviceProgram[];
  /** An op with its alternatives, if no search recorded candidates; unchanged if only a trace was read. */
  readonly withAlternatives: (functionName: string, op: OpTrace) => OpTrace;
  /** Legal candidates of an op that no policy queries, with their cost; empty if only a trace was read. */
  readonly beyond: (functionName: string, op: number, told: readonly string[]) => readonly string[];
}

async function readViews(host: Host, options: Options, file: string | undefined): Promise<Explained> {
  const trace = options.text("trace");
  const path = trace ?? inputFile(host, file === undefined ? [] : [file]);
  const text = await host.readText(path);
  if (trace === undefined && !looksLikeTrace(text)) {
    return await decide({ host, options }, { file: path, text });
  }
  optionsForPolicies(host, options, [], []);
  return {
    views: [readTrace(text, path)],
    programsOf: () => [],
    withAlternatives: (_, op) => op,
    beyond: () => [],
    device: null,
  };
}

/** Decides with the policy and records its trace. */
async function decide({ host, options }: CommandContext, input: InputText): Promise<Explained> {
  const policy = await chosenPolicy(options);
  const policyOptions = optionsForPolicies(host, options, [policy]);
  const progress = createProgress(host);
  progress.stage(`${baseName(input.file)}: ${policy.name}`);
  const workbench = await loadForPolicies({ host, options }, input, policyOptions);
  const traces: DecisionTrace[] = [];
  const optimized = optimizeModule(workbench, policy, policyOptions, {
    ...policyTools(host, policyOptions, progress),
    decisionTrace: (trace) => void traces.push(trace),
  });
  return {
    views: viewsOf(optimized, traces),
    hint: mergedHint(workbench.graphChanges),
    device: workbench.device.name,
    withAlternatives:
      planQuestions(optimized.workbench, optimized.graph, optimized.plan, policyOptions).withAlternatives,
    beyond: (functionName, op, told) => beyondHints(optimized.workbench, optimized, functionName, op, told),
    programsOf: (functionName, op) => programsOf(optimized.timeline, functionName, op),
  };
}

/**
 * The requested op: in the function named before the colon, otherwise in the first one that has it.
 *
 * @param hint about a missing op
 */
function chooseOp(
  host: Host,
  all: readonly DecisionTrace[],
  given: string,
  hint: string | undefined,
): readonly [DecisionTrace, OpTrace] {
  const { views, wanted } = inFunction(all, given);
  const [found, ...others] = views.flatMap((view) => {
    const ops = findOps(view, wanted);
    return ops.length === 0 ? [] : [{ view, ops }];
  });
  const op = found?.ops[0];
  if (found === undefined || op === undefined) throw new UsageError(notFound(views, wanted, hint));
  if (found.ops.length > 1) {
    const ids = found.ops.slice(0, 10).map((each) => each.op);
    throw new UsageError(
      `Cannot explain '${wanted}': it names ${found.ops.length} ops; give one of their ids: ${
        ids.join(", ")
      }${found.ops.length > 10 ? ", …" : ""}`,
    );
  }
  const [other] = others;
  if (other !== undefined) {
    host.stderr.write(
      `remark: ${others.map(({ view }) => `@${view.function}`).join(", ")} ${
        others.length === 1 ? "has" : "have"
      } such an op too; --op @${other.view.function}:${wanted} asks for it\n`,
    );
  }
  return [found.view, op];
}

/** Splits `@FUNCTION:OP`; all functions if none is named. */
function inFunction(
  all: readonly DecisionTrace[],
  given: string,
): { readonly views: readonly DecisionTrace[]; readonly wanted: string } {
  const [, name, wanted] = /^@([^:]+):(.+)$/.exec(given) ?? [];
  if (name === undefined || wanted === undefined) return { views: all, wanted: given };
  const views = all.filter((view) => view.function === name);
  if (views.length === 0) {
    const names = all.map((view) => `@${view.function}`);
    throw new UsageError(
      `Cannot explain '${given}': no function @${name} is decided here${didYouMean(`@${name}`, names)}`,
    );
  }
  return { views, wanted };
}

function notFound(views: readonly DecisionTrace[], wanted: string, hint: string | undefined): string {
  const ids = views.flatMap((view) => view.ops.map((op) => op.op));
  if (ids.length === 0) return `Cannot explain op ${wanted}: no op is decided here`;
  if (/^\d+$/.test(wanted)) {
    return `Cannot explain op ${wanted}: no op has this id; ids go from ${Math.min(...ids)} to ${
      Math.max(...ids)
    }`;
  }
  const names = views.flatMap((view) =>
    view.ops.flatMap((op) => [op.name, op.value ?? op.name, op.location])
  );
  return `Cannot explain '${wanted}': no op has this id, name or location${didYouMean(wanted, names)}${
    hint === undefined ? "" : `; ${hint}`
  }`;
}
