// SPDX-License-Identifier: Apache-2.0

/** Tests of what the chains of a function decide. */
const CHAIN_DECISIONS =
  "fit_plan merge_state merge_windows reservation_windows merged_decisions plan_chains df_sharding";

/** Tests of what the beam search decides. */
const BEAMS = "lib/propagation/beam/forward_pass lib/propagation/beam/propagate";

/**
 * `FOLDER/ FILES: TESTS`: whose mutations tests other than the file's own are to notice, the quickest first. A test
 * without a folder lies beside the file.
 */
const TESTS: readonly string[] = [
  "lib/analysis/ legal_op_layouts: legal_tensor_layouts legal_op_layouts legal_op_configs " +
  "lib/chains/made_layouts lib/chains/override_policies",
  "lib/analysis/ legal_tensor_layouts legal_op_configs: legal_tensor_layouts legal_op_layouts legal_op_configs",
  "lib/chains/ build_chains df_scheduler: build_chains df_scheduler",
  "lib/chains/ chain_context: made_layouts",
  `lib/chains/ chain_merges concat_chains output_reservations plan_chains fit_plan: ${CHAIN_DECISIONS}`,
  `lib/chains/ chain_oracle: ${CHAIN_DECISIONS} override_policies pipeline/dispatch chain_oracle`,
  `lib/chains/ emit_plan: ${CHAIN_DECISIONS} pipeline/dispatch`,
  "lib/chains/ interleaved_choices l1_interleaved_fallback: interleaved_choices interleaved",
  `lib/chains/ merge_state: l1_reservations ${CHAIN_DECISIONS}`,
  "lib/chains/ path_set update_solver config_bitset solve_chain: shard_solver",
  "lib/device/ chip_description: lib/opmodel/create_op_model lib/memory/l1_timeline",
  "lib/graph/ liveness: liveness lib/memory/l1_timeline",
  "lib/improve/ improve: improve drop_copy",
  "lib/improve/ moves: drop_copy",
  "lib/improve/ readers: drop_copy change_result lib/spill/moves",
  "lib/memory/ l1_moments l1_schedule: l1_timeline",
  "lib/opmodel/ create_op_model rule_answers: create_op_model bad_queries",
  "lib/opmodel/ layout_checks: bad_queries lib/opmodel/rules/eltwise",
  "lib/opmodel/ output_hints: conv_config_search",
  "lib/optimal/addresses/ address_search: address_search",
  "lib/optimal/addresses/ conflict_search: address_search address_optimum",
  "lib/optimal/elimination/ message_cache: message_cache variable_elimination",
  "lib/optimal/elimination/ sum_and_minimize factor elimination_order: variable_elimination",
  "lib/overrides/ output_layout_override override_text conv_config_override check_overrides: overrides",
  "lib/passes/patterns/convolutions/ pads: fold_pad_into_pool",
  "lib/passes/patterns/formulas/ fuse_function: gelu_formulas",
  "lib/plan/ preparations: lib/rewrite/prepared_weights",
  "lib/policy/ chain_policy: pipeline/overrides",
  `lib/propagation/ kept_impl beam/beam: ${BEAMS} lib/policy/upstream_expectations ` +
  "lib/search/op_overrides lib/propagation/beam/best_candidates",
  `lib/propagation/ beam/beam_histories trace_back output_verdicts: ${BEAMS}`,
  `lib/propagation/ exploration: ${BEAMS} lib/policy/upstream_expectations lib/search/op_overrides`,
  `lib/propagation/ input_candidates: ${BEAMS} lib/policy/upstream_expectations`,
  "lib/search/ compute_configs: compute_configs pipeline/compute_configs",
  "lib/search/ op_overrides: op_overrides pipeline/overrides",
  "lib/spill/ greedy_spill shortage: greedy_spill greedy_spill_moves",
  "lib/spill/ spill_policy moves: moves greedy_spill greedy_spill_moves",
  "lib/ttnn/ write: lib/rewrite/rewrite",
  "pipeline/doctor/ locate remedies: doctor",
  "sim/cost/ runtime: config_answers",
  "sim/network/ network: noc",
];

const BY_FILE: ReadonlyMap<string, readonly string[]> = new Map(TESTS.flatMap((line) => {
  const [folder = "", ...files] = line.slice(0, line.indexOf(":")).split(" ");
  const tests = line.slice(line.indexOf(":") + 2).split(" ").map((test) =>
    `${test.includes("/") ? "" : folder}${test}_test.ts`
  );
  return files.map((file) => [`${folder}${file}.ts`, tests] as const);
}));

/** Tests that are to notice a mutation of a file, the quickest first. */
export function testsOf(file: string): readonly string[] {
  return BY_FILE.get(file) ?? [file.replace(/\.ts$/, "_test.ts")];
}
