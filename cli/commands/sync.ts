import { setTimeout as sleep } from 'node:timers/promises'
import { ProblemError } from '../../functions/http/problem.ts'
import { hasEnded } from '../../functions/state/run.ts'
import type { Syncs } from '../../functions/sync-api/syncs.ts'
import type { RunView } from '../../functions/sync-api/views.ts'
import { findDeployment, ourCommand } from '../deployment.ts'
import { defineCommand, type Outcome } from '../shell/command.ts'
import { Interrupted } from '../shell/errors.ts'
import { documents, span } from '../shell/format.ts'
import type { Terminal } from '../shell/terminal.ts'
import { openSyncs } from '../syncs.ts'

const betweenLooksMs = 1000

export const syncCommand = defineCommand({
  name: 'sync',
  summary: 'Start a sync of an entity',
  takesEntity: true,
  options: {
    watch: { type: 'boolean', short: 'w', summary: 'wait for its end and show how far it has come' },
    'accept-shrink': {
      type: 'boolean',
      summary: 'publish although the snapshot has shrunk by more than maxShrinkPercent',
    },
  },
  notes: [
    'With --watch the exit code is 0 only if the snapshot was published. Ctrl-C ends the watching, not the sync; ' +
      'the same command takes it up again, since it watches a sync that is under way already.',
  ],
  async run({ entity, values, target, terminal, signal }) {
    const syncs = openSyncs(await findDeployment(target), terminal)
    const acceptShrink = values['accept-shrink']
    const runId = await start(syncs, { entity, acceptShrink, joins: values.watch && !acceptShrink, terminal })
    if (!values.watch) {
      const text = `Started run ${runId}. Watch it: ${ourCommand(target, `sync ${entity} --watch`)}`
      return { ok: true, text, data: { entity, runId } }
    }
    return outcomeOf(await watch(syncs, { entity, runId, terminal, signal }))
  },
})

/** The id of the new run, or of the one that is under way if that is as good. */
async function start(
  syncs: Syncs,
  asked: { entity: string; acceptShrink: boolean; joins: boolean; terminal: Terminal },
): Promise<string> {
  const { entity, acceptShrink, joins, terminal } = asked
  try {
    return (await syncs.start(entity, { acceptShrink })).runId
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem !== 'sync-running') throw error
    const runId = String(error.extensions['runId'])
    if (!joins) {
      throw new ProblemError(
        'sync-running',
        `Run ${runId} of ${entity} is under way. Wait for it, or cancel it.`,
      )
    }
    terminal.note(`Run ${runId} of ${entity} is under way already: watching that one.`)
    return runId
  }
}

async function watch(
  syncs: Syncs,
  {
    entity,
    runId,
    terminal,
    signal,
  }: { entity: string; runId: string; terminal: Terminal; signal: AbortSignal },
): Promise<RunView> {
  const bar = terminal.progress(entity)
  try {
    for (;;) {
      if (signal.aborted) {
        throw new Interrupted(`No longer watching. Run ${runId} of ${entity} goes on.`)
      }
      const run = await syncs.readRun(entity, runId)
      bar.show(run.documents, run.total, remarkOn(run))
      if (hasEnded(run)) return run
      await sleep(betweenLooksMs, undefined, { signal }).catch(() => {})
    }
  } finally {
    bar.end()
  }
}

/** What is worth saying beside the bar. */
export function remarkOn({
  status,
  reason,
  attempt,
}: Pick<RunView, 'status' | 'reason' | 'attempt'>): string {
  const parts = [
    attempt > 1 && `attempt ${attempt}`,
    status !== 'running' && status,
    status === 'waiting' && reason,
  ]
  return parts.filter(Boolean).join(', ')
}

/** How a run that has ended is told. */
export function outcomeOf(run: RunView): Outcome {
  const took = span(Date.parse(run.endedAt ?? run.updatedAt) - Date.parse(run.startedAt))
  if (run.status === 'published') {
    const text = `Published ${documents(run.documents)} of ${run.entity} in ${took}; proof: ${run.proof}.`
    return { ok: true, text, data: run }
  }
  const reason = run.reason ? `: ${run.reason}` : '.'
  return { ok: false, text: `Run ${run.runId} of ${run.entity} was ${run.status}${reason}`, data: run }
}
