import { listed } from '../../functions/problems/data-problems.ts'
import type { EntityFacts } from '../../functions/problems/facts.ts'
import { incrementFreshness } from '../../functions/problems/freshness.ts'
import { isRunning } from '../../functions/problems/last-run.ts'
import type { Problem } from '../../functions/problems/problem.ts'
import { formatAge, formatCount, formatDocuments, plural } from '../../functions/runtime/format.ts'
import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import { chainSnapshotRun } from '../../stored/changes/chain-facts.ts'
import type { SchemaReport } from '../../stored/schema-report/schema-report.ts'
import { absentIfUnreadable } from '../../stored/unreadable-object.ts'
import { incrementsView } from '../../stored/views.ts'
import { openStores } from '../aws/objects.aws.ts'
import type { IncrementFact, ReportFact } from './facts.ts'
import { type Checked, note, ok, problem } from './finding.ts'

/** What is all right with the entities: those of which no problem is known. */
export function entityChecks(entities: readonly EntityFacts[], problems: readonly Problem[]): Checked[] {
  if (entities.length === 0) return [note('entities', 'No entity is configured, so nothing is synced.')]
  const withProblem = new Set(problems.flatMap(({ level, entity }) => (level === 'problem' ? [entity] : [])))
  const healthy = entities.filter(({ settings }) => !withProblem.has(settings.name))
  const published = healthy.filter(({ state }) => state.latest)
  const unpublished = healthy.filter(({ state }) => !state.latest)
  const windows = published.filter((facts) => incrementFreshness(facts) && facts.state.increments?.window)
  return [
    ...manyOr(published, {
      one: publishedText,
      many: (names) => `${names} are published and as recent as their schedules require.`,
    }),
    ...unpublished.map((facts) =>
      note('entities', `No snapshot of ${facts.settings.name} has been published.${runningText(facts)}`),
    ),
    ...manyOr(windows, {
      one: windowText,
      many: (names) => `The last increment windows of ${names} are recent.`,
    }),
  ]
}

interface Texts {
  readonly one: (facts: EntityFacts) => string
  readonly many: (names: string) => string
}

const maxSingles = 5

function manyOr(list: readonly EntityFacts[], { one, many }: Texts): Checked[] {
  if (list.length <= maxSingles) return list.map((facts) => ok('entities', one(facts)))
  const names = list.map(({ settings }) => settings.name)
  return [ok('entities', many(`${formatCount(names.length)} entities (${listed(names)})`))]
}

function publishedText(facts: EntityFacts): string {
  const { settings, state, now } = facts
  const { documents = 0, publishedAt = '' } = state.latest ?? {}
  return `${settings.name}: ${formatDocuments(documents)}, published ${formatAge(publishedAt, now)}.${runningText(facts)}`
}

const runningText = (facts: EntityFacts) => (isRunning(facts) ? ' A run is in progress.' : '')

function windowText({ settings, state, now }: EntityFacts): string {
  const { window, recordsLastDay = 0 } = incrementsView(settings, state.increments, now) ?? {}
  return `${settings.name}: the last increment window ended ${formatAge(window?.to ?? '', now)}, ${plural(recordsLastDay, 'record')} in the last day.`
}

export const reportChecks = (facts: readonly ReportFact[]): Checked[] =>
  facts.flatMap(({ entity, loneSurrogates }) => {
    if (loneSurrogates === 0) return []
    const text = `${entity}: ${plural(loneSurrogates, 'document')} in the published snapshot ${loneSurrogates === 1 ? 'contains' : 'contain'} half of a surrogate pair, such as a text that was cut in the middle of an emoji. DuckDB, pandas and other readers refuse JSON with it.`
    const fix =
      'read it as docs/reading-snapshots.md shows, which also lists these documents, or correct them on the platform'
    return [note('entities', text, fix)]
  })

const maxReportReads = 8

/** What the schema reports of the published snapshots say that the doctor shows. */
export async function readReports(
  bucket: string,
  entities: readonly EntityFacts[],
): Promise<readonly ReportFact[]> {
  const { tables } = openStores(bucket)
  const facts = await mapPooled(entities, maxReportReads, async ({ settings, state }) => {
    if (!settings.schemaReport || !state.latest) return []
    const report = await tables
      .readReport<SchemaReport>(settings.name, state.latest.runId)
      .catch(absentIfUnreadable)
    return report ? [{ entity: settings.name, loneSurrogates: report.loneSurrogates ?? 0 }] : []
  })
  return facts.flat()
}

export const incrementChecks = (facts: readonly IncrementFact[]): Checked[] => facts.flatMap(lostSnapshot)

/** Readers that follow the chain have its state, but new readers cannot begin. A full sync starts the chain again. */
function lostSnapshot({ entity, lostSnapshot: lost }: IncrementFact): Checked[] {
  if (lost === undefined) return []
  const evidence = `${entity}: new readers of its change sets cannot begin, because the snapshot that they would load (run ${lost}) is gone.`
  const action = 'Sync it: this starts the change sets again.'
  return [problem('changes-without-snapshot', { entity, evidence, action, step: { kind: 'sync', entity } })]
}

const maxChainReads = 24

/** Whether new readers can begin. */
export async function readIncrements(
  bucket: string,
  entities: readonly EntityFacts[],
): Promise<IncrementFact[]> {
  const { snapshots, changes } = openStores(bucket)
  const withIncrements = entities.filter(({ settings }) => settings.increments)
  return mapPooled(withIncrements, maxChainReads, async ({ settings: { name: entity } }) => {
    const chain = (await changes.readLatest(entity).catch(absentIfUnreadable))?.value
    const chainSnapshot = chain && chainSnapshotRun(chain)
    const isLost = chainSnapshot && !chain.erased && !(await snapshots.hasManifest(entity, chainSnapshot))
    return { entity, lostSnapshot: isLost ? chainSnapshot : undefined }
  })
}
