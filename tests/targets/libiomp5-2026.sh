# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# Intel's OpenMP runtime of 2026.

. "$here/libiomp5.bash"
wheel=intel-openmp==2026.2.0
