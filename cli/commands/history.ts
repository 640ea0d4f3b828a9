import { lazy } from '../../functions/runtime/lazy.ts'
import { objectReader, openStores } from '../../operator/aws/objects.aws.ts'
import type { Deployment } from '../../operator/deployment/deployment.ts'
import { findDeployment, longshoreCommand, requireEntity } from '../../operator/deployment/deployment.ts'
import { CommandError, UsageError } from '../../operator/errors.ts'
import { readAsOf } from '../../operator/history/as-of.ts'
import { conditionOfId, readCondition } from '../../operator/history/condition.ts'
import type { HistoryContext } from '../../operator/history/document-states.ts'
import { findIds } from '../../operator/history/find-ids.ts'
import { readHistory } from '../../operator/history/versions.ts'
import { explainDamage } from '../../operator/snapshot/explain-damage.ts'
import { readTime } from '../../operator/text/time.ts'
import { readSnapshots } from '../../stored/inventory/stored-entity.ts'
import { type FoundHistory, historiesText, historyText } from '../history/history-text.ts'
import { defineCommand } from '../shell/command.ts'

/** Documents that --where lists. */
const maxDocuments = 20

export const historyCommand = defineCommand({
  name: 'history',
  summary: 'Show the versions of a document, or the document as of a time',
  argument: '<ENTITY> [ID]',
  options: {
    '--at <TIME>':
      'Print the document as of this time: 2026-11-17T14:00Z, 2026-11-17, tuesday, yesterday, now, 3d or 30m',
    '--where <FIELD=VALUE>': 'Each document that ever had this value: address.city=Porto',
  },
  description: [
    'Lists the versions of a document in kept snapshots and change sets. withheld: the snapshot lacks it without ' +
      'proof of its deletion. held: the snapshot has an older version than an increment delivered. With --where, ' +
      `lists at most ${maxDocuments} documents.`,
    'With --at, prints the bytes that the platform sent. A date, a weekday or yesterday means the end of that day, ' +
      'and times without a zone are in UTC. The exit code is 1 if there was no such document.',
    '--json prints `versions`; with --at `state` and `document`; with --where `documents`, and `isComplete`, which ' +
      'is false if there are more. Values are JSON text.',
  ],
  examples: {
    'history CL client-17': 'Show what changed in a document of CL',
    'history CL client-17 --at tuesday': 'Print the document as of last Tuesday',
    'history CL --where email=ann@example.com': 'Show what is known of a person',
  },
  async run({ entity, id, values, target, json, signal, terminal }) {
    const { where } = values
    if ((id === '') === (where === undefined))
      throw new UsageError('history needs either the id of a document or --where.')
    if (where !== undefined && values.at !== undefined)
      throw new UsageError('--at needs the id of a document. To list the ids: --where without --at.')
    const condition = where === undefined ? undefined : readCondition(where)
    const deployment = await findDeployment(target)
    requireEntity(deployment.configuration, entity)
    if (conditionOfId(id, 'id'))
      throw new CommandError('An object or a list is no id, and documents without an id have no history.', {
        fix: `search the published snapshot: ${longshoreCommand(target, `pull ${entity}`)}`,
      })
    const context = openHistory(deployment, entity, signal)
    const list = `list its versions: ${longshoreCommand(target, `history ${entity} ${id}`)}`
    const explain = explainDamage({
      fix: `restore the object from an older version (${longshoreCommand(target, `verify ${entity} --repair`)}), or wait until its snapshot is no longer kept (${longshoreCommand(target, `retention ${entity}`)})`,
    })
    if (values.at !== undefined) {
      const time = readTime(values.at, deployment.now())
      const found = await readAsOf(context, { entity, id, time }).catch(explain)
      const at = new Date(time).toISOString()
      if (found.state === 'unknown') {
        const oldest = found.oldest ? ` The oldest is of ${found.oldest}.` : ''
        throw new CommandError(
          `No snapshot or change set of ${entity} shows the document ${id} at ${at}.${oldest}`,
          { fix: list },
        )
      }
      if (json) {
        const document = found.state === 'present' ? found.document : null
        return { ok: found.state === 'present', text: '', data: { entity, id, at, ...found, document } }
      }
      const run = `run ${found.runId}, which is as of ${found.asOf}`
      if (found.state === 'absent') {
        throw new CommandError(`${entity} had no document ${id} at ${at}: ${run}.`, { fix: list })
      }
      terminal.note(`From ${run}.`)
      return { ok: true, text: found.document, data: found, form: 'document' }
    }
    if (condition) {
      const wanted = { condition, max: maxDocuments }
      const { ids, isComplete } = await findIds(context, entity, wanted).catch(explain)
      const documents: FoundHistory[] = []
      for (const one of ids) {
        const { versions } = await readHistory(context, entity, one).catch(explain)
        documents.push({ id: one, versions })
      }
      if (documents.length === 0)
        throw new CommandError(
          `No kept snapshot or change set of ${entity} contains a document with ${where}.`,
          {
            fix: `check the field and its value, and list what is kept: ${longshoreCommand(target, `retention ${entity}`)}`,
          },
        )
      const text = historiesText(documents, { isComplete, columns: terminal.columns })
      return { ok: true, text, data: { entity, where, documents, isComplete } }
    }
    const { versions } = await readHistory(context, entity, id).catch(explain)
    if (versions.every(({ kind }) => kind === 'absent')) {
      throw new CommandError(`No kept snapshot or change set of ${entity} contains the document ${id}.`, {
        fix: `check the id, and list the snapshots and change sets that are kept: ${longshoreCommand(target, `retention ${entity}`)}`,
      })
    }
    return { ok: true, text: historyText(versions, terminal.columns), data: { entity, id, versions } }
  },
})

function openHistory({ bucket }: Deployment, entity: string, signal: AbortSignal): HistoryContext {
  const { snapshots, changes } = openStores(bucket)
  return {
    read: objectReader(bucket, signal),
    listObjects: snapshots.listObjects,
    // Once for all documents of --where.
    readSnapshots: lazy(() => readSnapshots(snapshots, entity)),
    changes,
  }
}
