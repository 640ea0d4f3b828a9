import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeError } from '../../functions/runtime/log.ts'
import { metricTable } from '../../functions/runtime/metric-table.ts'
import { resolveConfig } from '../../lib/config.ts'
import { type LogSource, savedQueries } from '../../lib/monitoring/saved-queries.ts'
import type { Bundle } from '../../local/bundle.ts'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { onScroll } from '../../local/stand-in/faults.ts'
import { localCredentials, type Platform, startPlatform } from '../../local/stand-in/platform.ts'
import { type AlertReceiver, startAlertReceiver } from '../alert-receiver.ts'
import { synthesize } from '../infra/synthesize.ts'
import { startStandInBundle } from '../integration/stand-in-bundle.ts'
import { onDock } from '../stand-in-faults.ts'

// biome-ignore lint/suspicious/noExplicitAny: log lines differ
type Line = Record<string, any>

let platform: Platform
let receiver: AlertReceiver
let bundle: Bundle
let lines: Line[]
let startedRunId: string

const traceId = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${traceId}-b7ad6b7169203331-01`

/** Runs every kind of task of the built functions, with a platform that sometimes fails. */
beforeAll(async () => {
  platform = await startPlatform({
    documents: { CL: makeDocuments(250) },
    docks: { d1: Buffer.from('{"id":"d1"}') },
  })
  const configuration = resolveConfig({
    upstream: { baseUrl: 'https://shop.example.com', timeoutSeconds: 2 },
    entities: [
      {
        name: 'CL',
        schedule: 'rate(1 day)',
        pageSize: 100,
        columns: ['id', 'email'],
        increments: { schedule: 'rate(5 minutes)' },
      },
    ],
  })
  receiver = await startAlertReceiver()
  bundle = await startStandInBundle(configuration, platform, [{ type: 'webhook', address: receiver.address }])
  const call = (path: string, { headers, ...init }: RequestInit = {}) =>
    fetch(`${bundle.apiUrl}${path}`, {
      ...init,
      headers: { authorization: 'AWS4-HMAC-SHA256 local', ...Object.fromEntries(new Headers(headers)) },
    })

  receiver.respond = (response) => void response.writeHead(503).end()
  await bundle.look()
  receiver.respond = (response) => void response.writeHead(202).end()
  await bundle.look()

  const dock = '/api/logistics/pvt/configuration/docks/'
  await call(`${dock}d1`, { headers: { traceparent } })
  platform.faults.add({ match: onDock('slow'), fault: { kind: 'hang' }, times: Infinity })
  await call(`${dock}slow`)
  platform.faults.add({ match: onDock('torn'), fault: { kind: 'reset' }, times: Infinity })
  await call(`${dock}torn`)
  const firewall = { 'Content-Type': 'text/html' }
  platform.faults.add({
    match: onDock('blocked'),
    fault: { kind: 'status', status: 403, headers: firewall, body: '<html>Request blocked</html>' },
    times: Infinity,
  })
  await call(`${dock}blocked`)
  await call('/syncs/none')

  platform.faults.add({ match: onScroll({ request: 2 }), fault: { kind: 'reset', effect: 'after' } })
  const started = (await (await call('/syncs/CL', { method: 'POST' })).json()) as { runId: string }
  startedRunId = started.runId
  const runUrl = `/syncs/CL/runs/${startedRunId}`
  await until(async () => ((await (await call(runUrl)).json()) as Line)['status'] === 'published')
  await until(async () => countOf('comparison ended') >= 1 && countOf('table ended') >= 1)
  // The second change set has counts.
  await call('/syncs/CL', { method: 'POST' })
  await until(async () => countOf('comparison ended') >= 2 && countOf('table ended') >= 2)
  await call('/syncs/CL', { method: 'POST', body: '{"increment":true}' })
  await until(async () => countOf('increment ended') >= 1)
  lines = readFileSync(bundle.logFile, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
})
const countOf = (message: string) =>
  readFileSync(bundle.logFile, 'utf8').split(`"message":"${message}"`).length - 1

/** Fails with the last log lines, before the hook's time limit fails without them. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 40_000
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(readFileSync(bundle.logFile, 'utf8').slice(-5_000))
    await sleep(100)
  }
}
afterAll(async () => {
  await bundle?.close('delete-log')
  await platform?.close()
  await receiver?.close()
})

it('a receiver of alerts is told what opened, with a command for this machine, until it accepts that', () => {
  const told = {
    event: 'opened',
    kind: 'no-snapshot',
    commandLine: expect.stringMatching(/ longshore --local sync CL/),
  }
  const message = { deployment: 'Longshore', problems: [told], more: 0 }
  // On a busy machine, a later look reports that the problem is resolved.
  expect(receiver.messages.slice(0, 2).map(({ json }) => json)).toMatchObject([message, message])
  const ofWebhook = lines.filter(
    ({ message, alert }) => message.startsWith('alert ') && alert === 'alerts[0]',
  )
  expect(ofWebhook.slice(0, 2)).toMatchObject([
    { level: 'ERROR', message: 'alert not delivered', type: 'webhook', AlertFailures: 1 },
    { level: 'INFO', message: 'alert delivered', type: 'webhook', changes: 1 },
  ])
  expect(readFileSync(bundle.logFile, 'utf8')).not.toContain('canary')
})

it('events name the deployment and its bucket', () => {
  const origin = { deployment: 'Longshore', bucket: bundle.instance.bucket }
  for (const detailType of ['Snapshot Published', 'Changes Published']) {
    const events = bundle.events.filter((event) => event.detailType === detailType)
    expect(events.map(({ detail }) => detail)).toEqual([
      expect.objectContaining({ entity: 'CL', runId: startedRunId, ...origin }),
      expect.objectContaining({ entity: 'CL', ...origin }),
    ])
  }
})

const requests = () => lines.filter(({ message }) => message === 'request')

/** Nested keys as paths, for example `error.cause.message`. */
function keysOf(value: Line, prefix = ''): string[] {
  return Object.entries(value).flatMap(([key, inner]) => [
    prefix + key,
    ...(typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? keysOf(inner as Line, `${prefix}${key}.`)
      : []),
  ])
}

const keywords = new Set('fields filter stats sort limit desc asc and or in like by as'.split(' '))
const calculations = new Set(['count', 'pct', 'avg', 'latest'])
/** Fields of CloudWatch and of Lambda's own lines (its developer guide, "Telemetry API Event schema"). */
const ofAws = new Set([
  '@timestamp',
  '@log',
  'type',
  'record.status',
  'record.errorType',
  'record.metrics.durationMs',
  'record.metrics.maxMemoryUsedMB',
])

function fieldsOf(text: string): string[] {
  const bare = text.replaceAll(/'[^']*'|\/[^/]*\//g, '')
  const names = [...bare.matchAll(/@?[A-Za-z][\w.]*/g)].map(([name]) => name)
  const own = new Set([...bare.matchAll(/ as (\w+)/g)].map(([, name]) => name))
  return names.filter((name) => !keywords.has(name) && !calculations.has(name) && !own.has(name))
}

it.each(Object.entries(savedQueries))(
  'the fields of a saved query "%s" exist in real log lines',
  (_name, { source, text }) => {
    const known = new Set(knownFields(source))
    expect(fieldsOf(text).filter((field) => !known.has(field) && !ofAws.has(field))).toEqual([])
    for (const command of text.split('\n| ')) expect(command).toMatch(/^(fields|filter|stats|sort|limit) \S/)
  },
)

function knownFields(source: LogSource): string[] {
  if (source === 'access log') {
    const [stage] = synthesize().of('AWS::ApiGatewayV2::Stage')
    return Object.keys(JSON.parse(stage?.properties.AccessLogSettings.Format))
  }
  // The worker logs such an error if a store fails, which does not happen in this test.
  const error = describeError(new Error('of a store', { cause: new Error('of the network') }))
  const worker = [...lines.filter(({ message }) => message !== 'request'), { error }, { reason: 'failed' }]
  const compare = [...lines.filter(({ message }) => message === 'comparison ended'), { reason: 'refused' }]
  const tables = [
    ...lines.filter(({ message }) => message === 'table ended' || message === 'table planned'),
    { reason: 'failed' },
  ]
  const freshness = [
    { message: 'snapshot stale', entity: 'CL', ageSeconds: 1, maxAgeSeconds: 1 },
    ...lines.filter(({ message }) => message.startsWith('alert ')),
  ]
  // The daily erasure, which `npm start` does not schedule.
  const erasure = [
    { message: 'erasure ended', eraseWithinDays: 30, entities: 1, versions: 1 },
    { message: 'erasure ran out of time', unreached: 1, entities: 1 },
    { message: 'erasure waits', entity: 'CL', publishedAt: '2026-03-01T06:00:00.000Z' },
  ]
  const ofSource = {
    'API functions': requests(),
    worker,
    compare,
    tables,
    freshness,
    'all functions': [...lines, ...erasure],
  }[source]
  // A metric is a member of a line only if it has a value.
  return [...ofSource.flatMap((line) => keysOf(line)), ...Object.keys(metricTable)]
}

describe('the log line', () => {
  it('never has what authenticates Longshore: credentials, tokens of scrolls, addresses of receivers', () => {
    const tokens = platform.requests.flatMap(({ query }) => query.get('_token') ?? [])
    expect(tokens).not.toEqual([])
    const log = readFileSync(bundle.logFile, 'utf8')
    for (const secret of [...Object.values(localCredentials), ...tokens, receiver.address])
      expect(log).not.toContain(secret)
  })

  it('of a request has its times and metrics', () => {
    const [line] = requests()
    expect(line).toMatchObject({ status: 200, upstreamStatus: 200, tries: 1, UpstreamFault: [0] })
    expect(line?.['durationMs']).toBeGreaterThanOrEqual(line?.['upstreamMs'] + line?.['secretMs'])
  })

  it('of a request has the caller’s trace id, which is sent to the platform with a new span id', () => {
    expect(requests()[0]).toMatchObject({ correlationId: traceId })
    const sent = platform.requests.find(({ kind }) => kind === 'dock')?.headers['traceparent']
    expect(sent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`))
    expect(sent).not.toBe(traceparent)
    // A request without a traceparent is sent without one.
    const others = platform.requests.filter(({ headers }) => headers['traceparent'])
    expect(others).toHaveLength(1)
    expect(requests()[1]?.['correlationId']).toBe(requests()[1]?.['requestId'])
  })

  it('of a failed request counts each exchange and names the failure', () => {
    expect(requests().find(({ status }) => status === 504)).toMatchObject({
      problem: 'upstream-timeout',
      UpstreamFault: [1],
    })
    const torn = requests().find(({ status }) => status === 502)
    expect(torn).toMatchObject({ problem: 'upstream-interrupted', error: { name: 'UpstreamFailure' } })
    expect(torn?.['UpstreamFault']).toEqual(Array.from({ length: torn?.['tries'] }, () => 1))
  })

  it('of the start of a sync has the id of the run', () => {
    expect(requests().find(({ status }) => status === 202)).toMatchObject({ runId: startedRunId })
    const ofRun = lines.filter(({ runId, message }) => runId === startedRunId && message !== 'request')
    expect(new Set(ofRun.map(({ message }) => message))).toEqual(
      new Set([
        'request outcome unknown',
        'scroll waiting',
        'attempt given up',
        'check',
        'publish',
        'publish-set',
        'run ended',
        'step',
        'chain reset',
        'comparison ended',
        'table planned',
        'table ended',
      ]),
    )
    expect(ofRun.find(({ message }) => message === 'run ended')).toMatchObject({
      status: 'published',
      proof: 'exact',
      documents: 250,
    })
  })

  it('has only metrics of the table, with their values and without dimensions', () => {
    const directives = lines.flatMap((line) =>
      (line['_aws']?.CloudWatchMetrics ?? []).map((directive: Line) => ({ line, directive })),
    )
    expect(directives.length).toBeGreaterThan(5)
    for (const { line, directive } of directives) {
      expect(directive['Dimensions']).toEqual([[]])
      for (const { Name } of directive['Metrics']) {
        expect(metricTable).toHaveProperty(Name)
        for (const value of [line[Name]].flat()) expect(value).toEqual(expect.any(Number))
      }
    }
  })
})
