# Runs after the example of docs/migrate.md, which defines api and api_url. Prints what the platform returned.
import json

dock = api.get(f"{api_url}/api/logistics/pvt/configuration/docks/1").json()
patched = api.patch(f"{api_url}/api/rns/subscriptions/42", json={"isSkipped": True}).status_code
search = api.get(
    f"{api_url}/api/dataentities/CL/search/",
    params={"_sort": "id ASC", "_fields": "id,email"},
    headers={"REST-Range": "resources=0-10"},
)
search.raise_for_status()
scrolled = []
query = {"_size": 400, "_fields": "id,email"}
while True:
    page = api.get(f"{api_url}/api/dataentities/CL/scroll", params=query)
    page.raise_for_status()
    if not page.content:
        break
    scrolled += [document["id"] for document in page.json()]
    query["_token"] = page.headers.get("X-SVC-MD-TOKEN", query.get("_token"))

print(json.dumps({"dock": dock, "patched": patched, "found": len(search.json()), "scrolled": scrolled}))
