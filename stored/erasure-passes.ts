import { openTable, type TableClient } from './dynamodb/state-table.ts'
import { createEntityItems, type ErasurePass, type ErasureTime } from './entity-items.ts'

/** The last complete pass of erasure over each entity. */
export interface ErasurePasses {
  /** When it began, in ISO 8601, in the order of the entities; undefined of an entity that has had none. */
  readonly read: (entities: readonly string[]) => Promise<(string | undefined)[]>
  readonly record: (entity: string, pass: ErasurePass) => Promise<void>
}

/** The passes of one of the tasks, stored with the entities. */
export function createErasurePasses(client: TableClient, of: ErasureTime): ErasurePasses {
  const items = createEntityItems(openTable(client))
  return {
    async read(entities) {
      return (await items.readEntities(entities)).map((state) => state[of])
    },
    record: (entity, pass) => items.recordErasure(entity, { of, ...pass }),
  }
}
