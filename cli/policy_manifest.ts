// SPDX-License-Identifier: Apache-2.0
// deno-fmt-ignore-file
// Written by `deno task policies`; do not edit.
import type { OptionSpec, PolicyEntry } from "./command.ts";

/** Every policy, in the order of lists. */
export const POLICIES: readonly PolicyEntry[] = [
  {"name":"auto",load: () => import("../lib/policy/policies/auto.ts" satisfies string)},
  {"name":"dram",load: () => import("../lib/policy/policies/dram.ts" satisfies string)},
  {"name":"l1-interleaved",load: () => import("../lib/policy/policies/l1_interleaved.ts" satisfies string)},
  {"name":"greedy",load: () => import("../lib/policy/policies/greedy.ts" satisfies string)},
  {"name":"beam",load: () => import("../lib/policy/policies/beam.ts" satisfies string)},
  {"name":"beam-cost",load: () => import("../lib/policy/policies/beam_cost.ts" satisfies string)},
  {"name":"optimal",load: () => import("../lib/policy/policies/optimal.ts" satisfies string)},
  {"name":"df-sharding","compilerName":"DFSharding",load: () => import("../lib/policy/policies/df_sharding.ts" satisfies string)},
  {"name":"df-sharding-2",load: () => import("../lib/policy/policies/df_sharding_2.ts" satisfies string)},
  {"name":"greedy-l1-interleaved","compilerName":"GreedyL1Interleaved",load: () => import("../lib/policy/policies/greedy_l1_interleaved.ts" satisfies string)},
  {"name":"bf-interleaved","compilerName":"BFInterleaved",load: () => import("../lib/policy/policies/bf_interleaved.ts" satisfies string)},
];

/** Every option that a policy reads. */
export const POLICY_OPTIONS: readonly OptionSpec[] = [
  {"name":"beam-width","kind":"number","value":"K","default":8,"description":"Candidates kept per op; 1 is greedy","readBy":["auto","beam","beam-cost","optimal"]},
  {"name":"score","kind":"choice","value":"NAME","choices":["bottleneck","direct","local","runtime"],"description":"How pass 1 ranks candidates; default: the policy's own","readBy":["auto","greedy","beam","beam-cost","optimal"]},
  {"name":"spill","kind":"choice","value":"NAME","choices":["farthest-next-use","farthest-last-use","cost-aware","evict","exact"],"description":"What pass 2 spills first; default: the policy's own","readBy":["auto","l1-interleaved","greedy","beam","beam-cost","optimal"]},
  {"name":"schedule","kind":"choice","value":"NAME","choices":["input","memory"],"description":"Order of the ops: the input's, or reordered where that removes spills; default: the policy's own","readBy":["auto","dram","l1-interleaved","greedy","beam","beam-cost","optimal"]},
  {"name":"max-input-candidates-per-operand","kind":"number","value":"N","default":64,"description":"Candidate layouts per operand","readBy":["auto","greedy","beam","beam-cost","optimal"]},
  {"name":"math-fidelities","kind":"string","value":"TEXT","description":"Math fidelities that matmuls and convolutions may also use, for example hifi2,lofi","readBy":["auto","greedy","beam","beam-cost","optimal"]},
  {"name":"keep","kind":"string","value":"TEXT","description":"Ops that keep formats and fidelity, by location name, for example matmul_1,conv_2","readBy":["auto","dram","l1-interleaved","greedy","beam","beam-cost","optimal"]},
  {"name":"max-legal-layouts","kind":"number","value":"N","default":64,"description":"Sharded layouts considered per op","readBy":["auto","dram","l1-interleaved","greedy","beam","beam-cost","optimal","df-sharding","df-sharding-2","greedy-l1-interleaved","bf-interleaved"]},
  {"name":"max-reshard-candidates-per-type","kind":"number","value":"N","default":4,"description":"Reshard targets considered per sharding type","readBy":["auto","l1-interleaved","greedy","beam","beam-cost","optimal"]},
  {"name":"enable-l1-sharding-layouts","kind":"boolean","default":true,"description":"Consider sharded layouts","readBy":["auto","l1-interleaved","greedy","beam","beam-cost","optimal"]},
  {"name":"row-major-enabled","kind":"boolean","description":"Consider row-major layouts","readBy":["auto","l1-interleaved","greedy","beam","beam-cost","optimal","df-sharding","df-sharding-2","greedy-l1-interleaved","bf-interleaved"]},
  {"name":"tensor-l1-usage-cap","kind":"number","value":"SHARE","default":0.95,"description":"Share of L1 that tensors and circular buffers may use","readBy":["auto","dram","l1-interleaved","greedy","beam","beam-cost","optimal","df-sharding","df-sharding-2","greedy-l1-interleaved","bf-interleaved"]},
  {"name":"override-output-layout","kind":"string","value":"TEXT","description":"Fix result layouts by location name, for example add_1=8x8:l1:block_sharded:tile","readBy":["auto","dram","l1-interleaved","greedy","beam","beam-cost","optimal","df-sharding","df-sharding-2","greedy-l1-interleaved","bf-interleaved"]},
  {"name":"override-conv2d-config","kind":"string","value":"TEXT","description":"Fix conv2d fields, for example conv_1=act_block_h_override#64","readBy":["auto","dram","l1-interleaved","greedy","beam","beam-cost","optimal","df-sharding","df-sharding-2","greedy-l1-interleaved","bf-interleaved"]},
  {"name":"override-conv3d-config","kind":"string","value":"TEXT","description":"Fix conv3d block sizes, for example conv_1=c_in_block#32","readBy":["auto","dram","l1-interleaved","greedy","beam","beam-cost","optimal","df-sharding","df-sharding-2","greedy-l1-interleaved","bf-interleaved"]},
  {"name":"insert-memreconfig","kind":"string","value":"TEXT","description":"Convert operands to the op's own layout, for example add_1=0,add_2=0:1","readBy":["auto","dram","l1-interleaved","greedy","beam","beam-cost","optimal","df-sharding","df-sharding-2","greedy-l1-interleaved","bf-interleaved"]},
  {"name":"free","kind":"string","value":"TEXT","description":"What may change: layouts (where tensors lie), configs (blocks, cores and buffers of ops), weights (weights of decode products over the banks of DRAM), graph (the ops, by all graph passes), inputs (pages and order of dimensions in which inputs arrive), results (pages in which results leave), formats (element formats of weights), fidelity (math fidelities of products and convolutions); +NAME and -NAME change the default, which is the policy's own","readBy":["auto","dram","l1-interleaved","greedy","beam","beam-cost","optimal","df-sharding","df-sharding-2","greedy-l1-interleaved","bf-interleaved"]},
  {"name":"time-budget","kind":"number","value":"SECONDS","default":0.8,"description":"About how long to search, and a millisecond per op, counted in work: the same input gives the same plan on any machine","readBy":["auto","beam-cost","optimal"]},
  {"name":"legacy-quirks","kind":"boolean","description":"Reproduce bugs of the original that change decisions","readBy":["auto","df-sharding","df-sharding-2","greedy-l1-interleaved","bf-interleaved"]},
  {"name":"memreconfig-enabled","kind":"boolean","default":true,"description":"Convert operands where no pair of configs is compatible","readBy":["auto","df-sharding","df-sharding-2"]},
  {"name":"l1-interleaved-fallback-analysis-enabled","kind":"boolean","description":"Move results left in DRAM to L1 interleaved if their reader comes next","readBy":["auto","df-sharding","df-sharding-2"]},
  {"name":"solve-for-optimal-first-op-input","kind":"boolean","description":"Let the shard solver pick the input layout of a chain","readBy":["auto","df-sharding","df-sharding-2"]},
  {"name":"trace-solver","kind":"boolean","description":"Print bitsets and paths after each phase of the shard solver, on standard error","readBy":["auto","df-sharding","df-sharding-2"]},
];
