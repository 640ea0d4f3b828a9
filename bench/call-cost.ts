import { logRequest } from '../functions/http/request-log.ts'
import { accessLogFormat } from '../lib/api/access-log.ts'
import { prices } from './prices.ts'

/** What CloudWatch adds to each event (CloudWatch Logs API reference, "PutLogEvents"). */
const eventBytes = 26

/** Start and report of an invocation, as Lambda logs them (Lambda developer guide, "Telemetry API event schema"). */
const lambdaBytes = 252 + 236 + 2 * eventBytes

/** API Gateway's line, with values of a usual length: a time, two ids, an address, a role, a route and numbers. */
const apiBytes = accessLogFormat.replaceAll(/\$context\.[\w.]+/g, '').length + 170 + eventBytes

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
export const callLogBytes = (): number => Buffer.byteLength(ofProxy()) + eventBytes + apiBytes + lambdaBytes

export function costOfMillionCalls(ms: number, megabytes: number): number {
  const one =
    prices.httpApiRequest +
    prices.lambdaRequest +
    (ms / 1000) * (megabytes / 1024) * prices.lambdaGigabyteSecond +
    (callLogBytes() / 2 ** 30) * prices.logGigabyte
  return one * 1e6
}
