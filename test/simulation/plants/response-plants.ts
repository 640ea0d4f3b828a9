import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import type { Key } from '../../../functions/state/item-version.ts'
import type { Plant } from './plant.ts'

/** Bugs in what the functions make of the responses of stores and of the file system. */
export const responsePlants = {
  /** A conditional PUT that S3 refuses with 409 counts as written. */
  'conflict-believed': {
    breaks: 'pages-whole',
    showsIn: ({ stores }) => stores.conflicts > 0,
    received: (_command, outcome) =>
      'error' in outcome && (outcome.error as Error).name === 'ConditionalRequestConflict'
        ? { value: {} }
        : outcome,
  },
  /** A condition that fails counts as met, as if its write had succeeded before. */
  'failed-condition-believed': {
    breaks: 'end-is-true',
    table: (client) => ({
      ...client,
      async write(write) {
        const result = await client.write(write)
        return write.kind === 'put' ? { kind: 'written' } : result
      },
    }),
  },
  /** A write whose response was lost, so that its repetition fails, counts as another worker's. */
  'repeated-write-is-foreign': {
    breaks: 'throttling-survived',
    showsIn: ({ stores, onlyThrottles }) => onlyThrottles && stores.lost !== undefined,
    table: (client) => ({
      async write(write) {
        const result = await client.write(write)
        if (result.kind === 'refused') refused.add(nameOf(write.kind === 'put' ? write.item : write.key))
        return result
      },
      async read(request) {
        const result = await client.read(request)
        if (request.kind !== 'get' || !refused.delete(nameOf(request.key))) return result
        const items = result.items.map((item) => ({ ...item, worker: 'another', key: 'another' }))
        return { ...result, items }
      },
    }),
  },
  /** A list without keys ends there, although it says that more follow. */
  'empty-list-believed': {
    breaks: 'pages-whole',
    showsIn: ({ stores }) => stores.shortPages > 0,
    received(command, outcome) {
      if (!(command instanceof ListObjectsV2Command) || 'error' in outcome) return outcome
      const { KeyCount, NextContinuationToken: _next, ...page } = outcome.value as Record<string, unknown>
      return KeyCount === 0 ? { value: page } : outcome
    },
  },
  /** A write that ended early counts as complete. */
  'short-write-unnoticed': {
    breaks: 'worker-crashed',
    showsIn: ({ stores, scale }) => scale === 'heavy' && stores.shortWrites > 0,
    shortWritesUnnoticed: true,
  },
} as const satisfies Record<string, Plant>

/** Keys of items whose last write was refused. */
const refused = new Set<string>()

const nameOf = ({ pk, sk }: Key) => `${pk} ${sk}`
