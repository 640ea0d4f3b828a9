import type { checkSet } from '../../functions/publisher/check-set.ts'
import type { StoredEntity } from './stored-entity.ts'

/** The publisher's check with what an operator may read. What it would store stays in memory. */
export function publisherOf({ bucket, examination, list }: StoredEntity): Parameters<typeof checkSet>[0] {
  const written = new Map<string, Buffer>()
  return {
    objects: {
      name: bucket,
      async read(key) {
        const bytes = written.get(key) ?? (await examination.read(key))
        return bytes && { bytes, etag: '' }
      },
      list,
      put: async (key, { body }) => void written.set(key, Buffer.from(body)),
      putIf: async () => false,
    },
    now: () => 0,
    endsAt: Number.POSITIVE_INFINITY,
  }
}
