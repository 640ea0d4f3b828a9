import { formatDocuments, formatMinute } from '../../functions/runtime/format.ts'
import { findDeployment, longshoreCommand, type Target } from '../../operator/deployment/deployment.ts'
import { readOlder } from '../../operator/snapshot/published.ts'
import { requireRun } from '../../operator/sync/run-logs.ts'
import { openSyncs } from '../../operator/sync/syncs.ts'
import { defineCommand, requireYes } from '../shell/command.ts'
import { endedResult } from '../sync/results.ts'
import { inProgressError } from '../sync/sync-request.ts'
import { watchRun } from '../sync/watch.ts'

export const republishCommand = defineCommand({
  name: 'republish',
  summary: 'Roll back to an older snapshot by publishing it again',
  argument: '<RUN>',
  options: {
    '-y, --yes': 'Publish without a prompt',
    '--accept-shrink': 'Override maxShrinkPercent',
    '--accept-deletes': 'Override changes.maxDeletePercent',
  },
  description: [
    'Publishes copies of the pages of a kept snapshot in a new run. Guards and comparison apply, so the change set ' +
      'reverts what has changed since, including by increments. Increments are skipped until a full sync has published.',
    'The next full sync publishes what the platform has: pause the entity first. The exit code is 0 if the snapshot ' +
      'is published; the change set follows.',
  ],
  examples: { 'republish 20260301T060000000Z-0123456789ab': 'Publish the snapshot of this run again' },
  async run(invocation) {
    const { entity: word, values, target, terminal, pause, signal } = invocation
    requireYes(invocation, 'republish')
    const deployment = await findDeployment(target)
    const syncs = openSyncs(deployment, terminal)
    const { configuration } = deployment
    const { entity, runId } = await requireRun(word, { configuration, syncs, target })
    const { documents, openedAt } = await readOlder(deployment, { entity, runId }, target)
    const next = nextSync(entity, target)
    const question = `Publish the ${formatDocuments(documents)} of ${entity} as of ${formatMinute(openedAt)} again? ${next}`
    if (!values.yes && !(await terminal.confirm(question)))
      return { ok: false, text: 'Nothing was published.', data: { entity, republishedFrom: runId } }
    const { acceptShrink, acceptDeletes } = values
    const job = { kind: 'republish', from: runId, acceptShrink, acceptDeletes } as const
    const { kind, ...started } = await syncs.start(entity, job)
    const run = { entity, ...started }
    if (kind === 'already-running') throw inProgressError(run, target)
    const result = endedResult(await watchRun({ syncs, terminal, pause, signal }, run), target)
    return result.ok ? { ...result, text: `${result.text}\n${next}` } : result
  },
})

const nextSync = (entity: string, target: Target) =>
  `The next full sync of ${entity} publishes what the platform has at that time. To prevent that: ` +
  longshoreCommand(target, `pause ${entity}`)
