import type { RunOutcome } from '../../../../stored/inventory/run-outcome.ts'
import {
  type EndedSnapshot,
  planCleanUp,
  type RetentionRules,
} from '../../../../stored/inventory/snapshot-reasons.ts'
import { latestKey, type Manifest, manifestKey, pageKey } from '../../../../stored/snapshots/manifest.ts'

export const entity = 'CL'
export const manifestOf = (runId: string, pages: readonly string[]): Manifest => ({
  version: 1,
  entity,
  runId,
  startedAt: '',
  openedAt: '',
  finishedAt: '',
  query: {},
  idField: 'id',
  pageSize: 1000,
  attempts: 1,
  documents: 0,
  uniqueIds: 0,
  reportedTotal: null,
  proof: 'exact',
  spent: { requests: 0, receivedBytes: 0, milliseconds: 0 },
  pages: pages.map((key) => ({ key, documents: 1, bytes: 1, sha256: '' })),
})

/** A run in the bucket: the pages of its manifest, if it has one, and its other objects. */
export interface RunInBucket {
  readonly runId: string
  readonly manifest: readonly string[] | undefined
  readonly others: readonly string[]
  /** If absent, it was published if it has a manifest. */
  readonly outcome?: RunOutcome
}

export const page = (runId: string, number: number, attempt = 1) =>
  pageKey({ entity, runId, attempt }, number, `u${attempt}${number}`)
export const snapshot = (runId: string, pages = 2): RunInBucket => ({
  runId,
  manifest: Array.from({ length: pages }, (_, index) => page(runId, index + 1)),
  others: [],
})
export const keysOf = ({ runId, manifest, others }: RunInBucket) => [
  ...(manifest ? [...manifest, manifestKey(entity, runId)] : []),
  ...others,
]

export const outcomeIn = (runs: readonly RunInBucket[]) => (runId: string) => {
  const run = runs.find((one) => one.runId === runId)
  return run?.outcome ?? (run?.manifest ? 'published' : 'unpublished')
}

export const publicationOf = (manifest: Manifest): EndedSnapshot => ({
  outcome: 'published',
  manifest,
  published: manifest.runId,
})
export const now = Date.UTC(2026, 2, 31)

/** What is deleted and what is kept after `published` was published. */
export function cleanUp(
  runs: readonly RunInBucket[],
  published: string,
  keepSnapshots: RetentionRules['keepSnapshots'],
) {
  const own = runs.find(({ runId }) => runId === published)
  const keys = [...runs.flatMap(keysOf), latestKey(entity)].toSorted()
  const manifest = manifestOf(published, own?.manifest ?? [])
  const plan = planCleanUp(publicationOf(manifest), keys, {
    keepSnapshots,
    tip: undefined,
    runOutcomeOf: outcomeIn(runs),
    now,
  })
  const deleted = new Set(plan)
  return { plan, keys, deleted, left: keys.filter((key) => !deleted.has(key)) }
}

export const snapshotsLeft = (left: readonly string[]) =>
  left.filter((key) => key.endsWith('/manifest.json')).map((key) => key.split('/')[2])
