import { updateAthenaTable } from '../../stored/changes/athena-table.ts'
import { changesTableKey, keysIn, listOf, setManifestKey } from '../../stored/changes/change-keys.ts'
import type { SetManifest } from '../../stored/changes/changes.ts'
import type { Publisher } from './ports.ts'
import { readChain, readVersioned } from './read-stored.ts'

/** Lets the Athena table of an entity's change sets list the parts of the sets in the chain. `known` may be one of them. */
export function listParts(publisher: Publisher, entity: string, known?: SetManifest): Promise<void> {
  const { objects, log } = publisher
  const key = changesTableKey(entity)
  const changes = {
    readLatest: () => readChain(publisher, entity),
    readManifest: (_entity: string, runId: string) =>
      readVersioned<SetManifest>(publisher, setManifestKey(entity, runId)),
    async readTable() {
      const found = await objects.read(key)
      return found && { value: keysIn(objects.name, found.bytes.toString()), etag: found.etag }
    },
    writeTable: (_entity: string, keys: readonly string[], expected: { readonly etag: string } | 'absent') =>
      objects.putIf(key, expected, { body: listOf(objects.name, keys), type: 'text/plain' }),
  }
  return updateAthenaTable({ changes, log }, entity, known)
}
