import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import type { Item } from '../stores/dynamodb-expressions.ts'
import type { Plant } from './plant.ts'

/** Bugs in what the functions make of the responses of stores and of the file system. */
export const responsePlants = {
  /** A conditional PUT that S3 refuses with 409 counts as written. */
  'conflict-believed': {
    breaks: 'pages-whole',
    showsIn: ({ stores }) => stores.conflicts > 0,
    received: (_command, outcome) =>
      'error' in outcome && nameOf(outcome.error) === 'ConditionalRequestConflict' ? { value: {} } : outcome,
  },
  /** A condition that fails counts as met, as if its write had succeeded before. */
  'failed-condition-believed': {
    breaks: 'end-is-true',
    received: (command, outcome) =>
      'error' in outcome &&
      nameOf(outcome.error) === 'ConditionalCheckFailedException' &&
      command instanceof PutItemCommand
        ? { value: {} }
        : outcome,
  },
  /** A write whose response was lost, so that its repetition fails, counts as another worker's. */
  'repeated-write-is-foreign': {
    breaks: 'throttling-survived',
    showsIn: ({ stores, onlyThrottles }) => onlyThrottles && stores.lost !== undefined,
    received(command, outcome) {
      const { Item, Key, TableName } = command.input as { Item?: Item; Key?: Item; TableName?: string }
      if (TableName === undefined) return outcome
      const key = JSON.stringify([(Item ?? Key)?.['pk'], (Item ?? Key)?.['sk']])
      const isRefused = 'error' in outcome && nameOf(outcome.error) === 'ConditionalCheckFailedException'
      if (isRefused) refused.add(key)
      if (!(command instanceof GetItemCommand) || 'error' in outcome || !refused.delete(key)) return outcome
      const { Item: found } = outcome.value as { Item?: Item }
      return { value: { Item: found && { ...found, worker: { S: 'another' }, key: { S: 'another' } } } }
    },
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

const nameOf = (error: unknown) => (error instanceof Error ? error.name : '')
