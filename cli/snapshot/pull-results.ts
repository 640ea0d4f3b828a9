import { isStopped, stoppedStep, stoppedText } from '../../functions/problems/chain-state.ts'
import { commandOf } from '../../functions/problems/problem.ts'
import { formatAge, formatCount, formatDocuments } from '../../functions/runtime/format.ts'
import type { UpdatedFile } from '../../operator/changes/update-pulled.ts'
import { CommandError, UsageError } from '../../operator/errors.ts'
import type { Downloaded, Format } from '../../operator/snapshot/download.ts'
import { countsText } from '../changes/counts.ts'
import type { CommandResult } from '../shell/command.ts'

export interface PullFlags {
  readonly format: Format
  readonly run: string | undefined
  readonly update: boolean
  readonly force: boolean
}

/** Whether the snapshot is downloaded or a file is updated. Throws `UsageError`, and `CommandError` if a file would be lost. */
export function pullMode(
  { format, run, update, force }: PullFlags,
  { file, exists }: { readonly file: string; readonly exists: boolean },
  command: (flag: string) => string,
): 'download' | 'update' {
  if (update && (format !== 'ndjson' || run !== undefined || force)) {
    throw new UsageError('--update cannot be combined with --format, --run or --force.')
  }
  if (!exists || force) return 'download'
  if (update) return 'update'
  const replace = `replace it (${command('--force')})`
  // Only the latest snapshot in this format can be updated.
  const canUpdate = format === 'ndjson' && run === undefined
  throw new CommandError(`${file} exists.`, {
    fix: canUpdate ? `update it (${command('--update')}) or ${replace}` : replace,
  })
}

export function downloadResult(downloaded: Downloaded, now: number): CommandResult {
  const { file, runId, finishedAt, documents } = downloaded
  const text = `Wrote ${formatDocuments(documents)} to ${file}: run ${runId}, scrolled ${formatAge(finishedAt, now)}.`
  return { ok: true, text, data: downloaded }
}

/** Not a success while the change sets stop before the published snapshot: a consumer would miss its changes. */
export function updateResult(
  { entity, file }: { readonly entity: string; readonly file: string },
  updated: UpdatedFile,
  command: (args: string) => string,
): CommandResult {
  const { totals, documentsBefore, documents, added, isVerified: verified, chain } = updated
  const { downloadedAgain = null } = updated
  const { since, tip, sets } = updated.range
  const stopped = isStopped(chain) ? chain : null
  // documents = documentsBefore + created - deleted + withheld + deliveredNew.
  const { delivered: deliveredNew, withheld } = added
  const counts = { sets: sets.length, ...totals, deliveredNew, withheld, documentsBefore, documents }
  const data = { entity, file, runId: tip, since, ...counts, verified, stopped, downloadedAgain }
  if (!stopped) return { ok: true, text: updateText(file, updated), data }
  const state = updated.isChanged ? updateText(file, updated) : `${file} stays at run ${tip}.`
  const fix = command(commandOf(stoppedStep(entity, stopped)))
  return { ok: false, text: `${state}\n${stoppedText(stopped)}\n  → ${fix}`, data }
}

function updateText(file: string, updated: UpdatedFile): string {
  const { range, totals, documents, added, isChanged, isVerified, chain, downloadedAgain } = updated
  const { tip, sets } = range
  const again = downloadedAgain === undefined ? '' : `${downloadedAgain} The snapshot was downloaded again.\n`
  if (!isVerified && sets.length === 0 && chain.kind === 'pending')
    return `${again}${file} is at run ${tip}. No change set leads on from the published snapshot yet: update the file again later.`
  if (!isChanged) return `${file} is up to date: run ${tip}.`
  const proof = isVerified
    ? ', verified against the change set.'
    : '. Increments do not prove a count: the update after the next full sync verifies it.'
  const delivered = added.delivered > 0 ? `, ${formatCount(added.delivered)} of them new` : ''
  const withheld = added.withheld > 0 ? `, ${formatCount(added.withheld)} withheld added` : ''
  return `${again}Updated ${file} to run ${tip}: ${countsText(totals)}${delivered}${withheld}. It has ${formatDocuments(documents)}${proof}`
}
