"""Reads the scroll of an upstream with airbyte-cdk, which writes its records to the standard output.

Usage: airbyte.py UPSTREAM_URL WORK_FOLDER > messages.jsonl
"""

import json
import pathlib
import sys
import time

from airbyte_cdk.entrypoint import launch
from airbyte_cdk.models import ConnectorSpecification
from airbyte_cdk.sources import AbstractSource
from airbyte_cdk.sources.streams.http import HttpStream

upstream, output = sys.argv[1], pathlib.Path(sys.argv[2])


class Documents(HttpStream):
    url_base = upstream
    primary_key = "id"
    name = "documents"

    def path(self, **_):
        return "/api/dataentities/BENCH/scroll"

    def request_headers(self, **_):
        return {"X-SVC-API-AppKey": "local-app-key", "X-SVC-API-AppToken": "local-app-token"}

    def request_params(self, next_page_token=None, **_):
        return next_page_token or {"_size": 1000}

    def next_page_token(self, response):
        return {"_token": response.headers["X-SVC-MD-TOKEN"]} if response.content != b"[]" else None

    def parse_response(self, response, **_):
        yield from response.json()

    def get_json_schema(self):
        return {"type": "object", "additionalProperties": True, "properties": {"id": {"type": "string"}}}


class Source(AbstractSource):
    def spec(self, logger):
        return ConnectorSpecification(connectionSpecification={})

    def check_connection(self, logger, config):
        return True, None

    def streams(self, config):
        return [Documents()]


output.mkdir(parents=True, exist_ok=True)
(output / "config.json").write_text("{}")
(output / "catalog.json").write_text(
    json.dumps(
        {
            "streams": [
                {
                    "stream": {"name": "documents", "json_schema": {}, "supported_sync_modes": ["full_refresh"]},
                    "sync_mode": "full_refresh",
                    "destination_sync_mode": "overwrite",
                }
            ]
        }
    )
)
started = time.monotonic()
launch(Source(), ["read", "--config", str(output / "config.json"), "--catalog", str(output / "catalog.json")])
print(f"airbyte-cdk: {time.monotonic() - started:.1f} s", file=sys.stderr)
