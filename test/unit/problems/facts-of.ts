import { expect } from 'vitest'
import type { DeployedSchedule, EntityFacts } from '../../../functions/problems/facts.ts'
import type { FoundProblem } from '../../../functions/problems/problem.ts'
import { problemsOf } from '../../../functions/problems/problems.ts'
import type { EntitySettings } from '../../../functions/runtime/settings.ts'
import type { SnapshotRun as Run } from '../../../stored/run/run.ts'
import { timeOfRunId } from '../../../stored/run/run-id.ts'
import { entityNamed } from '../../entity-named.ts'

export const now = Date.parse('2026-11-21T12:00:00Z')
export const hoursAgo = (hours: number) => new Date(now - hours * 3_600_000).toISOString()
/** The id of a run that started so long ago. */
export const runIdAt = (hours: number) => `${hoursAgo(hours).replaceAll(/[-:.]/g, '')}-0123456789ab`

export const latest = { runId: 'r', manifest: 'm', publishedAt: hoursAgo(5), documents: 700 }

/** A run that ended so many hours ago. */
export const run = (status: string, hours: number, change: object = {}): Run =>
  ({
    kind: 'full',
    entity: 'CL',
    runId: runIdAt(hours),
    status,
    startedAt: hoursAgo(hours),
    endedAt: hoursAgo(hours),
    documents: 280,
    reason: 'The platform was unreachable.',
    faults: {},
    split: { kind: 'whole' },
    ...change,
  }) as never

/** What a change says, of an entity that is as it should be. */
export interface FactsChange extends Partial<Omit<EntityFacts, 'settings'>> {
  readonly settings?: Partial<EntitySettings>
}

export function factsOf({ settings, state, runs = [], ...change }: FactsChange = {}): EntityFacts {
  return {
    settings: entityNamed('CL', { schedule: 'rate(6 hours)', ...settings }),
    state: { latest, recentRuns: runs.map(({ runId }) => runId), ...state },
    runs,
    chain: { kind: 'current' },
    table: { kind: 'off' },
    schemaChanges: undefined,
    audit: {},
    unreadable: undefined,
    watched: { full: undefined, increment: undefined, erasure: undefined },
    schedules: { kind: 'unknown' },
    eraseWithinDays: undefined,
    credentialsArea: 'all',
    now,
    ...change,
  }
}

/** One schedule, which is as deployed apart from a change. */
export const scheduled = (change: Partial<DeployedSchedule> = {}): FactsChange => ({
  schedules: {
    kind: 'deployed',
    schedules: [
      {
        starts: 'full',
        isDeployed: true,
        existing: { enabled: true, changedAt: hoursAgo(3) },
        differences: [],
        undeployed: undefined,
        ...change,
      },
    ],
  },
})

/** The problems of one entity. */
export const entityProblems = (facts: EntityFacts) =>
  problemsOf({ entities: [facts], orphans: [], alertFailures: [], notWoken: [], now: facts.now }).filter(
    ({ entity }) => entity !== undefined,
  )

export const problemsIn = (change: FactsChange) => entityProblems(factsOf(change))
/** An entity that has never published. */
export const unpublished = { state: { latest: undefined as never } }
/** The run of the lease, which has not ended. */
export const inProgress = (before: readonly Run[] = []): FactsChange => {
  const current = run('running', 0, { runId: 'current', endedAt: undefined })
  const lease = { runId: 'current', worker: 'w', until: now, handedOff: false, direct: false }
  return { state: { latest, lease }, runs: [current, ...before] }
}

/** Ids of runs as the hours since they started. */
const withHours = (text: string) =>
  text.replaceAll(/\d{8}T\d{9}Z-0123456789ab/g, (id) => `run-${(now - timeOfRunId(id)) / 3_600_000}`)

/**
 * Expects a problem of CL as `kind level hours: command`, with `then` before a command that follows something else, and
 * as `evidence → action`.
 */
export function expectProblem(problem: FoundProblem | undefined, head: string, text: string | RegExp = /./) {
  const { kind, level, since = '', command, step, evidence, action, entity } = problem ?? {}
  const hours = since === null ? '' : ` ${(now - Date.parse(since)) / 3_600_000} h`
  const next = command === undefined ? '' : `: ${step?.kind === 'sync-afterwards' ? 'then ' : ''}${command}`
  expect([entity, withHours(`${kind} ${level}${hours}${next}`)]).toEqual(['CL', head])
  const texts = withHours(`${evidence} → ${action}`)
  if (typeof text === 'string') expect(texts).toBe(text)
  else expect(texts).toMatch(text)
}
