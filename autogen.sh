#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Makes ./configure; needs autoconf, automake, libtool and pkg-config.
set -e
cd "$(dirname "$0")"
exec autoreconf --install --force --warnings=all,no-portability "$@"
