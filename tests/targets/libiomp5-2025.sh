# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# Intel's OpenMP runtime of 2025.

. "$here/libiomp5.bash"
wheel=intel-openmp==2025.3.3
