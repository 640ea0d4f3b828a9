import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.ApiResponse;
import org.openapitools.client.api.*;
import org.openapitools.client.model.*;

public class Native {
  public static void main(String[] args) throws Exception {
    ObjectMapper json = new ObjectMapper();
    ApiClient client = new ApiClient();
    client.updateBaseUri(args[0]);
    DocumentsApi documents = new DocumentsApi(client);
    SyncsApi syncs = new SyncsApi(client);

    Dock dock = new LogisticsApi(client).readDock("dock-1", null);
    SubscriptionPatch patch = new SubscriptionPatch().item(new SubscriptionPatchItem().quantity(3));
    int patched = new SubscriptionsApi(client)
        .updateSubscriptionWithHttpInfo("subscription-1", patch, null, null).getStatusCode();
    List<Map<String, Object>> found = documents.searchDocuments(
        "CL", null, "email=client3@example.com", null, null, null, null, null, null);
    ApiResponse<List<Map<String, Object>>> first = documents.scrollDocumentsWithHttpInfo("CL", null, null, null, null, null, 60, null, null, null);
    String token = first.getHeaders().get("x-svc-md-token").get(0);
    List<Map<String, Object>> second = documents.scrollDocuments("CL", null, null, null, null, null, null, token, null, null);
    String problem = "";
    try {
      syncs.readSync("XX");
    } catch (ApiException error) {
      problem = json.readTree(error.getResponseBody()).get("type").asText();
    }
    System.out.println(json.writeValueAsString(Map.of(
        "dock", dock.getName(), "patched", patched,
        "found", found.stream().map(document -> document.get("email")).toList(),
        "scrolled", first.getData().size() + second.size(),
        "entities", syncs.listSyncs().getEntities().stream().map(SyncedEntity::getEntity).toList(),
        "problem", problem, "openapi", new OpenapiApi(client).readOpenapi().getOpenapi())));
  }
}
