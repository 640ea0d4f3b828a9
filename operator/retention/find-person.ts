import type { EntitySettings } from '../../functions/runtime/settings.ts'
import { membersOf } from '../../functions/runtime/settings-schema/column-name.ts'
import { idFieldsOf, type StoredEntity } from '../../stored/inventory/stored-entity.ts'
import type { ObjectVersion } from '../../stored/object-versions.aws.ts'
import { longshoreCommand, syncFix, type Target } from '../deployment/deployment.ts'
import { CommandError } from '../errors.ts'
import type { FieldCondition, ObjectLines } from '../history/condition.ts'
import { suggestion } from '../text/suggestion.ts'
import type { Noticed, Person, Wanted } from './person.ts'
import { hasPerson, nobody, openNotice, personWithId } from './person.ts'
import { added, hasHash, type SearchContext, type Searched, searchVersions } from './search.ts'

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
  readonly noticed: Noticed
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
  using notice = openNotice(wanted, person, idFields)
  const requireAbsent = (searched: Searched) => requireUnpublished(request, searched, person)
  const collect = (versions: readonly ObjectVersion[]) =>
    searchVersions(context, versions, {
      atLines(lines) {
        const known = person.hashes.size
        notice.add(lines)
        return person.hashes.size > known
      },
      atHashes: () => false,
    })
  if (wanted.by === 'where') {
    requireAbsent(await collect(published))
    await collect(others)
    requireField(request, wanted.condition, notice.result())
  }
  const onLines = wanted.by === 'id' ? (lines: ObjectLines) => notice.add(lines) : undefined
  const search = (versions: readonly ObjectVersion[]) =>
    searchForPerson(context, versions, { person, idFields, onLines })
  const first = await search(published)
  requireAbsent(first)
  return { person, idFields, searched: added(first, await search(others)), noticed: notice.result() }
}

interface Sought extends Pick<FoundPerson, 'person' | 'idFields'> {
  readonly onLines?: ((lines: ObjectLines) => void) | undefined
}

export const searchForPerson = (
  context: SearchContext,
  versions: readonly ObjectVersion[],
  { person, idFields, onLines }: Sought,
): Promise<Searched> =>
  searchVersions(context, versions, {
    atLines(lines) {
      onLines?.(lines)
      return hasPerson(lines, person, idFields)
    },
    atHashes: hasHash(person),
  })

/** Throws `CommandError` if no document has the field, which is not the same as that nothing has the value. */
function requireField(
  { stored: { entity } }: FindRequest,
  { field }: FieldCondition,
  { counted, fields }: Noticed,
): void {
  if (counted > 0) return
  const own = (path: string) => membersOf(path).at(-1) ?? ''
  const similar = fields.filter((path) => suggestion(own(field), [own(path)]) !== '')
  const named = similar.length > 0 ? similar : fields
  throw new CommandError(`No readable document of ${entity} has the field ${field}. Nothing was erased.`, {
    fix: `check the field. ${similar.length > 0 ? 'Similar fields' : 'Fields'}: ${named.slice(0, maxFields).join(', ')}`,
  })
}

const maxFields = 10

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
  { ids, withoutId }: Person,
): CommandError {
  const [id] = ids
  const documents = ids.size + withoutId.size
  const one = id === undefined ? '1 document without an id' : `the document ${id}`
  const many =
    id === undefined
      ? `one of ${documents} documents without an id`
      : `one of ${documents} documents, ${id} among them`
  const document = documents === 1 ? one : many
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
