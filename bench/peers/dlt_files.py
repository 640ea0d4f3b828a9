"""Loads the scroll of an upstream into files with dlt.

Usage: dlt_files.py UPSTREAM_URL OUTPUT_FOLDER [--tuned]
"""

import os
import pathlib
import sys
import time

upstream, output = sys.argv[1], pathlib.Path(sys.argv[2]).absolute()
if "--tuned" in sys.argv:
    # Pages at once, files as they are, nothing taken apart.
    os.environ.update(
        {
            "NORMALIZE__WORKERS": "2",
            "NORMALIZE__DATA_WRITER__BUFFER_MAX_ITEMS": "50000",
            "EXTRACT__DATA_WRITER__BUFFER_MAX_ITEMS": "50000",
            "SCHEMA__NAMING": "direct",
        }
    )

import dlt  # noqa: E402
from dlt.sources.helpers.rest_client import RESTClient  # noqa: E402
from dlt.sources.helpers.rest_client.paginators import BasePaginator  # noqa: E402


class Scroll(BasePaginator):
    """The stock paginators do not end on an empty page after a token, and send `_size` with every one."""

    def update_state(self, response, data=None):
        self._token = response.headers.get("X-SVC-MD-TOKEN")
        self._has_next_page = bool(data) and self._token is not None

    def update_request(self, request):
        request.params = {"_token": self._token}


@dlt.resource(
    name="documents",
    max_table_nesting=0 if "--tuned" in sys.argv else None,
    write_disposition="replace",
)
def documents():
    headers = {"X-SVC-API-AppKey": "local-app-key", "X-SVC-API-AppToken": "local-app-token"}
    client = RESTClient(upstream, headers=headers, paginator=Scroll())
    yield from client.paginate("/api/dataentities/BENCH/scroll", params={"_size": 1000}, data_selector="$")


started = time.monotonic()
pipeline = dlt.pipeline(
    pipeline_name="bench",
    pipelines_dir=str(output / "state"),
    destination=dlt.destinations.filesystem(bucket_url=(output / "files").as_uri()),
    dataset_name="bench",
)
pipeline.run(documents(), loader_file_format="jsonl")
seconds = time.monotonic() - started
counts = pipeline.last_trace.last_normalize_info.row_counts
print(f"dlt{' tuned' if '--tuned' in sys.argv else ''}: {counts.get('documents')} records in {seconds:.1f} s")
