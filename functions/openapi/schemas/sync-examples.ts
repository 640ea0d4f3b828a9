const exampleRunId = '20260301T060000000Z-0123456789ab'
const exampleKey = `snapshots/CL/${exampleRunId}/a1-p000001-5f0c1c9e-8a2b.ndjson.gz`
const exampleManifest = `snapshots/CL/${exampleRunId}/manifest.json`

const run = {
  runId: exampleRunId,
  entity: 'CL',
  kind: 'full',
  status: 'published',
  startedAt: '2026-03-01T06:00:00.000Z',
  updatedAt: '2026-03-01T06:00:09.500Z',
  endedAt: '2026-03-01T06:00:09.500Z',
  documents: 5000,
  total: 5000,
  percent: 100,
  pages: 5,
  attempt: 1,
  suspect: false,
  reason: null,
  documentsPerSecond: 612.5,
  secondsLeft: 0,
  uniqueIds: 5000,
  proof: 'exact',
  manifest: exampleManifest,
  by: null,
  refusedAt: null,
  repeatOf: null,
  republishedFrom: null,
  faults: {},
  wait: null,
  increment: null,
  partitions: null,
  partitionsReason: null,
}
const entity = {
  entity: 'CL',
  schedule: 'rate(6 hours)',
  timezone: 'UTC',
  enabled: true,
  pause: null,
  running: null,
  snapshot: {
    runId: exampleRunId,
    manifest: exampleManifest,
    publishedAt: '2026-03-01T06:00:09.400Z',
    documents: 5000,
    sha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
  },
  runs: [run],
  increments: {
    schedule: 'rate(5 minutes)',
    lookbackMinutes: 60,
    window: { from: '2026-03-01T05:10:02Z', to: '2026-03-01T06:15:02Z' },
    ageSeconds: 31,
    recordsLastDay: 412,
    last: {
      runId: '20260301T061501000Z-89abcdef0123',
      status: 'published',
      reason: null,
      endedAt: '2026-03-01T06:15:03.100Z',
    },
  },
}

const look = {
  problems: [
    {
      kind: 'run-failed',
      level: 'note',
      entity: 'CL',
      since: '2026-03-01T06:00:09.400Z',
      evidence: `Run ${exampleRunId} of CL failed: The platform did not respond in time, 8 times in a row.`,
      action: 'The snapshot is recent, and the schedule starts the next run by 2026-03-01 12:15 UTC.',
      command: `logs ${exampleRunId}`,
    },
  ],
  problemsAt: '2026-03-01T06:15:00.000Z',
}

export const syncExamples = {
  run,
  cancelled: {
    ...run,
    status: 'cancelled',
    reason: 'Cancelled by a caller.',
    uniqueIds: null,
    proof: null,
    manifest: null,
  },
  entity: {
    ...entity,
    tip: {
      runId: exampleRunId,
      manifest: `changes/CL/${exampleRunId}/manifest.json`,
      sha256: 'fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9',
    },
    table: {
      runId: exampleRunId,
      rows: 5000,
      rejected: { created_in: 2 },
      metadata: `iceberg/CL/metadata/12-${exampleRunId}-5f0c1c9e.metadata.json`,
      committedAt: '2026-03-01T06:00:31.200Z',
    },
    ...look,
  },
  entities: { entities: [entity], ...look },
  started: {
    runId: exampleRunId,
    entity: 'CL',
    statusUrl: `https://api.example.com/syncs/CL/runs/${exampleRunId}`,
  },
  snapshot: {
    version: 1,
    entity: 'CL',
    runId: exampleRunId,
    startedAt: '2026-03-01T06:00:00.000Z',
    openedAt: '2026-03-01T06:00:01.000Z',
    finishedAt: '2026-03-01T06:00:09.000Z',
    query: {},
    idField: 'id',
    pageSize: 1000,
    attempts: 1,
    documents: 1000,
    uniqueIds: 1000,
    reportedTotal: 1000,
    proof: 'exact',
    spent: { requests: 2, receivedBytes: 1_024_000, milliseconds: 9_000 },
    pages: [
      {
        key: exampleKey,
        documents: 1000,
        bytes: 231_072,
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        link: `https://bucket.example.com/${exampleKey}?X-Amz-Expires=900`,
      },
    ],
  },
} as const
