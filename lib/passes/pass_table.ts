// SPDX-License-Identifier: Apache-2.0
import type { GraphPass } from "./graph_pass.ts";
import { foldInverseViews } from "./patterns/fold_inverse_views.ts";
import { foldTypecasts } from "./patterns/fold_typecasts.ts";
import { fuseActivation } from "./patterns/fuse_activation.ts";
import { fuseAttention } from "./patterns/fuse_attention.ts";
import { fuseConcatenateHeads } from "./patterns/fuse_concatenate_heads.ts";
import { fuseRotaryEmbedding } from "./patterns/fuse_rotary_embedding.ts";
import { fuseSplitHeads } from "./patterns/fuse_split_heads.ts";
import { joinMatmuls } from "./patterns/join_matmuls.ts";
import { raiseReshapes, sinkViews } from "./patterns/sink_views.ts";
import { patternPass } from "./rewrite_pattern.ts";

/**
 * All graph passes in upstream's order (tt-mlir:pass-order), each with the option of upstream's pipeline that
 * switches it off.
 */
export const GRAPH_PASSES: readonly GraphPass[] = [
  patternPass("erase-inverse-ops", "enable-erase-inverse-ops-pass", [
    sinkViews,
    raiseReshapes,
    foldInverseViews,
    foldTypecasts,
  ]),
  patternPass("fusing", "enable-fusing-pass", [joinMatmuls, fuseActivation, foldInverseViews, foldTypecasts]),
  // What upstream fuses on TTNN, with the op model's leave.
  patternPass("ttnn-fusing", "enable-fusing-pass", [
    fuseAttention,
    fuseSplitHeads,
    fuseRotaryEmbedding,
    fuseConcatenateHeads,
    fuseActivation,
    foldInverseViews,
    foldTypecasts,
  ]),
];
