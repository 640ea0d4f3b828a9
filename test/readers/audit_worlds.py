"""Prints the faults that examples/verify/verify.py finds in each folder of a folder, and exits with 1 if there are any."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples" / "verify"))
import verify  # noqa: E402

found = {}
for folder in pathlib.Path(sys.argv[1]).iterdir():
    bucket = verify.bucket_of(folder)
    entities = {key.split("/")[1] for key in bucket}
    found[folder.name] = [fault for entity in entities for fault in verify.Audit(bucket, entity).faults]
faults = {name: faults for name, faults in found.items() if faults}
print(json.dumps(faults, indent=1))
print(f"{len(faults)} of {len(found)} worlds have faults", file=sys.stderr)
sys.exit(1 if faults or not found else 0)
