// SPDX-License-Identifier: Apache-2.0

/**
 * The backend revision that the rule book reproduces: host code of PyPI's `ttnn` of this version
 * (`ttnn:backend-0-81-1`). Other revisions answer some queries differently; see docs/op-model.md.
 */
export const BACKEND_REVISION = "ttnn 0.81.1";
