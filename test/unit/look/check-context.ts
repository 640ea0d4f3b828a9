import type { AlertContext } from '../../../functions/alerts/alerts.ts'
import { createOutboxStore } from '../../../functions/alerts/outbox-store.ts'
import type { CheckContext } from '../../../functions/look/check.ts'
import { createLookStore } from '../../../functions/problems/look-items.ts'
import type { TableClient } from '../../../stored/dynamodb/state-table.ts'

type Given = Pick<CheckContext, 'settings' | 'state' | 'publishEvent' | 'now'> & Partial<CheckContext>

const nothing = async () => undefined
const silent = () => undefined

/** A look at a bucket in which nothing is stored but what is given. */
export function checkContext(
  table: TableClient,
  given: Given,
  alerts: Pick<AlertContext, 'receivers' | 'post' | 'publish'>,
): CheckContext {
  return {
    checkPointers: nothing,
    looks: createLookStore(table),
    changes: { readLatest: nothing, readRefused: nothing, readUnpublished: nothing, readManifest: nothing },
    tables: { readLatest: nothing, readFailure: nothing, readSchemaChanges: nothing },
    snapshots: { readLatest: nothing, listFolders: async () => [] },
    log: silent,
    sleep: nothing,
    ...given,
    alerts: {
      deployment: 'Shop',
      outboxes: createOutboxStore(table),
      readSecret: async () => 'https://receiver.example/hook',
      commandLine: 'longshore',
      log: silent,
      now: given.now,
      ...alerts,
    },
  }
}
