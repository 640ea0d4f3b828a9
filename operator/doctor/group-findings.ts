import { formatCount } from '../../functions/runtime/format.ts'
import { type Finding, type LongshoreFixes, ok, solvable } from './finding.ts'

/** What many entities often have in common. */
export type Group = keyof typeof groups

export interface EntityFinding {
  readonly entity: string
  readonly finding: Finding
  /** Undefined if it is always reported on its own. */
  readonly group: Group | undefined
}

const groups = {
  unsynced: (entities: string, { longshore }: LongshoreFixes) =>
    solvable('entities', `${entities} have no snapshot yet.`, longshore('sync --all --watch')),
  fresh: (entities: string) =>
    ok('entities', `${entities} are published and as recent as their schedules require.`),
  windows: (entities: string) => ok('entities', `The last increment windows of ${entities} are recent.`),
} as const

/** More entities than this become one finding. */
const maxSingles = 5
const maxNamed = 3

/**
 * The findings in their order. If a group has many entities, one finding replaces theirs, at the place of the first
 * one.
 */
export function groupFindings(list: readonly EntityFinding[], fixes: LongshoreFixes): Finding[] {
  const members = Map.groupBy(list, ({ group }) => group)
  const isMany = (group: Group) => (members.get(group)?.length ?? 0) > maxSingles
  return list.flatMap((one) => {
    const { group, finding } = one
    if (group === undefined || !isMany(group)) return [finding]
    const all = members.get(group) ?? []
    return all[0] === one ? [groups[group](namesOf(all), fixes)] : []
  })
}

function namesOf(list: readonly EntityFinding[]): string {
  const named = list.slice(0, maxNamed).map(({ entity }) => entity)
  return `${formatCount(list.length)} entities (${named.join(', ')} and ${formatCount(list.length - maxNamed)} more)`
}
