import com.google.gson.Gson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.ApiResponse;
import org.openapitools.client.api.*;
import org.openapitools.client.model.*;

public class Okhttp {
  public static void main(String[] args) throws Exception {
    Gson json = new Gson();
    ApiClient client = new ApiClient();
    client.setBasePath(args[0]);
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
      problem = json.fromJson(error.getResponseBody(), Map.class).get("type").toString();
    }
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("dock", dock.getName());
    result.put("patched", patched);
    result.put("found", found.stream().map(document -> document.get("email")).collect(Collectors.toList()));
    result.put("scrolled", first.getData().size() + second.size());
    result.put("entities", syncs.listSyncs().getEntities().stream().map(SyncedEntity::getEntity).collect(Collectors.toList()));
    result.put("problem", problem);
    result.put("openapi", new OpenapiApi(client).readOpenapi().getOpenapi());
    System.out.println(json.toJson(result));
  }
}
