import { findDeployment, longshoreCommand, requireEntity } from '../../operator/deployment/deployment.ts'
import { CommandError } from '../../operator/errors.ts'
import { readAsOf } from '../../operator/history/as-of.ts'
import { openHistory } from '../../operator/history/open.ts'
import { readHistory } from '../../operator/history/versions.ts'
import { explainDamage } from '../../operator/snapshot/explain-damage.ts'
import { readTime } from '../../operator/text/time.ts'
import { historyText } from '../history/history-text.ts'
import { defineCommand } from '../shell/command.ts'

export const historyCommand = defineCommand({
  name: 'history',
  summary: 'Show the versions of a document, or the document as of a time',
  argument: '<ENTITY> <ID>',
  options: {
    '--at <TIME>': 'Print the document as of this time: 2026-11-17T14:00Z, 2026-11-17, tuesday or 3d',
  },
  description: [
    'Lists what the kept change sets recorded about a document and, for runs without a record, how it differs between the ' +
      'kept snapshots. `keepSnapshots` and `changes.keepDays` limit how far that goes back. withheld: the snapshot lacks ' +
      'the document, but does not prove that it was deleted. held: the snapshot has an older version than an increment ' +
      'delivered.',
    'With --at, prints the bytes that the platform sent. A date or a weekday means the end of that day, and times without a ' +
      'zone are in UTC. A snapshot is as of the time at which its first page was received. The exit code is 1 if there was ' +
      'no such document.',
    '--json prints `versions`, each with `runId`, `asOf`, `source` (`snapshot`, `change-set` or `increment`), `kind` and ' +
      '`changes` (`name`, `before`, `after`). With --at: `at`, `runId`, `asOf`, `state` (`present` or `absent`) and `document`. ' +
      'Values and the document are JSON text, so that numbers keep their digits.',
  ],
  examples: {
    'history CL client-17': 'Show what changed in a document of CL',
    'history CL client-17 --at tuesday': 'Print the document as of last Tuesday',
    'history CL client-17 --json': 'Read the versions in a script',
  },
  async run({ entity, id, values, target, json, signal, terminal }) {
    const deployment = await findDeployment(target)
    requireEntity(deployment.configuration, entity)
    const context = openHistory(deployment, signal)
    const list = `list its versions: ${longshoreCommand(target, `history ${entity} ${id}`)}`
    const damaged = {
      fix: `restore the object from an older version (${longshoreCommand(target, `verify ${entity} --repair`)}), or wait until its snapshot is no longer kept (${longshoreCommand(target, `retention ${entity}`)})`,
    }
    if (values.at !== undefined) {
      const time = readTime(values.at, deployment.now())
      const found = await explainDamage(damaged, () => readAsOf(context, { entity, id, time }))
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
    const { versions } = await explainDamage(damaged, () => readHistory(context, entity, id))
    if (versions.every(({ kind }) => kind === 'absent')) {
      throw new CommandError(`No kept snapshot or change set of ${entity} contains the document ${id}.`, {
        fix: `check the id, and list the snapshots and change sets that are kept: ${longshoreCommand(target, `retention ${entity}`)}`,
      })
    }
    return { ok: true, text: historyText(versions, terminal.columns), data: { entity, id, versions } }
  },
})
