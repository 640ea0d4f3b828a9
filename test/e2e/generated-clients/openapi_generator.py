# Runs after the example of docs/clients.md, which defines client, find and scroll. Prints what the platform returned.
import json

from longshore_client.api import LogisticsApi, SubscriptionsApi, SyncsApi
from longshore_client.models import SubscriptionPatch, SubscriptionPatchItem


def problem_of(call):
    try:
        call()
    except longshore_client.ApiException as error:
        return error.data.actual_instance.type


dock = LogisticsApi(client).read_dock("dock-1")
patch = SubscriptionPatch(item=SubscriptionPatchItem(quantity=7))
patched = SubscriptionsApi(client).update_subscription_with_http_info("subscription-1", patch)
found = find("CL", "client3@example.com")
scrolled = [document["id"] for document in scroll("CL", 40)]
syncs = SyncsApi(client).list_syncs()
problems = [
    problem_of(lambda: documents.search_documents("CL", rest_range="resources=0-1000")),
    problem_of(lambda: SyncsApi(client).read_sync("XX")),
]

print(
    json.dumps(
        {
            "dock": dock.name,
            "patched": patched.status_code,
            "found": [document["email"] for document in found],
            "scrolled": scrolled,
            "entities": [entity.entity for entity in syncs.entities],
            "problems": problems,
        }
    )
)
