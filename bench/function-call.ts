import type { APIGatewayProxyEventV2 } from 'aws-lambda'

/** The event that API Gateway sends for a GET of this route. */
export function gatewayEvent(
  routeKey: string,
  pathParameters: Record<string, string>,
): APIGatewayProxyEventV2 {
  const [method = '', template = ''] = routeKey.split(' ')
  const rawPath = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => pathParameters[name] ?? '')
  return {
    version: '2.0',
    routeKey,
    rawPath,
    rawQueryString: '',
    headers: { host: 'api.example.com', accept: 'application/json', 'user-agent': 'bench' },
    pathParameters,
    isBase64Encoded: false,
    requestContext: {
      accountId: '000000000000',
      apiId: 'bench',
      domainName: 'api.example.com',
      domainPrefix: 'api',
      http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'bench' },
      requestId: 'bench',
      routeKey,
      stage: '$default',
      time: '21/Nov/2026:00:00:00 +0000',
      timeEpoch: 1_795_219_200_000,
    },
  }
}
