import { readAttention } from '../../operator/attention/read.ts'
import { createStackStore } from '../../operator/aws/stacks.aws.ts'
import { type Deployment, findDeployment, type Target } from '../../operator/deployment/deployment.ts'
import { commandsFor } from '../../operator/doctor/fixes.ts'
import { inspect } from '../../operator/doctor/inspect.ts'
import { orphanFindings } from '../../operator/doctor/orphan-findings.ts'
import { schemaFindings } from '../../operator/doctor/table-findings.ts'
import { failureOf, Interrupted, UsageError } from '../../operator/errors.ts'
import { findOrphans } from '../../operator/purge/stored-entities.ts'
import { compareSchedules, type ScheduleFact } from '../../operator/schedules/deployed.ts'
import { nextRuns } from '../../operator/schedules/schedules.ts'
import { openSyncs } from '../../operator/sync/syncs.ts'
import { readSchemaChanges } from '../../operator/tables/read-schema-changes.ts'
import { type CommandResult, defineCommand } from '../shell/command.ts'
import type { Terminal } from '../shell/terminal.ts'
import { wrap } from '../shell/wrap.ts'
import { attentionText } from '../sync/attention-text.ts'
import { statusText } from '../sync/status-text.ts'

const intervalMs = 5_000
/** Many entities are read less often. */
const intervalPerEntityMs = 50

export const statusCommand = defineCommand({
  name: 'status',
  summary: 'Show what needs attention, and the snapshot and the runs of each entity',
  options: {
    '--check': 'Exit with 1 if something needs attention',
    '-w, --watch': 'Show the status again every few seconds, until Ctrl-C',
  },
  description: [
    'Starts with what needs attention, the most urgent first: a refused run or change set, rejected credentials, an entity ' +
      'that failed twice in a row or has no recent snapshot, a published snapshot without its change set or table, and a ' +
      'schedule that was deleted or changed in the account. Each item shows the command to run next. To also compare the ' +
      'deployment with the checkout, which takes longer, run `longshore doctor`.',
    'A table of the entities comes next. Its next run is the time at which the deployed schedule next fires. A rate(…) schedule may start the run a few minutes later.',
    'Below the table, a line for each entity with increments shows how long ago the last window ended and how many records ' +
      'were delivered in the last day.',
    'After that come the entities with `columns` or `schemaReport` whose fields changed in the last snapshot: added, removed, or with another type.',
    'Entities that are not configured but still have stored data come last. `longshore purge` deletes that data.',
    'The progress of a running sync is recorded about every 20 seconds. To follow it, use `longshore sync ENTITY --watch`.',
    '--json prints `attention`, each with `kind`, `entities` (empty for the whole deployment), `since` (null if not ' +
      'known), `evidence`, `action`, `command` and `runId` (null if it is not about one run); `entities`, each with `snapshot`, `running`, `runs` and `next`; ' +
      '`orphans`, the data of entities that are not configured; and `schemaChanges`, how fields differ from the previous snapshot.',
  ],
  examples: {
    status: 'Show all entities',
    'status --check': 'Let a cron or CI job fail if something needs attention',
    'status --watch': 'Keep the status on a screen',
    'status --json': 'Read the status in a script',
  },
  async run({ values, target, json, terminal, pause, signal }) {
    if (values.watch && (json || values.check)) {
      throw new UsageError('--watch cannot be combined with --json or --check.')
    }
    const deployment = await findDeployment(target)
    const read = () => readStatus(deployment, { target, terminal })
    if (!values.watch) {
      const result = await read()
      return { ...result, ok: result.ok || !values.check }
    }
    const pauseMs = Math.max(intervalMs, deployment.configuration.entities.length * intervalPerEntityMs)
    for (;;) {
      terminal.refresh(wrap((await read()).text, terminal.columns))
      await pause(pauseMs, signal)
      if (signal.aborted) throw new Interrupted('Stopped watching. Syncs continue.')
    }
  },
})

/** `ok`: nothing needs attention. */
async function readStatus(
  deployment: Deployment,
  { target, terminal }: { readonly target: Target; readonly terminal: Terminal },
): Promise<CommandResult> {
  const listing = openSyncs(deployment, terminal).list()
  const [{ entities }, schedules, orphans, schemaChanges] = await Promise.all([
    listing,
    readSchedules(deployment, terminal),
    inspect(() => findOrphans(deployment, deployment.configuration)),
    listing.then((list) => readSchemaChanges(deployment, list.entities)),
  ])
  const known = { views: entities, schedules, target }
  const attention = await readAttention(deployment, known)
  const now = deployment.now()
  const next = nextRuns(
    schedules?.flatMap(({ existing }) => existing ?? []),
    now,
  )
  const status = entities.map((entity) => ({ ...entity, next: next(entity.entity) }))
  const fixes = { longshore: commandsFor(target) }
  const findings = [...schemaFindings(schemaChanges, fixes), ...orphanFindings(orphans, { now, fixes })]
  const notes = findings.flatMap(({ text, fix }) => [text, ...(fix ? [`  → ${fix}`] : [])])
  const { columns } = terminal
  const sections = [attentionText(attention, now), statusText(status, { now, columns })]
  return {
    ok: attention.length === 0,
    text: [...sections, ...(notes.length > 0 ? [notes.join('\n')] : [])].join('\n\n'),
    data: {
      attention,
      entities: status,
      orphans: 'value' in orphans ? orphans.value : [],
      schemaChanges,
    },
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
