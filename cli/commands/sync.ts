import { setTimeout as sleep } from 'node:timers/promises'
import { ProblemError } from '../../functions/http/problem.ts'
import { hasEnded } from '../../functions/state/run.ts'
import type { Syncs } from '../../functions/sync-api/syncs.ts'
import type { RunView } from '../../functions/sync-api/views.ts'
import { findDeployment, longshoreCommand } from '../deployment.ts'
import { type CommandResult, defineCommand } from '../shell/command.ts'
import { CommandError, Interrupted } from '../shell/errors.ts'
import { formatDocuments, formatDuration } from '../shell/format.ts'
import type { Terminal } from '../shell/terminal.ts'
import { openSyncs } from '../syncs.ts'

const pollIntervalMs = 1000

export const syncCommand = defineCommand({
  name: 'sync',
  summary: 'Start a sync of an entity',
  takesEntity: true,
  flags: {
    watch: { type: 'boolean', short: 'w', summary: 'Show progress until the run ends' },
    'accept-shrink': {
      type: 'boolean',
      summary: 'Publish a snapshot that lost more than maxShrinkPercent of its documents',
    },
  },
  description: [
    'With --watch the exit code is 0 only if the snapshot is published. Ctrl-C stops watching, not the sync; run the ' +
      'same command to watch it again.',
  ],
  examples: [
    { purpose: 'Start a sync and show its progress', command: 'sync CL --watch' },
    {
      purpose: 'Publish after an intended deletion of many documents',
      command: 'sync CL --watch --accept-shrink',
    },
  ],
  async run({ entity, values, target, terminal, signal }) {
    const syncs = openSyncs(await findDeployment(target), terminal)
    const acceptShrink = values['accept-shrink']
    const runId = await start(syncs, { entity, acceptShrink, joins: values.watch && !acceptShrink, terminal })
    if (!values.watch) {
      const text = `Started run ${runId}. To watch it: ${longshoreCommand(target, `sync ${entity} --watch`)}`
      return { ok: true, text, data: { entity, runId } }
    }
    return resultOf(await watch(syncs, { entity, runId, terminal, signal }))
  },
})

interface StartRequest {
  readonly entity: string
  readonly acceptShrink: boolean
  /** Whether a run in progress serves as well as a new one. */
  readonly joins: boolean
  readonly terminal: Terminal
}

/** The id of the new run, or of the one in progress. */
async function start(syncs: Syncs, { entity, acceptShrink, joins, terminal }: StartRequest): Promise<string> {
  try {
    return (await syncs.start(entity, { acceptShrink })).runId
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem !== 'sync-running') throw error
    const runId = String(error.extensions['runId'])
    if (!joins) {
      throw new CommandError(`Run ${runId} of ${entity} is in progress. Wait for it, or cancel it.`)
    }
    terminal.note(`Run ${runId} of ${entity} is already in progress. Watching it.`)
    return runId
  }
}

interface Watched {
  readonly entity: string
  readonly runId: string
  readonly terminal: Terminal
  readonly signal: AbortSignal
}

async function watch(syncs: Syncs, { entity, runId, terminal, signal }: Watched): Promise<RunView> {
  const bar = terminal.progress(entity)
  try {
    for (;;) {
      if (signal.aborted) {
        throw new Interrupted(`Stopped watching. Run ${runId} of ${entity} continues.`)
      }
      const run = await syncs.readRun(entity, runId)
      bar.show(run.documents, run.total, remarkOn(run))
      if (hasEnded(run)) return run
      await sleep(pollIntervalMs, undefined, { signal }).catch(() => {})
    }
  } finally {
    bar.end()
  }
}

/** The text after the bar. */
function remarkOn({ status, reason, attempt }: Pick<RunView, 'status' | 'reason' | 'attempt'>): string {
  const parts = [
    attempt > 1 && `attempt ${attempt}`,
    status !== 'running' && status,
    status === 'waiting' && reason,
  ]
  return parts.filter(Boolean).join(', ')
}

function resultOf(run: RunView): CommandResult {
  const duration = formatDuration(Date.parse(run.endedAt ?? run.updatedAt) - Date.parse(run.startedAt))
  if (run.status === 'published') {
    const text = `Published ${formatDocuments(run.documents)} of ${run.entity} in ${duration}; proof: ${run.proof}.`
    return { ok: true, text, data: run }
  }
  const reason = run.reason ? `: ${run.reason}` : '.'
  return { ok: false, text: `Run ${run.runId} of ${run.entity} ended as ${run.status}${reason}`, data: run }
}
