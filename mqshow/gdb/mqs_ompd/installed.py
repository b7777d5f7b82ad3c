# SPDX-License-Identifier: BSD-3-Clause
"""Where the other parts of mqs-ompd are; written down when it is installed."""

DLL_FOLDER = "@dlldir@"
PROGRAM_FOLDER = "@bindir@"
