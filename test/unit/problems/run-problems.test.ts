import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { withFixTables } from '../../../operator/problems/fix-tables.ts'
import {
  expectProblem,
  type FactsChange,
  hoursAgo,
  inProgress,
  latest,
  now,
  problemsIn,
  run,
  runIdAt,
  scheduled,
  unpublished,
} from './facts-of.ts'

/** No run has started for 60 hours. */
const quiet = {
  state: { latest: { ...latest, publishedAt: hoursAgo(60) }, recentRuns: [runIdAt(60)] },
  runs: [run('published', 60)],
}
const rejected = { documents: 0, faults: { '401': 2, '403': 1 } }
/** The schedule that a person has disabled in the account. */
const disabled = (starts: 'full' | 'increment') =>
  scheduled({ starts, existing: { enabled: false, changedAt: hoursAgo(2) } })
const lease = { runId: 'current', worker: 'w', handedOff: false, direct: false }
const old = { state: { latest: { ...latest, publishedAt: hoursAgo(13) } } }

it.each<[name: string, change: FactsChange]>([
  ['the last run published', { runs: [run('published', 1), run('failed', 2), run('failed', 3)] }],
  ['the last run was cancelled, and nothing is old', { runs: [run('cancelled', 1)] }],
  ['no run has ended', inProgress()],
  ['a run met one rejection and published', { runs: [run('published', 1, rejected)] }],
  [
    'the snapshot is as old as two runs are apart, less a moment',
    { state: { latest: { ...latest, publishedAt: new Date(Date.parse(hoursAgo(12)) + 1).toISOString() } } },
  ],
  ['an old snapshot has no schedule', { ...old, settings: { enabled: false } }],
  [
    'a snapshot is old, and its schedule is new',
    { ...old, watched: { full: hoursAgo(1), increment: undefined, erasure: undefined } },
  ],
  [
    'the first sync is in progress',
    { ...inProgress(), state: { ...inProgress().state, ...unpublished.state } },
  ],
  ['its first run has published since the entity was read', { ...unpublished, runs: [run('published', 0)] }],
  [
    'the first sync has lost its worker, and may continue',
    { ...inProgress(), state: { ...unpublished.state, lease: { ...lease, until: now - 2 * 3_600_000 + 1 } } },
  ],
  [
    'its first run has begun, and has no item yet',
    { state: { latest: undefined as never, lease: { ...lease, runId: 'next', until: now + 1 } } },
  ],
  ['an entity without a snapshot is synced on demand', { ...unpublished, settings: { enabled: false } }],
])('nothing needs a person if %s', (_, change) => expect(problemsIn(change)).toEqual([]))

it.each<[name: string, change: FactsChange, head: string, text?: string | RegExp]>([
  [
    'a refused run, with what it found and what is published',
    { runs: [run('skipped', 1), run('cancelled', 2), run('refused', 3), run('published', 4)] },
    'run-refused problem 3 h: review run-3',
    'Run run-3 of CL was refused: it found 280 documents, 60.0% fewer than the 700 of the snapshot published 2026-11-21 07:00 UTC. → Review which documents are missing. If they were deleted on purpose, accept exactly this snapshot.',
  ],
  [
    'refused runs since the first of them, which is stored',
    { state: { latest, refusedSince: hoursAgo(4) }, runs: [run('refused', 1), run('refused', 2)] },
    'run-refused problem 4 h: review run-1',
    / At least the last 3 runs ended in the same way\. →/,
  ],
  [
    'a refused run while another one is in progress',
    inProgress([run('refused', 1)]),
    'run-refused problem 1 h: review run-1',
  ],
  [
    'a refused run without documents and without a snapshot, of which nothing can be reviewed',
    { ...unpublished, runs: [run('refused', 1, { documents: 0 })] },
    'run-refused problem 1 h: then sync CL --watch',
    "Run run-1 of CL was refused: it found 0 documents. → Check the name and 'query' of CL in the configuration. If it has no documents and this is correct, set 'allowEmpty'. Deploy, then sync it.",
  ],
  [
    'a refused run whose documents have no id, which is not to be accepted at once',
    {
      ...unpublished,
      runs: [
        run('refused', 1, { reason: 'In CL, none has.', guarded: { uniqueIds: 9, refusedBy: 'idField' } }),
      ],
    },
    'run-refused problem 1 h: then sync CL --watch',
    "Run run-1 was refused: In CL, none has. → Set 'idField' of CL to a field that every document has, and deploy. Then sync it. Only if no field identifies the documents, review and accept this snapshot: a changed document then counts as deleted and created.",
  ],
  [
    'a refused run that is not smaller',
    { runs: [run('refused', 1, { guarded: { uniqueIds: 700 } })] },
    'run-refused problem 1 h: review run-1',
    /found 700 documents; the snapshot published 2026-11-21 07:00 UTC has 700\. →/,
  ],
  [
    'a first failure as a note while the snapshot is recent and the next run is ahead',
    { runs: [run('failed', 1), run('published', 2)] },
    'run-failed note 1 h: logs run-1',
    'Run run-1 of CL failed: The platform was unreachable. → The snapshot is recent, and the schedule starts the next run by 2026-11-21 17:00 UTC.',
  ],
  [
    'a first failure with its known fix, and when the next run is',
    {
      runs: [run('failed', 1, { documents: 0, faults: { 'not-json': 8 } })],
      settings: { schedule: 'cron(30 2 20 * ? *)' },
    },
    'run-failed note 1 h: logs run-1',
    "Run run-1 of CL failed: The platform was unreachable. → The snapshot is recent, and the schedule starts the next run by 2026-12-20 02:30 UTC. If the platform's response was a redirect, a website or a sign-in page, 'upstream.baseUrl' is not the address of the API: correct it in the configuration and deploy. Then sync CL.",
  ],
  [
    'a first failure as a problem if no run is ahead',
    { runs: [run('failed', 1)], settings: { enabled: false } },
    'run-failed problem 1 h: logs run-1',
  ],
  [
    'the failure of an entity that is synced on demand and has no snapshot',
    { ...unpublished, runs: [run('failed', 1)], settings: { enabled: false } },
    'run-failed problem 1 h: logs run-1',
    'The last run of CL failed: The platform was unreachable. → Read the log of the last run, fix the problem, and start a sync.',
  ],
  [
    'a first failure as a problem if a person has disabled the schedule',
    { runs: [run('failed', 1)], ...disabled('full') },
    'run-failed problem 1 h: logs run-1',
  ],
  [
    'a first failure as a problem while the entity is paused',
    {
      runs: [run('failed', 1)],
      state: { latest, pause: { by: 'user/ana', since: hoursAgo(2), reason: null, until: null } },
    },
    'run-failed problem 1 h: logs run-1',
  ],
  [
    'failed runs, with the reason of the last one',
    { runs: [run('failed', 1), run('failed', 2)] },
    'run-failed problem 2 h: logs run-1',
    'At least the last 2 runs of CL failed: The platform was unreachable. The snapshot was published 2026-11-21 07:00 UTC. → Read the log of the last run, fix the problem, and start a sync.',
  ],
  [
    'that a republication failed, whose snapshot another sync does not bring back',
    {
      runs: [
        run('failed', 1, {
          kind: 'republication',
          republishedFrom: runIdAt(30),
          reason: 'The page page-000001.ndjson.gz of the snapshot is damaged.',
        }),
      ],
      settings: { enabled: false },
    },
    'run-failed problem 1 h: runs CL',
    'The last run of CL failed: The page page-000001.ndjson.gz of the snapshot is damaged. The snapshot was published 2026-11-21 07:00 UTC. → Readers still have the snapshot from before. Republish another kept snapshot of CL, or start a sync.',
  ],
  [
    'failed runs since the first after the last publication, although only the newest are read',
    { state: { latest, failedSince: hoursAgo(4.5) }, runs: [run('failed', 1)] },
    'run-failed problem 4.5 h: logs run-1',
    /^At least the last 2 runs/,
  ],
  [
    'failed runs not since a failure before the last publication',
    { state: { latest, failedSince: hoursAgo(6) }, runs: [run('failed', 1), run('failed', 2)] },
    'run-failed problem 2 h: logs run-1',
  ],
  [
    'that the snapshot is too old because of a failure',
    { ...old, runs: [run('failed', 1)] },
    'run-failed problem 1 h: logs run-1',
    / The snapshot was published 2026-11-20 23:00 UTC; rate\(6 hours\) allows 12 h\. →/,
  ],
  [
    'how to fix that the platform refuses the query of an entity',
    { runs: [run('failed', 1, { documents: 0, faults: { 404: 1 } }), run('failed', 2)] },
    'run-failed problem 2 h: then sync CL --watch',
    "At least the last 2 runs of CL failed: The platform was unreachable. The snapshot was published 2026-11-21 07:00 UTC. → Check the name and 'query' of CL in the configuration, and deploy. Then sync it.",
  ],
  [
    'that a run needs an object which somebody has overwritten, and the command that restores it',
    { runs: [run('failed', 1, { cause: 'unreadable-object' }), run('failed', 2)] },
    'run-failed problem 2 h: verify CL --repair',
    'At least the last 2 runs of CL failed: The platform was unreachable. The snapshot was published 2026-11-21 07:00 UTC. → Restore the newest intact version of the object. Then sync CL.',
  ],
  [
    'how to fix that the platform redirects every request',
    { runs: [run('failed', 1, { documents: 0, faults: { 302: 8 } }), run('failed', 2)] },
    'run-failed problem 2 h: logs run-1',
    / → .*'upstream\.baseUrl'/,
  ],
  [
    'how to fix that the total of an entity is always wrong',
    { runs: [run('failed', 1, { documents: 90, total: 100 }), run('failed', 2)] },
    'run-failed problem 2 h: runs CL',
    `At least the last 2 runs of CL failed: The platform was unreachable. The snapshot was published 2026-11-21 07:00 UTC. → If all runs of CL found the same number of documents, the platform's total is wrong: raise 'totalTolerancePercent' in the configuration if it is nearly right, otherwise set "totals: 'ignore'" (without partitions). Deploy, then sync it.`,
  ],
  [
    'credentials that the platform rejected in the last run',
    { runs: [run('failed', 1, rejected), run('published', 2)] },
    'credentials problem 1 h: credentials set',
    'Run run-1 of CL failed: the platform rejected the credentials 3 times. → Store an app key and app token that may read the entity: this offers to sync it. If they have been stored since, only sync it.',
  ],
  [
    'rejected credentials with the area of the secret where areas have their own',
    { runs: [run('failed', 1, rejected)], credentialsArea: 'documents' },
    'credentials problem 1 h: credentials set --area documents',
  ],
  [
    'a limit that may be rejected credentials, with what the platform said',
    { runs: [run('failed', 1, { documents: 0, faults: { 'rate-limit': 9 }, cause: 'credentials' })] },
    'credentials problem 1 h: credentials set',
    'Run run-1 of CL failed: The platform was unreachable. → Store an app key and app token that may read the entity: this offers to sync it. If they have been stored since, only sync it.',
  ],
  [
    'a limit, not a rejection, of a run that failed for another reason',
    { runs: [run('failed', 1, { documents: 0, faults: { 'rate-limit': 9, '500': 8 } })] },
    'run-failed note 1 h: logs run-1',
  ],
  [
    'rejections since the first of them, without failures for another reason before',
    {
      state: { latest, failedSince: hoursAgo(4) },
      runs: [run('failed', 1, rejected), run('failed', 2, rejected), run('failed', 3)],
    },
    'credentials problem 2 h: credentials set',
    / At least the last 2 runs ended in the same way\. →/,
  ],
  [
    'a failure, not a rejection, of a run that received documents',
    { runs: [run('failed', 1, { ...rejected, documents: 1 }), run('failed', 2)] },
    'run-failed problem 2 h: logs run-1',
  ],
  // That a look has seen its schedule for three hours does not show how long it has had none.
  [
    'an entity without a snapshot',
    { ...unpublished, watched: { full: hoursAgo(3), increment: undefined, erasure: undefined } },
    'no-snapshot problem: sync CL --watch',
    'CL has no snapshot yet. → Start a sync.',
  ],
  [
    'an entity without a snapshot whose first run has lost its execution',
    { ...inProgress(), state: { ...unpublished.state, lease: { ...lease, until: now - 2 * 3_600_000 } } },
    'no-snapshot problem: sync CL --watch',
    'CL has no snapshot yet. → Start a sync.',
  ],
  [
    'why every run of an entity failed that has no snapshot',
    { ...unpublished, runs: [run('failed', 1), run('failed', 2)] },
    'no-snapshot problem 2 h: logs run-1',
    'CL has no snapshot: every run failed. The last one: The platform was unreachable. → Read the log of the last run, fix the problem, and start a sync.',
  ],
  [
    'a snapshot that is as old as it may be',
    { state: { latest: { ...latest, publishedAt: hoursAgo(12) } } },
    'stale problem 0 h: sync CL --watch',
  ],
  [
    'a snapshot that is too old',
    old,
    'stale problem 1 h: sync CL --watch',
    'The snapshot of CL was published 2026-11-20 23:00 UTC; rate(6 hours) allows 12 h. → Sync it now, and check its result.',
  ],
  [
    'a snapshot that is too old because no run has started',
    quiet,
    'stale problem 48 h: sync CL --watch',
    'The snapshot of CL was published 2026-11-19 00:00 UTC; rate(6 hours) allows 12 h. The schedule of CL is rate(6 hours), but no run has started since 2026-11-19 00:00 UTC. → Check whether its schedule is disabled, and the dead-letter queue of the schedules. Then sync it.',
  ],
  [
    'that an enabled schedule has started no run',
    { ...quiet, ...scheduled({ existing: { enabled: true, changedAt: hoursAgo(90) } }) },
    'stale problem 48 h: sync CL --watch',
    'The snapshot of CL was published 2026-11-19 00:00 UTC; rate(6 hours) allows 12 h. The schedule of CL is rate(6 hours), but no run has started since 2026-11-19 00:00 UTC. → Check the dead-letter queue of the schedules. Then sync it.',
  ],
  [
    'a snapshot that became too old while its schedule is disabled, which is a pause',
    { ...quiet, ...disabled('full') },
    'stale problem 48 h: sync CL --watch',
    'The snapshot of CL was published 2026-11-19 00:00 UTC; rate(6 hours) allows 12 h. → Sync it now, and check its result.',
  ],
  [
    'a snapshot that became too old during a pause, after which no start is due yet',
    {
      ...quiet,
      state: {
        ...quiet.state,
        pause: { by: 'user/ana', since: hoursAgo(59), reason: null, until: hoursAgo(2) },
      },
    },
    'stale problem 48 h: sync CL --watch',
    'The snapshot of CL was published 2026-11-19 00:00 UTC; rate(6 hours) allows 12 h. → Sync it now, and check its result.',
  ],
])('names %s', (...[, change, head, text]) => {
  const [first, ...others] = problemsIn(change)
  expectProblem(first, head, text)
  // A pause is a note of its own.
  expect(others.filter(({ kind }) => kind !== 'paused')).toEqual([])
})

it('a first failure stays a note while only the schedule of increments is disabled', () => {
  const found = problemsIn({ runs: [run('failed', 1)], ...disabled('increment') })
  expect(found.map(({ kind, level }) => [kind, level])).toEqual([
    ['run-failed', 'note'],
    ['paused', 'note'],
  ])
})

it('docs/runbook.md contains the known fixes, which npm run check -- cli-reference writes', () => {
  const page = readFileSync(new URL('../../../docs/runbook.md', import.meta.url), 'utf8')
  expect(page).toContain(
    "| If the platform's response was a redirect, a website or a sign-in page, `upstream.baseUrl` is not the address of the API: correct it in the configuration and deploy. Then sync ENTITY. |",
  )
  expect(page).toMatch(/\| `AccessDeniedException` \| In Lake Formation, grant access/)
  expect(withFixTables(page)).toBe(page)
})
