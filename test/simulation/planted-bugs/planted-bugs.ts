import type { Invariant } from '../oracle/invariants.ts'
import { hasRanges, isTolerant, type Scenario } from '../scenario.ts'

/** A bug that is planted into the code as a change of its text, to show that the simulation finds it. */
export interface PlantedBug {
  /** The invariant that finds it. */
  readonly breaks: Invariant
  readonly file: string
  /** Occurs once in the file. */
  readonly find: string
  readonly replace: string
  /** Finds it. `npm run plants` writes it. */
  readonly seed: number
  /** The scenarios in which the bug can show. The search leaves the others out; all by default. */
  readonly showsIn?: (scenario: Scenario) => boolean
}

const compares = (scenario: Scenario) => scenario.compares
const hasTables = ({ tables }: Scenario) => tables !== undefined

/** Bugs that no unit test finds, and for each invariant at least one. */
export const plantedBugs = {
  'typed-table-unconditional': {
    breaks: 'typed-table-forward',
    file: 'functions/state/tables/tables.aws.ts',
    find: 'objects.putIf(tableLatestKey(entity), expected, json(latest))',
    replace: 'objects.put(tableLatestKey(entity), json(latest)).then(() => true)',
    seed: 53,
    showsIn: hasTables,
  },
  'typed-table-before-its-files': {
    breaks: 'typed-table-whole',
    file: 'functions/tables/commit/commit-table.ts',
    find: 'await tables.writeJson(key, next)',
    replace: 'void tables.writeJson(key, next).catch(() => {})',
    seed: 4,
    showsIn: hasTables,
  },
  'superseded-lines-of-another-chunk': {
    breaks: 'typed-table-recovers',
    file: 'functions/tables/plan/plan-table.ts',
    find: 'superseded.get(from + index)',
    replace: 'superseded.get(index)',
    seed: 379,
    showsIn: hasTables,
  },
  'earlier-drops-forgotten': {
    breaks: 'typed-table-kept',
    file: 'functions/tables/commit/dropped-runs.ts',
    find: '...dropped.filter((one) => isRecent(one, now) && !kept.has(one.runId)),',
    replace: '',
    seed: 334,
    showsIn: hasTables,
  },
  'replaced-metadata-deleted': {
    breaks: 'typed-table-kept',
    file: 'functions/tables/clean-up/clean-up.ts',
    find: 'return [key, ...replaced, ...files.flat()]',
    replace: 'return [key, ...replaced.slice(1), ...files.flat()]',
    seed: 123,
    showsIn: hasTables,
  },
  'previous-table-not-kept': {
    breaks: 'typed-table-kept',
    file: 'functions/tables/commit/commit-table.ts',
    find: 'run === runs.at(-1) || (kept',
    replace: '(kept',
    seed: 364,
    showsIn: hasTables,
  },
  'failed-attempts-kept': {
    breaks: 'typed-table-cleaned',
    file: 'functions/tables/clean-up/plan-clean-up.ts',
    find: 'own.every(isOld) ? own : []',
    replace: '[]',
    seed: 41,
    showsIn: hasTables,
  },
  'field-ids-of-dropped-columns': {
    breaks: 'typed-table-ids',
    file: 'functions/tables/plan/plan-table.ts',
    find: "metadata?.['last-column-id'] ?? 0,",
    replace: '0,',
    seed: 3202,
    showsIn: hasTables,
  },
  'event-of-a-table-forgotten': {
    breaks: 'typed-table-recovers',
    file: 'functions/tables/commit/finish-table.ts',
    find: 'latest.announced || (await announce(context, entity, latest))',
    replace: 'latest.glue?.state !== undefined && (await announce(context, entity, latest))',
    seed: 4,
    showsIn: hasTables,
  },
  'first-part-listed': {
    breaks: 'changes-true',
    file: 'functions/compare/compare.ts',
    find: 'parts: await io.records.finish()',
    replace: 'parts: (await io.records.finish()).slice(0, 1)',
    seed: 180,
    showsIn: ({ scale }) => scale === 'heavy',
  },
  'cursor-too-new': {
    breaks: 'readers-follow',
    file: 'functions/state/changes/change-chain.ts',
    find: 'chain.sets.slice(first)',
    replace: 'chain.sets.slice(first + 1)',
    seed: 12,
    showsIn: compares,
  },
  'chain-unconditional': {
    breaks: 'chain-forward',
    file: 'functions/state/changes/change-sets.aws.ts',
    find: 'objects.putIf(changesLatestKey(entity), expected, json(latest))',
    replace: 'objects.put(changesLatestKey(entity), json(latest)).then(() => true)',
    seed: 4,
    showsIn: compares,
  },
  'guard-by-count': {
    breaks: 'deletes-guarded',
    file: 'functions/compare/compare.ts',
    find: 'refusal({ ...deletes,',
    replace: 'refusal({ ...deletes, deleted: joined.baseDocuments - joined.targetDocuments,',
    seed: 108,
    showsIn: compares,
  },
  'listed-sets-cleaned-up': {
    breaks: 'sets-whole',
    file: 'functions/state/changes/change-chain.ts',
    find: 'run < chain.tip && run < oldest && !listed.has(run)',
    replace: 'run < chain.tip',
    seed: 4,
    showsIn: compares,
  },
  'crashes-add-up': {
    breaks: 'nothing-carried-over',
    file: 'functions/state/run/range.ts',
    find: 'range.crashes?.page === page ? range.crashes.count + 1 : 1',
    replace: '(range.crashes?.count ?? 0) + 1',
    seed: 28,
  },
  'new-configuration-in-mid-run': {
    breaks: 'plan-kept',
    file: 'functions/worker/lifecycle/take-over.ts',
    find: 'if (mayHavePage(run, next)) return { plan, split }',
    replace: '',
    seed: 88,
    showsIn: ({ drivers }) => drivers.upgradeAtPage !== undefined,
  },
  'clean-up-without-runs': {
    breaks: 'late-writers-spared',
    file: 'functions/worker/publish/clean-up.ts',
    find: 'runs.set(runId, await state.readRun(entity.name, runId))',
    replace: 'runs.set(runId, undefined)',
    seed: 22,
  },
  'unconfigured-entity-keeps-locks': {
    breaks: 'leaves-nothing',
    file: 'functions/worker/lifecycle/early-exits.ts',
    find: `  await state.release(entity, run.runId)
  await reportEnd(context, ended)`,
    replace: '  await reportEnd(context, ended)',
    seed: 54,
    showsIn: ({ drivers }) => drivers.redeploy > 0.2,
  },
  'null-dates-lost': {
    breaks: 'ranges-cover',
    file: 'functions/partitions/ranges.ts',
    find: "return [{ kind: 'null' }, ",
    replace: 'return [',
    seed: 6,
    showsIn: hasRanges,
  },
  'agreement-believed': {
    breaks: 'coverage-true',
    file: 'functions/partitions/agreement.ts',
    find: 'if (difference <= 0) return',
    replace: 'return',
    seed: 455,
    showsIn: ({ platform }) => ['misses-by-scrolls', 'lags-by-scrolls'].includes(platform.filters),
  },
  'absence-by-ranges-counts': {
    breaks: 'deletes-true',
    file: 'functions/state/changes/absence.ts',
    find: "absences: partitionedBy.absences ?? 'unknown'",
    replace: "absences: 'proven'",
    seed: 5338,
    showsIn: ({ compares, platform }) => compares && platform.filters.startsWith('misses'),
  },
  'conflict-believed': {
    breaks: 'pages-whole',
    file: 'functions/state/objects.aws.ts',
    find: "if (refusal !== 'conflict' || conflicts === maxConflicts) throw error",
    replace: "if (refusal === 'conflict') return true",
    seed: 59,
    showsIn: ({ stores }) => stores.conflicts > 0,
  },
  'failed-condition-believed': {
    breaks: 'end-is-true',
    file: 'functions/state/run/run-items.ts',
    find: 'stored !== undefined && isSameWrite(stored, run)',
    replace: 'stored !== undefined',
    seed: 35,
  },
  'repeated-write-is-foreign': {
    breaks: 'throttling-survived',
    file: 'functions/state/run/run-items.ts',
    find: 'stored !== undefined && isSameWrite(stored, run)',
    replace: 'false',
    seed: 82,
    showsIn: ({ stores, onlyThrottles }) => onlyThrottles && stores.lost !== undefined,
  },
  'empty-list-believed': {
    breaks: 'pages-whole',
    file: 'functions/state/objects.aws.ts',
    find: 'from = page.NextContinuationToken',
    replace: 'from = page.KeyCount === 0 ? undefined : page.NextContinuationToken',
    seed: 94,
    showsIn: ({ stores }) => stores.shortPages > 0,
  },
  'short-write-unnoticed': {
    breaks: 'worker-crashed',
    file: 'functions/compare/read/document-file.ts',
    find: 'this.#written += written\n',
    replace: 'this.#written += bytes.length\n      return bytes.length\n',
    seed: 180,
    showsIn: ({ stores, scale }) => scale === 'heavy' && stores.shortWrites > 0,
  },
  'lose-a-line': {
    breaks: 'proof-true',
    file: 'functions/worker/page/prepare.ts',
    find: 'compress(lines)',
    replace: "compress(lines.subarray(0, lines.lastIndexOf('\\n', -2) + 1))",
    seed: 1,
  },
  'commit-before-object': {
    breaks: 'pages-whole',
    file: 'functions/worker/page/store.ts',
    find: 'await snapshots.putPage(committed.key, object, sha256)',
    replace: 'void snapshots.putPage(committed.key, object, sha256).catch(() => {})',
    seed: 15,
  },
  'shared-object-names': {
    breaks: 'write-once',
    file: 'functions/worker/page/store.ts',
    find: 'pageKey(attempt, page, uniqueName())',
    replace: "pageKey(attempt, page, 'same')",
    seed: 28,
  },
  'latest-unconditional': {
    breaks: 'latest-forward',
    file: 'functions/state/snapshots/snapshots.aws.ts',
    find: "objects.putIf(latestKey(entity), current ?? 'absent', {",
    replace: 'objects.put(latestKey(entity), {',
    seed: 6,
  },
  'table-forgotten': {
    breaks: 'table-follows',
    file: 'functions/state/snapshots/snapshots.aws.ts',
    find: 'if (listed?.value === text) return',
    replace: 'if (listed) return',
    seed: 1,
  },
  'forget-what-was-published': {
    breaks: 'guards-hold',
    file: 'functions/worker/publish/publish.ts',
    find: 'publishedIds: latest && (await publishedIdsOf(snapshots, entity.name, latest))',
    replace: 'publishedIds: undefined',
    seed: 38,
  },
  'lease-ignored': {
    breaks: 'one-run-writes',
    file: 'functions/worker/lifecycle/session.ts',
    find: 'await state.renewLease(entity.name, lease, [...scrolls.values()])',
    replace: '',
    seed: 5,
  },
  'slots-ignored': {
    breaks: 'slots-held',
    file: 'functions/worker/lifecycle/session.ts',
    find: 'async takeSlot() {\n',
    replace: 'async takeSlot() {\n      if (true) return true\n',
    seed: 1,
  },
  'one-scroll-too-many': {
    breaks: 'slots-limited',
    file: 'functions/state/slots/decision.ts',
    find: 'live.length + ranges.length > count',
    replace: 'live.length > count',
    seed: 3,
  },
  'never-gives-up': {
    breaks: 'ends-in-time',
    file: 'functions/worker/ranges/scroll-range.ts',
    find: '      position,\n      retryState,',
    replace: '      position,\n      retryState: undefined,',
    seed: 166,
    showsIn: ({ platform }) => platform.outageMs === 600_000,
  },
  'keep-the-first-token': {
    breaks: 'recovers',
    file: 'functions/worker/scroll/request.ts',
    find: 'readToken(headers, tokenHeader) ?? cursor.token',
    replace: 'cursor.token ?? readToken(headers, tokenHeader)',
    seed: 1,
  },
  'items-expire-early': {
    breaks: 'items-last',
    file: 'functions/state/item-expiry.ts',
    find: '30 * 24 * 60 * 60',
    replace: '12 * 60 * 60',
    seed: 1,
  },
  'believe-every-end': {
    breaks: 'snapshot-complete',
    file: 'functions/worker/scroll/confirm-end.ts',
    find: 'uniqueIds < total',
    replace: 'false',
    seed: 23,
    showsIn: (scenario) => isTolerant(scenario) && scenario.platform.lies > 0,
  },
} as const satisfies Record<string, PlantedBug>

export type BugName = keyof typeof plantedBugs
