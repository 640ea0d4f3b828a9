import type { EntitySettings } from '../../functions/runtime/settings.ts'
import { chainSnapshotRun } from '../../functions/state/changes/changes-latest.ts'
import { isSnapshotLease, type Lease } from '../../functions/state/lease.ts'
import type { ObjectVersion } from '../../functions/state/object-versions.aws.ts'
import { longshoreCommand, syncFix, type Target } from '../deployment/deployment.ts'
import { CommandError } from '../errors.ts'
import { addDocuments, hasPerson, nobody, type Person, personWithId, type Wanted } from './person.ts'
import { hasHash, type SearchContext, type Searched, searchVersions } from './search.ts'
import { idFieldsOf, type StoredEntity } from './stored-entity.ts'

export interface FindRequest {
  readonly wanted: Wanted
  readonly stored: StoredEntity
  /** Undefined of an entity that is no longer configured. */
  readonly settings: Pick<EntitySettings, 'idField'> | undefined
  readonly target: Target
}

export interface FoundPerson {
  readonly person: Person
  /** The fields that identify documents, today and earlier. */
  readonly idFields: readonly string[]
  readonly searched: Searched
}

/**
 * Finds every version of an object that contains the person. Throws `CommandError` if the published snapshot does, or if
 * it cannot be read.
 */
export async function findPerson(context: SearchContext, request: FindRequest): Promise<FoundPerson> {
  const { wanted, stored, settings } = request
  const idFields = idFieldsOf(stored, settings?.idField ?? 'id')
  const [published, others] = splitPublished(request)
  const person = wanted.by === 'id' ? personWithId(wanted.id) : nobody()
  const requireAbsent = (searched: Searched) => requireUnpublished(request, searched, person)
  if (wanted.by === 'where') {
    const { condition } = wanted
    const collect = (versions: readonly ObjectVersion[]) =>
      searchVersions(context, versions, {
        atLines(lines) {
          const known = person.hashes.size
          addDocuments(person, lines, { condition, idFields })
          return person.hashes.size > known
        },
        atHashes: () => false,
      })
    requireAbsent(await collect(published))
    await collect(others)
  }
  const first = await searchForPerson(context, published, { person, idFields })
  requireAbsent(first)
  const rest = await searchForPerson(context, others, { person, idFields })
  return {
    person,
    idFields,
    searched: { ...rest, versions: first.versions + rest.versions, bytes: first.bytes + rest.bytes },
  }
}

export const searchForPerson = (
  context: SearchContext,
  versions: readonly ObjectVersion[],
  { person, idFields }: Pick<FoundPerson, 'person' | 'idFields'>,
): Promise<Searched> =>
  searchVersions(context, versions, {
    atLines: (lines) => hasPerson(lines, person, idFields),
    atHashes: hasHash(person),
  })

/** Throws `CommandError` if a page of the published snapshot contains the person, or cannot be read. */
export function requireUnpublished(
  request: FindRequest,
  { found, unreadable }: Pick<Searched, 'found' | 'unreadable'>,
  person: Person,
): void {
  const { stored, target } = request
  const keys = publishedKeys(stored)
  const isPublished = ({ key, isLatest }: ObjectVersion) => isLatest && keys.has(key)
  const damaged = unreadable.find(isPublished)
  if (damaged) throw damagedPage(stored.entity, damaged.key, target)
  if (found.some(isPublished)) throw stillPublished(request, person)
}

const publishedKeys = ({ latest, snapshots }: StoredEntity) =>
  new Set(snapshots.get(latest?.runId ?? '')?.manifest.pages.map(({ key }) => key))

/** The pages of the published snapshot, and everything else. Throws `CommandError` if nobody knows what it contains. */
function splitPublished({ stored, settings, target }: FindRequest): [ObjectVersion[], ObjectVersion[]] {
  const { entity, latest, snapshots, versions } = stored
  if (latest && !snapshots.has(latest.runId))
    throw new CommandError(`The manifest ${latest.manifest} is not in the bucket. Nothing was erased.`, {
      fix: syncFix({ entities: settings ? [{ name: entity }] : [] }, entity, target),
    })
  const keys = publishedKeys(stored)
  const { published = [], others = [] } = Object.groupBy(versions, ({ key, isLatest }) =>
    isLatest && keys.has(key) ? 'published' : 'others',
  )
  const present = new Set(published.map(({ key }) => key))
  const missing = [...keys].find((key) => !present.has(key))
  if (missing !== undefined) throw damagedPage(entity, missing, target)
  return [published, others]
}

function stillPublished(
  { stored: { entity, latest }, settings, target }: FindRequest,
  { ids }: Person,
): CommandError {
  const [id = ''] = ids
  const document = ids.size === 1 ? `the document ${id}` : `one of ${ids.size} documents, ${id} among them`
  const found = `The published snapshot of ${entity} (run ${latest?.runId}) contains ${document}. Nothing was erased.`
  return new CommandError(found, {
    fix: settings
      ? `delete it on the platform, sync (${longshoreCommand(target, `sync ${entity} --watch`)}), then erase it`
      : `${entity} is not configured: delete all of its data: ${longshoreCommand(target, `purge ${entity}`)}`,
  })
}

const damagedPage = (entity: string, key: string, target: Target) =>
  new CommandError(`The page ${key} of the published snapshot cannot be read. Nothing was erased.`, {
    fix: longshoreCommand(target, `verify ${entity} --repair`),
  })

/**
 * Throws `CommandError` while something may be writing what is erased. An increment does not publish if the chain has been
 * reset since it began.
 */
export function requireIdle(
  { entity, latest, chain }: Pick<StoredEntity, 'entity' | 'latest' | 'chain'>,
  {
    lease,
    isPending,
    now,
  }: {
    readonly lease: Pick<Lease, 'runId' | 'until' | 'kind'> | undefined
    readonly isPending: boolean
    readonly now: number
  },
): void {
  if (isSnapshotLease(lease) && lease.until > now)
    throw new CommandError(`The run ${lease.runId} of ${entity} is in progress. Nothing was erased.`, {
      fix: 'run the command again when it has ended (at most 5 minutes from now if its worker is gone)',
    })
  if (isPending && chain && !chain.value.reset)
    throw new CommandError(
      `The snapshot of run ${latest?.runId} of ${entity} may still be compared with that of run ${chainSnapshotRun(chain.value)}. Nothing was erased.`,
      { fix: 'run the command again when the comparison has ended (at most 15 minutes from now)' },
    )
}
