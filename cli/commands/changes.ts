import { existsSync } from 'node:fs'
import type { StoppedChain } from '../../functions/problems/chain-state.ts'
import { isStopped, stoppedStep, stoppedText } from '../../functions/problems/chain-state.ts'
import { commandOf } from '../../functions/problems/problem.ts'
import { formatCount } from '../../functions/runtime/format.ts'
import { openStores } from '../../operator/aws/objects.aws.ts'
import { downloadAgain, readRange, totalsOf } from '../../operator/changes/chain.ts'
import { downloadChanges } from '../../operator/changes/download.ts'
import { keptTexts } from '../../operator/changes/kept-documents.ts'
import { type RequestedReset, requestReset } from '../../operator/changes/request-reset.ts'
import { readPublishedChain } from '../../operator/changes/update-pulled.ts'
import { findDeployment, longshoreCommand, type Target } from '../../operator/deployment/deployment.ts'
import { CommandError, UsageError } from '../../operator/errors.ts'
import { recordsIn } from '../../stored/changes/chain-facts.ts'
import { countsText, rangeText } from '../changes/counts.ts'
import { followChanges } from '../changes/follow.ts'
import { printer, runner } from '../changes/receivers.ts'
import { type CommandResult, defineCommand } from '../shell/command.ts'
import { outputFile } from '../snapshot/output-file.ts'

export const changesCommand = defineCommand({
  name: 'changes',
  summary: "List or download an entity's change sets",
  argument: '<ENTITY>',
  options: {
    '--since <RUN>': 'Only change sets after this run (default: all that are kept)',
    '-o, --output <FILE|DIR>':
      'Write the records to this file, or to ENTITY.changes.ndjson in this directory',
    '-f, --force': 'Replace an existing file',
    '--follow': 'Print the records of each set as it is published, until Ctrl-C',
    '--position <FILE>': 'With --follow, store the position here (default: ENTITY.position.json)',
    '--exec <PROGRAM>':
      'With --follow, run this command line for each set, with the records on standard input',
    '--reset': 'Make the next change set a reset, if the chain cannot continue',
  },
  description: [
    'Without --output, lists the change sets with their counts. With --output, downloads them, verifies every part, ' +
      'and writes the records in order, one per line: {"op":"c"|"u"|"d"|"r","id":…,"before":…,"after":…}. Apply r, a ' +
      'document that an increment read, like c.',
    'With --follow --exec PROGRAM, runs the program once per set, as it is published. The position moves past a set ' +
      'only after exit code 0: another code ends the command, and the next start delivers the set again. With --follow ' +
      'alone, prints the records; the position stays up to 1 MiB of them behind, and what the reader of a pipe had not ' +
      'processed when it crashed can be lost.',
    'The command continues from the position; without one, after --since, or else with the next set. Each program ' +
      'needs its own: FILE.lock names the process that follows. In a script without --follow, store `tip` of --json ' +
      'for --since. Errors with --follow --json are one line with `error` and `fix`.',
    'If comparisons keep failing, --reset starts the chain again at the next snapshot. It deletes no data, but ' +
      'deletions until then are not reported one by one.',
  ],
  examples: {
    'changes CL': 'List the change sets of CL',
    'changes CL --since 20261121T120000000Z-0123456789ab -o changes.ndjson':
      'Download the changes since a run',
    'changes CL --follow --exec ./load.sh': 'Run a program for each change set as it is published',
    'changes CL --follow': 'Print each change as it is published',
    'changes CL --reset': 'Start the chain again with the next sync',
  },
  async run({ entity, values, target, pause, signal, terminal }) {
    const { since } = values
    for (const option of ['position', 'exec'] as const) {
      if (values[option] !== undefined && !values.follow)
        throw new UsageError(`--${option} can only be used with --follow.`)
    }
    if (values.follow && (values.reset || values.output !== undefined))
      throw new UsageError('--follow cannot be combined with --output or --reset.')
    if (values.reset && (since ?? values.output) !== undefined)
      throw new UsageError('--reset cannot be used with --since or --output.')
    const file =
      values.output === undefined ? undefined : outputFile(values.output, `${entity}.changes.ndjson`)
    if (file && !values.force && existsSync(file)) {
      throw new CommandError(`${file} exists.`, { fix: 'replace it (--force), or write to another file' })
    }
    const deployment = await findDeployment(target)
    const { bucket, configuration } = deployment
    const source = { bucket, configuration, entity, target, download: downloadAgain(entity) }
    const store = openStores(deployment.bucket).changes
    const { state } = await readPublishedChain(deployment, entity)
    const stopped = isStopped(state) ? state : null
    const continueCommand = (chain: StoppedChain) =>
      longshoreCommand(target, commandOf(stoppedStep(entity, chain)))
    if (stopped && (stopped.tip === null || since === stopped.runId))
      throw new CommandError(stoppedText(stopped), { fix: continueCommand(stopped) })
    if (values.reset) return resetResult(await requestReset(store, source), target)
    if (values.follow) {
      const { position, exec } = values
      const receiver = exec === undefined ? printer(terminal.output) : runner(exec, signal)
      return followChanges({ store, source, since, position, exec, receiver, terminal, pause, signal })
    }
    const range = await readRange(store, since, source)
    const totals = totalsOf(range.sets)
    const data = { entity, ...range, ...totals, file: file ?? null, stopped }
    if (!file) {
      const lines = stopped ? ['', stoppedText(stopped), `  → ${continueCommand(stopped)}`] : []
      const full = range.sets.findLast(({ kind }) => kind === 'changes')
      const set = full && (await store.readManifest(entity, full.runId))?.value
      const kept = set ? keptTexts(set).map((text) => `\n${text}`) : []
      return {
        ok: true,
        text: [rangeText(entity, range, terminal.columns), ...kept, ...lines].join('\n'),
        data,
      }
    }

    const records = recordsIn(totals)
    await downloadChanges(
      { entity, range, file, records },
      { deployment, target, reporter: terminal, signal },
    )
    const text = `Wrote ${formatCount(records)} records to ${file}: ${countsText(totals)}, from run ${range.since} to run ${range.tip}.`
    return { ok: true, text, data }
  },
})

function resetResult(requested: RequestedReset, target: Target): CommandResult {
  const { entity, tip } = requested
  const text =
    `The next change set of ${entity} is a reset, so its readers load the snapshot. Until then the tip stays ` +
    `at run ${tip}. To publish the reset now: ${longshoreCommand(target, `sync ${entity} --watch`)}`
  return { ok: true, text, data: requested }
}
