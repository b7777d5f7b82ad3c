# SPDX-License-Identifier: BSD-3-Clause
"""Spack's recipe: copy this folder into the packages of a repository of yours, and the tarball of
`make dist` into the folder where spack is run."""
import os

from spack.package import *


class MqsOmpd(AutotoolsPackage):
    """Shows why a job of MPI and OpenMP hangs: a library for debuggers with MPI's message queues
    (MQD) and the state of the OpenMP runtime (OMPD), and mqshow, which prints them."""

    url = "file://{0}/mqs-ompd-0.1.0.tar.xz".format(os.getcwd())
    manual_download = True

    license("BSD-3-Clause")

    version("0.1.0")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("elfutils@0.188:")
    depends_on("jansson@2.11:")
    depends_on("expat@2.2:")
    depends_on("zlib-api")
    depends_on("libseccomp@2.5:")
    depends_on("binutils+libiberty")
    depends_on("check@0.15:", type="test")

    def configure_args(self):
        return ["--without-mpi"]

    def check(self):
        make("check-unit")
