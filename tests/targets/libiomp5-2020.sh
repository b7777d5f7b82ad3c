# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# Intel's OpenMP runtime of 2020.

. "$here/libiomp5.bash"
wheel=intel-openmp==2020.0.133
