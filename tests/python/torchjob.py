# SPDX-License-Identifier: BSD-3-Clause
# A job of torch.distributed without PyTorch, whose functions are stand-ins: all ranks but 2 are in
# all_reduce: torchjob.py FILE. Without a rank it starts the ranks, as torchrun does.
import os
import subprocess
import sys
import time


def load_batch():
    time.sleep(1000)


def step():
    if os.environ["RANK"] == "2":
        load_batch()
    torch.distributed.distributed_c10d.all_reduce([1, 2])


if "RANK" not in os.environ:
    ranks = [subprocess.Popen([sys.executable, *sys.argv], env={
        **os.environ, "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "4", "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": "29500", "TORCHELASTIC_RUN_ID": "none"}) for rank in range(4)]
    sys.exit(max(rank.wait() for rank in ranks))

import torch.distributed.distributed_c10d

with open("%s.%s" % (sys.argv[1], os.environ["RANK"]), "w") as out:
    out.write("%d\n" % os.getpid())
step()
