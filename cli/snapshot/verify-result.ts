import { formatDocuments, plural } from '../../functions/runtime/format.ts'
import { longshoreCommand, type Target } from '../../operator/deployment/deployment.ts'
import type { Verified } from '../../operator/snapshot/verify.ts'
import type { CommandResult } from '../shell/command.ts'

/** The counts of an intact snapshot, or what is wrong with it and how to publish a new one. */
export function verifyResult(verified: Verified, target: Target): CommandResult {
  const { entity, runId, documents, uniqueIds, pages, mismatches } = verified
  if (mismatches.length === 0) {
    const counts = `${plural(pages, 'page')}, ${formatDocuments(documents)}, ${plural(uniqueIds, 'unique id')}`
    return { ok: true, text: `Run ${runId} of ${entity} matches its manifest: ${counts}.`, data: verified }
  }
  const text = [
    `Run ${runId} of ${entity} does not match its manifest:`,
    ...mismatches.map(({ key, problem }) => `  ${key}: ${problem}`),
    `  → ${longshoreCommand(target, `sync ${entity} --watch`)}`,
  ].join('\n')
  return { ok: false, text, data: verified }
}
