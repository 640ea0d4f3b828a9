import { withoutStep } from '../../functions/problems/problem.ts'
import { inOrder } from '../../functions/problems/problems.ts'
import { readFacts } from '../../functions/problems/read-facts.ts'
import { openProblems } from '../../functions/problems/staying.ts'
import { createSecretStore } from '../../operator/aws/secrets.aws.ts'
import { createStackStore } from '../../operator/aws/stacks.aws.ts'
import { type Deployment, findDeployment, type Target } from '../../operator/deployment/deployment.ts'
import { compareSchedules, nextRuns, type ScheduleFact } from '../../operator/deployment/schedules.ts'
import { commandsFor } from '../../operator/doctor/fixes.ts'
import { failureOf, Interrupted, NotChecked, UsageError } from '../../operator/errors.ts'
import { lookContext } from '../../operator/problems/look.ts'
import { knownSchedules } from '../../operator/problems/schedule-state.ts'
import { findUnsetCredentials } from '../../operator/problems/unset-credentials.ts'
import { openSyncs } from '../../operator/sync/syncs.ts'
import { notesText, problemsText } from '../doctor/report.ts'
import { type CommandResult, defineCommand } from '../shell/command.ts'
import type { Terminal } from '../shell/terminal.ts'
import { wrap } from '../shell/wrap.ts'
import { shortReasons } from '../sync/short-reasons.ts'
import { statusText } from '../sync/status-text.ts'

const intervalMs = 5_000
/** Many entities are read less often. */
const intervalPerEntityMs = 50

export const statusCommand = defineCommand({
  name: 'status',
  summary: 'Show what needs attention, and the snapshot and the runs of each entity',
  options: {
    '--check': 'Exit with 1 if there is a problem, else with 2 if something could not be checked',
    '-w, --watch': 'Show it again every few seconds, until Ctrl-C',
  },
  description: [
    'Problems come first, with what to do and the command to run. Then the entities, with the time at which the ' +
      'schedule next fires (a rate(…) may start up to an hour later), running syncs, the last window of increments, ' +
      'and notes.',
    '--json prints `problems`, each with `kind`, `level` (`problem` or `note`), `entity` (absent for the whole ' +
      'deployment), `since` (null if not known), `evidence`, `action` and `command` (the arguments after `longshore`, ' +
      'absent if none helps), and `entities`, each with `snapshot`, `running`, `runs` and `next`.',
  ],
  examples: {
    status: 'Show all entities',
    'status --check': 'Let a cron or CI job fail if something needs attention',
    'status --watch': 'Keep the status on a screen',
  },
  async run({ values, target, json, terminal, pause, signal }) {
    if (values.watch && (json || values.check)) {
      throw new UsageError('--watch cannot be combined with --json or --check.')
    }
    if (values.check) return checkStatus(target, terminal)
    const deployment = await findDeployment(target)
    const read = () => readStatus(deployment, { target, terminal })
    if (!values.watch) {
      return { ...(await read()), ok: true, isIncomplete: false }
    }
    const pauseMs = Math.max(intervalMs, deployment.configuration.entities.length * intervalPerEntityMs)
    for (;;) {
      terminal.refresh(wrap((await read()).text, terminal.columns))
      await pause(pauseMs, signal)
      if (signal.aborted) throw new Interrupted('Stopped watching. Syncs continue.')
    }
  },
})

/** A status that cannot be read is no problem that was found. */
async function checkStatus(target: Target, terminal: Terminal): Promise<CommandResult> {
  try {
    return await readStatus(await findDeployment(target), { target, terminal })
  } catch (error) {
    throw new NotChecked('The status could not be read.', { cause: error })
  }
}

/** `ok`: nothing needs attention. */
async function readStatus(
  deployment: Deployment,
  { target, terminal }: { readonly target: Target; readonly terminal: Terminal },
): Promise<CommandResult> {
  const schedules = readSchedules(deployment, terminal)
  const syncs = openSyncs(deployment, terminal)
  const [{ entities }, facts] = await Promise.all([
    syncs.list(),
    schedules.then((known) => readFacts(lookContext(deployment, knownSchedules(known, target)))),
  ])
  const known = await schedules
  const { now, unread } = facts
  for (const { entity = 'data of entities that are not configured', failure } of unread)
    terminal.note(`Cannot look at ${entity}: ${failureOf(failure).message}`)
  const found = openProblems(facts)
  // Only before the first sync: the platform's response tells later.
  const isFirst = deployment.kind !== 'local' && found.some(({ kind }) => kind === 'no-snapshot')
  const unset = isFirst ? await findUnsetCredentials(deployment, createSecretStore()) : []
  const problems = inOrder([...unset, ...found])
  const next = nextRuns(deployment.schedules ?? known?.flatMap(({ existing }) => existing ?? []), now)
  const status = entities.map((entity) => ({ ...entity, next: next(entity.entity, entity.pause) }))
  const short = shortReasons(terminal.columns)
  const shownProblems = inOrder([
    ...unset,
    ...openProblems({ ...facts, entities: facts.entities.map(short.ofFacts) }),
  ])
  const shown = { now, command: commandsFor(target) }
  const notes = notesText(shownProblems, shown)
  const stories = await Promise.all(
    status.map(async (entity) => {
      const { running } = entity
      // A run may be gone by now.
      const story = running && (await syncs.readStory(entity.entity, running.runId).catch(() => undefined))
      return { ...short.ofView(entity), story: story ?? undefined }
    }),
  )
  const urgent = new Set(problems.flatMap(({ level, entity }) => (level === 'problem' ? (entity ?? []) : [])))
  const table = statusText(stories, { now, columns: terminal.columns, rows: terminal.rows, urgent })
  const text = [problemsText(shownProblems, shown), table, ...(notes ? [notes] : [])].join('\n\n')
  return {
    ok: problems.every(({ level }) => level === 'note'),
    isIncomplete: known === undefined || unread.length > 0,
    text,
    data: { problems: problems.map(withoutStep), entities: status },
  }
}

/** Undefined without the right to read schedules: the rest of the status is still shown. */
async function readSchedules(
  { kind, configuration: { name }, stateMachineArn }: Deployment,
  terminal: Terminal,
): Promise<ScheduleFact[] | undefined> {
  if (kind === 'local') return []
  try {
    return await compareSchedules({ name, stateMachineArn }, createStackStore())
  } catch (error) {
    terminal.note(`Cannot read the schedules: ${failureOf(error).message}`)
    return undefined
  }
}
