// SPDX-License-Identifier: Apache-2.0
import { ATTENTION } from "./families/attention.ts";
import { COLLECTIVE } from "./families/collective.ts";
import { POINT_TO_POINT } from "./families/point_to_point.ts";
import { COMPLEX } from "./families/complex.ts";
import { COMPOSITE_ELEMENTWISE } from "./families/composite_elementwise.ts";
import { CONVOLUTION } from "./families/convolution.ts";
import { CONVOLUTION_3D } from "./families/convolution_3d.ts";
import { CREATION } from "./families/creation.ts";
import { DATA_MOVEMENT } from "./families/data_movement.ts";
import { DISTRIBUTED_NORM } from "./families/distributed_norm.ts";
import { ELEMENTWISE } from "./families/elementwise.ts";
import { EMBEDDING } from "./families/embedding.ts";
import { GATHER } from "./families/gather.ts";
import { GENERAL_CONVOLUTION } from "./families/general_convolution.ts";
import { MATMUL } from "./families/matmul.ts";
import { NORMALIZATION } from "./families/normalization.ts";
import { POOLING } from "./families/pooling.ts";
import { QUANTIZATION } from "./families/quantization.ts";
import { SAMPLING } from "./families/sampling.ts";
import { EXPERTS } from "./families/experts.ts";
import { REDUCTION } from "./families/reduction.ts";
import { ROWS } from "./families/rows.ts";
import { TRAINING } from "./families/training.ts";
import { UNDESCRIBED } from "./families/undescribed.ts";
import type { LoweringRule } from "./lowering_rule.ts";

/** Every TTIR op that has a lowering, by name. */
export const OP_TABLE: ReadonlyMap<string, LoweringRule> = new Map(
  [
    ELEMENTWISE,
    COMPOSITE_ELEMENTWISE,
    COMPLEX,
    DATA_MOVEMENT,
    CREATION,
    MATMUL,
    REDUCTION,
    NORMALIZATION,
    CONVOLUTION,
    CONVOLUTION_3D,
    GENERAL_CONVOLUTION,
    DISTRIBUTED_NORM,
    POOLING,
    ATTENTION,
    EMBEDDING,
    GATHER,
    ROWS,
    COLLECTIVE,
    POINT_TO_POINT,
    QUANTIZATION,
    SAMPLING,
    EXPERTS,
    TRAINING,
    UNDESCRIBED,
  ].flatMap((family) => Object.entries(family)),
);
