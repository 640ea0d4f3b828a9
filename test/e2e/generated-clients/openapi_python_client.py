# Runs after the example of docs/clients.md, which defines client, find and scroll. Prints what the platform returned.
import json

from longshore_client.api.logistics import read_dock
from longshore_client.api.subscriptions import update_subscription
from longshore_client.api.syncs import list_syncs, read_sync
from longshore_client.models import SubscriptionPatch

dock = read_dock.sync("dock-1", client=client)
body = SubscriptionPatch.from_dict({"item": {"quantity": 6}})
patched = update_subscription.sync_detailed("subscription-1", client=client, body=body)
found = find("CL", "client3@example.com")
scrolled = [document["id"] for document in scroll("CL", 40)]
syncs = list_syncs.sync(client=client)
refused = search_documents.sync("CL", client=client, rest_range="resources=0-1000")
missing = read_sync.sync("XX", client=client)

print(
    json.dumps(
        {
            "dock": dock.name,
            "patched": patched.status_code,
            "found": [document["email"] for document in found],
            "scrolled": scrolled,
            "entities": [entity.entity for entity in syncs.entities],
            "problems": [str(problem.type_) for problem in (refused, missing)],
        }
    )
)
