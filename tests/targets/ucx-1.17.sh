# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# UCX 1.17.0 as PyPI has it.

. "$here/ucx.bash"
wheel=libucx-cu12==1.17.0.post1
