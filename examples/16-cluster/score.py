"""Score on the cluster at an address, as one would from a notebook."""

import json
import sys

from distributed import Client

from tracepact import score_batches

address, given, size = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
with Client(address, timeout=120) as client:
    client.wait_for_workers(2)
run = score_batches("boundary_gate", **given, engine=f"dask:{address}", batch_clips=size, out="out/run")
print(f"{run.clips:,} clips in {run.batches} batches, complete: {run.complete}")
