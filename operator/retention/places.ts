import { partKindOf } from '../../stored/changes/change-keys.ts'
import type { RemovalPlan } from '../../stored/inventory/removal.ts'
import { nameOfVersion, placeOf, type StoredEntity } from '../../stored/inventory/stored-entity.ts'
import type { Searched } from './search.ts'

const placeKinds = [
  'snapshot',
  'refused snapshot',
  'unpublished pages',
  'change set',
  'withheld documents',
  'delivered versions',
  'refused change set',
  'table',
] as const

type PlaceKind = (typeof placeKinds)[number]

/** Where documents were found, or what goes with them. */
export interface Place {
  readonly kind: PlaceKind
  readonly runId: string
  /** Versions of objects that contain them; 0 of a table, whose files are known by their run. */
  readonly found: number
  /** Versions that nobody can read, and that go because they may contain them. */
  readonly unreadable: number
  /** Versions that go, all of these included. */
  readonly versions: number
}

/** Whether documents are, or may be, in what goes there. Nobody reads the files of a table. */
export const mayContain = ({ kind, found, unreadable }: Place): boolean =>
  found > 0 || unreadable > 0 || kind === 'table'

/** The places in the order of their kinds and runs. */
export function placesOf(
  stored: StoredEntity,
  removal: RemovalPlan,
  { found, unreadable }: Pick<Searched, 'found' | 'unreadable'>,
): Place[] {
  const places = new Map<string, { -readonly [Name in keyof Place]: Place[Name] }>()
  const [withIt, damaged] = [found, unreadable].map((versions) => new Set(versions.map(nameOfVersion)))
  for (const version of stored.versions.filter(removal.mustGo)) {
    const { runId } = placeOf(stored.entity, version.key)
    const kind = kindOf(stored, removal, version.key)
    const name = `${placeKinds.indexOf(kind)} ${runId}`
    const place = places.get(name) ?? { kind, runId, found: 0, unreadable: 0, versions: 0 }
    if (withIt?.has(nameOfVersion(version))) place.found++
    if (damaged?.has(nameOfVersion(version))) place.unreadable++
    place.versions++
    places.set(name, place)
  }
  return [...places.keys()].toSorted().flatMap((name) => places.get(name) ?? [])
}

function kindOf({ entity, snapshots }: StoredEntity, { snapshotRuns }: RemovalPlan, key: string): PlaceKind {
  const { folder, runId } = placeOf(entity, key)
  if (folder === 'iceberg') return 'table'
  if (folder === 'changes') return kindOfSetObject(key)
  if (!snapshotRuns.includes(runId)) return 'unpublished pages'
  return snapshots.get(runId)?.kind === 'refused' ? 'refused snapshot' : 'snapshot'
}

function kindOfSetObject(key: string): PlaceKind {
  const part = partKindOf(key)
  if (part === 'withheld') return 'withheld documents'
  if (part === 'delivered') return 'delivered versions'
  return part === 'reviewed' || key.endsWith('/refused.json') ? 'refused change set' : 'change set'
}
