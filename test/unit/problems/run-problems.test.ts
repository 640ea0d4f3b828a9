import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { DeployedSchedule, ScheduleState } from '../../../functions/problems/facts.ts'
import { withFixTables } from '../../../operator/problems/fix-tables.ts'
import {
  type FactsChange,
  hoursAgo,
  inProgress,
  latest,
  now,
  problemsIn,
  run,
  runIdAt,
  unpublished,
} from './facts-of.ts'

const rejected = { documents: 0, faults: { '401': 2, '403': 1 } }
const inAccount = (
  starts: DeployedSchedule['starts'],
  existing: DeployedSchedule['existing'],
): ScheduleState => ({
  kind: 'deployed',
  schedules: [{ starts, isDeployed: true, existing, differences: [], undeployed: undefined }],
})
/** The schedule that a person has disabled in the account. */
const disabled = (starts: DeployedSchedule['starts']) =>
  inAccount(starts, { enabled: false, changedAt: hoursAgo(2) })
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

it.each<[name: string, change: FactsChange, problem: object]>([
  [
    'a refused run, with what it found and what is published',
    { runs: [run('skipped', 1), run('cancelled', 2), run('refused', 3), run('published', 4)] },
    {
      kind: 'run-refused',
      level: 'problem',
      since: hoursAgo(3),
      evidence: `Run ${runIdAt(3)} of CL was refused: it found 280 documents, 60.0% fewer than the 700 of the snapshot published 2026-11-21 07:00 UTC.`,
      action: expect.stringContaining('accept exactly this snapshot'),
      command: `review ${runIdAt(3)}`,
    },
  ],
  [
    'refused runs since the first of them, which is stored',
    { state: { latest, refusedSince: hoursAgo(4) }, runs: [run('refused', 1), run('refused', 2)] },
    {
      since: hoursAgo(4),
      evidence: expect.stringMatching(/ At least the last 3 runs ended in the same way\.$/),
    },
  ],
  [
    'a refused run while another one is in progress',
    inProgress([run('refused', 1)]),
    { kind: 'run-refused', command: `review ${runIdAt(1)}` },
  ],
  [
    'a refused run without documents and without a snapshot, of which nothing can be reviewed',
    { ...unpublished, runs: [run('refused', 1, { documents: 0 })] },
    {
      kind: 'run-refused',
      evidence: `Run ${runIdAt(1)} of CL was refused: it found 0 documents.`,
      action: expect.stringContaining("'allowEmpty'"),
      command: 'sync CL --watch',
    },
  ],
  [
    'a refused run whose documents have no id, which is not to be accepted at once',
    {
      ...unpublished,
      runs: [
        run('refused', 1, { reason: 'In CL, none has.', guarded: { uniqueIds: 9, refusedBy: 'idField' } }),
      ],
    },
    {
      kind: 'run-refused',
      evidence: `Run ${runIdAt(1)} was refused: In CL, none has.`,
      action: expect.stringMatching(/^Set 'idField' of CL .* review and accept this snapshot/),
      command: 'sync CL --watch',
    },
  ],
  [
    'a refused run that is not smaller',
    { runs: [run('refused', 1, { guarded: { uniqueIds: 700 } })] },
    {
      evidence: expect.stringMatching(
        /found 700 documents; the snapshot published 2026-11-21 07:00 UTC has 700\.$/,
      ),
    },
  ],
  [
    'a first failure as a note while the snapshot is recent and the next run is ahead',
    { runs: [run('failed', 1), run('published', 2)] },
    {
      kind: 'run-failed',
      level: 'note',
      since: hoursAgo(1),
      evidence: `Run ${runIdAt(1)} of CL failed: The platform was unreachable.`,
      action: 'The snapshot is recent, and the schedule starts the next run by 2026-11-21 17:00 UTC.',
      command: `logs ${runIdAt(1)}`,
    },
  ],
  [
    'a first failure with its known fix, and when the next run is',
    {
      runs: [run('failed', 1, { documents: 0, faults: { 'not-json': 8 } })],
      settings: { schedule: 'cron(30 2 20 * ? *)' },
    },
    {
      kind: 'run-failed',
      level: 'note',
      action:
        "The snapshot is recent, and the schedule starts the next run by 2026-12-20 02:30 UTC. If the platform's response was a redirect, a website or a sign-in page, 'upstream.baseUrl' is not the address of the API: correct it in the configuration and deploy. Then sync CL.",
      command: `logs ${runIdAt(1)}`,
    },
  ],
  [
    'a first failure as a problem if no run is ahead',
    { runs: [run('failed', 1)], settings: { enabled: false } },
    { kind: 'run-failed', level: 'problem' },
  ],
  [
    'the failure of an entity that is synced on demand and has no snapshot',
    { ...unpublished, runs: [run('failed', 1)], settings: { enabled: false } },
    {
      kind: 'run-failed',
      level: 'problem',
      evidence: 'The last run of CL failed: The platform was unreachable.',
    },
  ],
  [
    'a first failure as a problem if a person has disabled the schedule',
    { runs: [run('failed', 1)], schedules: disabled('full') },
    { kind: 'run-failed', level: 'problem' },
  ],
  [
    'a first failure as a problem while the entity is paused',
    {
      runs: [run('failed', 1)],
      state: { latest, pause: { by: 'user/ana', since: hoursAgo(2), reason: null, until: null } },
    },
    { kind: 'run-failed', level: 'problem' },
  ],
  [
    'failed runs, with the reason of the last one',
    { runs: [run('failed', 1), run('failed', 2)] },
    {
      kind: 'run-failed',
      level: 'problem',
      since: hoursAgo(2),
      evidence:
        'At least the last 2 runs of CL failed: The platform was unreachable. The snapshot was published 2026-11-21 07:00 UTC.',
      action: 'Read the log of the last run, fix the problem, and start a sync.',
      command: `logs ${runIdAt(1)}`,
    },
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
    {
      kind: 'run-failed',
      evidence: expect.stringContaining('The page page-000001.ndjson.gz of the snapshot is damaged.'),
      action:
        'Readers still have the snapshot from before. Republish another kept snapshot of CL, or start a sync.',
      command: 'runs CL',
    },
  ],
  [
    'failed runs since the first after the last publication, although only the newest are read',
    { state: { latest, failedSince: hoursAgo(4.5) }, runs: [run('failed', 1)] },
    { level: 'problem', since: hoursAgo(4.5), evidence: expect.stringMatching(/^At least the last 2 runs/) },
  ],
  [
    'failed runs not since a failure before the last publication',
    { state: { latest, failedSince: hoursAgo(6) }, runs: [run('failed', 1), run('failed', 2)] },
    { since: hoursAgo(2) },
  ],
  [
    'that the snapshot is too old because of a failure',
    { ...old, runs: [run('failed', 1)] },
    {
      kind: 'run-failed',
      level: 'problem',
      evidence: expect.stringMatching(
        / The snapshot was published 2026-11-20 23:00 UTC; rate\(6 hours\) allows 12 h\.$/,
      ),
    },
  ],
  [
    'how to fix that the platform refuses the query of an entity',
    { runs: [run('failed', 1, { documents: 0, faults: { 404: 1 } }), run('failed', 2)] },
    {
      kind: 'run-failed',
      action: "Check the name and 'query' of CL in the configuration, and deploy. Then sync it.",
      command: 'sync CL --watch',
    },
  ],
  [
    'that a run needs an object which somebody has overwritten, and the command that restores it',
    { runs: [run('failed', 1, { cause: 'unreadable-object' }), run('failed', 2)] },
    {
      action: 'Restore the newest intact version of the object. Then sync CL.',
      command: 'verify CL --repair',
    },
  ],
  [
    'how to fix that the platform redirects every request',
    { runs: [run('failed', 1, { documents: 0, faults: { 302: 8 } }), run('failed', 2)] },
    { action: expect.stringContaining("'upstream.baseUrl'"), command: `logs ${runIdAt(1)}` },
  ],
  [
    'how to fix that the total of an entity is always wrong',
    { runs: [run('failed', 1, { documents: 90, total: 100 }), run('failed', 2)] },
    {
      action:
        "If all runs of CL found the same number of documents, the platform's total is wrong: raise 'totalTolerancePercent' in the configuration if it is nearly right, otherwise set \"totals: 'ignore'\" (without partitions). Deploy, then sync it.",
      command: 'runs CL',
    },
  ],
  [
    'credentials that the platform rejected in the last run',
    { runs: [run('failed', 1, rejected), run('published', 2)] },
    {
      kind: 'credentials',
      level: 'problem',
      since: hoursAgo(1),
      evidence: `Run ${runIdAt(1)} of CL failed: the platform rejected the credentials 3 times.`,
      command: 'credentials set',
    },
  ],
  [
    'rejected credentials with the area of the secret where areas have their own',
    { runs: [run('failed', 1, rejected)], credentialsArea: 'documents' },
    { kind: 'credentials', command: 'credentials set --area documents' },
  ],
  [
    'a limit that may be rejected credentials, with what the platform said',
    { runs: [run('failed', 1, { documents: 0, faults: { 'rate-limit': 9 }, cause: 'credentials' })] },
    {
      kind: 'credentials',
      evidence: `Run ${runIdAt(1)} of CL failed: The platform was unreachable.`,
      command: 'credentials set',
    },
  ],
  [
    'a limit, not a rejection, of a run that failed for another reason',
    { runs: [run('failed', 1, { documents: 0, faults: { 'rate-limit': 9, '500': 8 } })] },
    { kind: 'run-failed' },
  ],
  [
    'rejections since the first of them, without failures for another reason before',
    {
      state: { latest, failedSince: hoursAgo(4) },
      runs: [run('failed', 1, rejected), run('failed', 2, rejected), run('failed', 3)],
    },
    {
      kind: 'credentials',
      since: hoursAgo(2),
      evidence: expect.stringMatching(/ At least the last 2 runs ended in the same way\.$/),
    },
  ],
  [
    'a failure, not a rejection, of a run that received documents',
    { runs: [run('failed', 1, { ...rejected, documents: 1 }), run('failed', 2)] },
    { kind: 'run-failed' },
  ],
  [
    'an entity without a snapshot',
    // That a look has seen its schedule for three hours does not show how long it has had none.
    { ...unpublished, watched: { full: hoursAgo(3), increment: undefined, erasure: undefined } },
    {
      kind: 'no-snapshot',
      since: null,
      evidence: 'CL has no snapshot yet.',
      action: 'Start a sync.',
      command: 'sync CL --watch',
    },
  ],
  [
    'an entity without a snapshot whose first run has lost its execution',
    { ...inProgress(), state: { ...unpublished.state, lease: { ...lease, until: now - 2 * 3_600_000 } } },
    { kind: 'no-snapshot', action: 'Start a sync.' },
  ],
  [
    'why every run of an entity failed that has no snapshot',
    { ...unpublished, runs: [run('failed', 1), run('failed', 2)] },
    {
      kind: 'no-snapshot',
      since: hoursAgo(2),
      evidence: 'CL has no snapshot: every run failed. The last one: The platform was unreachable.',
      command: `logs ${runIdAt(1)}`,
    },
  ],
  [
    'a snapshot that is as old as it may be',
    { state: { latest: { ...latest, publishedAt: hoursAgo(12) } } },
    { kind: 'stale', since: hoursAgo(0) },
  ],
  [
    'a snapshot that is too old',
    old,
    {
      kind: 'stale',
      since: hoursAgo(1),
      evidence: 'The snapshot of CL was published 2026-11-20 23:00 UTC; rate(6 hours) allows 12 h.',
      command: 'sync CL --watch',
    },
  ],
  [
    'a snapshot that is too old because no run has started',
    {
      state: { latest: { ...latest, publishedAt: hoursAgo(60) }, recentRuns: [runIdAt(60)] },
      runs: [run('published', 60)],
    },
    {
      kind: 'stale',
      evidence: expect.stringMatching(
        / The schedule of CL is rate\(6 hours\), but no run has started since 2026-11-19 00:00 UTC\.$/,
      ),
      // This look has not read the schedules.
      action:
        'Check whether its schedule is disabled, and the dead-letter queue of the schedules. Then sync it.',
      command: 'sync CL --watch',
    },
  ],
  [
    'that an enabled schedule has started no run',
    {
      state: { latest: { ...latest, publishedAt: hoursAgo(60) }, recentRuns: [runIdAt(60)] },
      runs: [run('published', 60)],
      schedules: inAccount('full', { enabled: true, changedAt: hoursAgo(90) }),
    },
    { kind: 'stale', action: 'Check the dead-letter queue of the schedules. Then sync it.' },
  ],
  [
    'a snapshot that became too old while its schedule is disabled, which is a pause',
    {
      state: { latest: { ...latest, publishedAt: hoursAgo(60) }, recentRuns: [runIdAt(60)] },
      runs: [run('published', 60)],
      schedules: disabled('full'),
    },
    {
      kind: 'stale',
      evidence: 'The snapshot of CL was published 2026-11-19 00:00 UTC; rate(6 hours) allows 12 h.',
      action: 'Sync it now, and check its result.',
    },
  ],
  [
    'a snapshot that became too old during a pause, after which no start is due yet',
    {
      state: {
        latest: { ...latest, publishedAt: hoursAgo(60) },
        recentRuns: [runIdAt(60)],
        pause: { by: 'user/ana', since: hoursAgo(59), reason: null, until: hoursAgo(2) },
      },
      runs: [run('published', 60)],
    },
    {
      kind: 'stale',
      evidence: 'The snapshot of CL was published 2026-11-19 00:00 UTC; rate(6 hours) allows 12 h.',
      action: 'Sync it now, and check its result.',
    },
  ],
])('names %s', (_, change, problem) => {
  const [first, ...others] = problemsIn(change)
  expect(first).toMatchObject({ entity: 'CL', ...problem })
  // A pause is a note of its own.
  expect(others.filter(({ kind }) => kind !== 'paused')).toEqual([])
})

it('a first failure stays a note while only the schedule of increments is disabled', () => {
  const found = problemsIn({ runs: [run('failed', 1)], schedules: disabled('increment') })
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
