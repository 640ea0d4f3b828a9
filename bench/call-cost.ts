import { logRequest } from '../functions/http/request-log.ts'
import { accessLogFormat } from '../lib/api/access-log.ts'
import { prices } from './prices.ts'

/** What CloudWatch adds to each event (CloudWatch Logs API reference, "PutLogEvents"). */
const eventBytes = 26

const [time, requestId] = ['2026-03-01T12:00:00.000Z', '6d68ca91-49c9-448d-89b8-7ca3e6dc66aa']
const functionArn =
  'arn:aws:lambda:eu-west-1:111122223333:function:LongshoreApi-ProxyFunction3B2C0F5D-Zk3aB1cD2eF3'
const metrics = { durationMs: 61.71, billedDurationMs: 62, memorySizeMB: 1024, maxMemoryUsedMB: 131 }
/** What Lambda logs of each invocation in its JSON format (Lambda developer guide, "Telemetry API event schema"). */
const ofLambda = [
  { time, type: 'platform.start', record: { requestId, functionArn, version: '$LATEST' } },
  { time, type: 'platform.report', record: { requestId, metrics, status: 'success' } },
].map((event) => JSON.stringify(event))

/** API Gateway's line, with values of a usual length. */
const ofApi = accessLogFormat
  .replace('$context.requestTime', '01/Mar/2026:12:00:00 +0000')
  .replace('$context.requestId', 'JKJaXmPLvHcESHA=')
  .replace('$context.identity.sourceIp', '203.0.113.10')
  .replace('$context.identity.userArn', 'arn:aws:sts::111122223333:assumed-role/Orders/orders-service')
  .replace('$context.authorizer.claims.sub', '-')
  .replace('$context.routeKey', 'GET /api/dataentities/{data_entity}/search')
  .replace('$context.status', '200')
  .replace('$context.responseLength', '4096')
  .replace('$context.responseLatency', '75')
  .replace('$context.integrationLatency', '72')
  .replace('$context.integrationErrorMessage', '-')
  .replace('$context.error.responseType', '-')

/** The line of the proxy, as it writes it. */
function ofProxy(): string {
  const lines: string[] = []
  const write = console.log
  console.log = (line: string) => void lines.push(line)
  try {
    logRequest({
      route: 'GET /api/dataentities/{data_entity}/search',
      status: 200,
      durationMs: 61,
      requestId: 'JKJaXmPLvHcESHA=',
      correlationId: '4bf92f3577b34da6a3ce929d0e0e4736',
      upstreamStatus: 200,
      tries: 1,
      upstreamMs: 58,
      secretMs: 0,
      metrics: { UpstreamFault: [0] },
    })
  } finally {
    console.log = write
  }
  return lines.join('\n')
}

/** What CloudWatch Logs charges of one proxied call: the line of the proxy, and what AWS adds. */
export const callLogBytes = (): number =>
  [ofProxy(), ofApi, ...ofLambda].reduce((sum, line) => sum + Buffer.byteLength(line) + eventBytes, 0)

export function costOfMillionCalls(ms: number, megabytes: number): number {
  const one =
    prices.httpApiRequest +
    prices.lambdaRequest +
    (ms / 1000) * (megabytes / 1024) * prices.lambdaGigabyteSecond +
    (callLogBytes() / 2 ** 30) * prices.logGigabyte
  return one * 1e6
}
