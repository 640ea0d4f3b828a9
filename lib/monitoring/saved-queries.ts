/** The log groups that a query reads. */
export type LogSource =
  | 'API functions'
  | 'worker'
  | 'compare'
  | 'tables'
  | 'freshness'
  | 'all functions'
  | 'access log'

const newest = '| sort @timestamp desc\n| limit 100'

/** Queries of CloudWatch Logs Insights, under the names that docs/runbook.md uses. ID stands for an id. */
export const savedQueries = {
  'Failed requests': {
    source: 'API functions',
    text: `fields @timestamp, route, status, problem, upstreamStatus, intermediary, tries, durationMs, correlationId, error.name, error.message, error.cause.message
| filter message = 'request' and status >= 500
${newest}`,
  },
  'Slow requests': {
    source: 'API functions',
    text: `fields @timestamp, route, status, durationMs, upstreamMs, secretMs, tries, correlationId
| filter message = 'request'
| sort durationMs desc
| limit 100`,
  },
  'One request': {
    source: 'API functions',
    text: `fields @timestamp, level, message, route, status, problem, upstreamStatus, intermediary, tries, durationMs, upstreamMs, secretMs, runId, error.message, error.stack
| filter correlationId = 'ID' or requestId = 'ID'
| sort @timestamp asc`,
  },
  'Responses by route': {
    source: 'API functions',
    text: `filter message = 'request'
| stats count(*) as calls, pct(durationMs, 50) as p50, pct(durationMs, 99) as p99, avg(upstreamMs) as platform by route, status, upstreamStatus
| sort calls desc`,
  },
  'Credentials errors': {
    source: 'all functions',
    text: `fields @timestamp, message, route, status, problem, upstreamStatus, intermediary, entity, runId, reason, error.message, error.cause.name, error.cause.message
| filter problem like /credentials/ or reason like /credentials/ or upstreamStatus in [401, 403] or CredentialsRejected > 0
${newest}`,
  },
  'Stale snapshots': {
    source: 'freshness',
    text: `filter message = 'snapshot stale'
| stats latest(@timestamp) as checked, latest(ageSeconds) as age, latest(maxAgeSeconds) as allowed by entity
| sort entity asc`,
  },
  Alerts: {
    source: 'freshness',
    text: `fields @timestamp, message, alert, type, changes, error.message
| filter message like /^alert /
${newest}`,
  },
  'Ended runs': {
    source: 'worker',
    text: `fields @timestamp, entity, runId, status, reason, documents, uniqueIds, total, proof, attempt, pages, durationSeconds
| filter message = 'run ended'
${newest}`,
  },
  'Last run of each entity': {
    source: 'worker',
    text: `filter message = 'run ended'
| stats latest(@timestamp) as ended, latest(status) as lastStatus, latest(proof) as lastProof, latest(documents) as lastDocuments, latest(total) as reported, latest(durationSeconds) as seconds, latest(attempt) as attempts by entity
| sort entity asc`,
  },
  'Ended increments': {
    source: 'worker',
    text: `fields @timestamp, entity, runId, status, reason, from, to, records, older, withoutId, uniqueIds, proof
| filter message = 'increment ended'
${newest}`,
  },
  'Ended comparisons': {
    source: 'compare',
    text: `fields @timestamp, entity, base, runId, status, kind, reason, created, updated, deleted, withheld, baseDocuments, stateDocuments
| filter message = 'comparison ended'
${newest}`,
  },
  'Ended tables': {
    source: 'tables',
    text: `fields @timestamp, level, message, entity, runId, status, reason, rows, chunks, metadata
| filter message in ['table planned', 'table ended', 'table removed', 'table trimmed', 'Glue table not updated']
${newest}`,
  },
  'Ended erasures': {
    source: 'all functions',
    text: `fields @timestamp, level, message, entity, entities, versions, unreached, publishedAt, error.message
| filter message in ['erasure ended', 'table erasure ended', 'erasure failed', 'erasure ran out of time', 'erasure waits', 'chain trimmed', 'table trimmed']
${newest}`,
  },
  'One run': {
    source: 'worker',
    text: `fields @timestamp, level, message, status, attempt, pages, documents, total, requests, durationMs, detail, reason, error.message
| filter runId = 'ID'
| sort @timestamp asc`,
  },
  'Sync warnings and errors': {
    source: 'worker',
    text: `fields @timestamp, level, message, entity, runId, attempt, detail, reason, error.name, error.message
| filter level in ['WARN', 'ERROR']
${newest}`,
  },
  Crashes: {
    source: 'all functions',
    text: `fields @timestamp, @log, level, message, type, record.status, record.errorType, record.metrics.durationMs, record.metrics.maxMemoryUsedMB, error.name, error.message, error.stack
| filter level = 'ERROR' or (type = 'platform.report' and record.status != 'success')
${newest}`,
  },
  'API Gateway errors': {
    source: 'access log',
    text: `fields @timestamp, requestId, route, status, integrationError, gatewayError, latencyMs, integrationLatencyMs, caller, subject
| filter status >= 500
${newest}`,
  },
  'Calls by caller': {
    source: 'access log',
    text: `stats count(*) as calls, pct(latencyMs, 99) as p99 by caller, subject, route, status
| sort calls desc
| limit 100`,
  },
} as const satisfies Record<string, { readonly source: LogSource; readonly text: string }>
