// SPDX-License-Identifier: Apache-2.0

/**
 * The backend that the rule book models: PyPI's `ttnn` of this version, tt-metal's own host code (`ttnn:backend-0-81-1`). Other
 * revisions answer some questions otherwise; docs/op-model.md says which.
 */
export const BACKEND_REVISION = "ttnn 0.81.1";
