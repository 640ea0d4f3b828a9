import { listed } from '../../functions/problems/data-problems.ts'
import type { EntityFacts } from '../../functions/problems/facts.ts'
import { incrementFreshness } from '../../functions/problems/freshness.ts'
import { isRunning } from '../../functions/problems/last-run.ts'
import type { Problem } from '../../functions/problems/problem.ts'
import { formatAge, formatCount, formatDocuments, plural } from '../../functions/runtime/format.ts'
import { incrementsView } from '../../stored/views.ts'
import { type Checked, note, ok } from './finding.ts'

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
