import type { Manifest } from '../../functions/state/snapshots/manifest.ts'
import { objectReader } from '../../operator/aws/objects.aws.ts'
import { findDeployment } from '../../operator/deployment/deployment.ts'
import { UsageError } from '../../operator/errors.ts'
import { evidenceText, readEvidence, type StoredEvidence } from '../../operator/snapshot/evidence.ts'
import { readProven } from '../../operator/snapshot/published.ts'
import { verifiedLines } from '../../operator/snapshot/verified-text.ts'
import { verifySnapshot } from '../../operator/snapshot/verify.ts'
import { evidenceSections } from '../../operator/text/evidence.ts'
import { type CommandResult, defineCommand } from '../shell/command.ts'
import { formatTable } from '../shell/text-table.ts'

export const verifyCommand = defineCommand({
  name: 'verify',
  summary: "Verify an entity's snapshot against its manifest",
  argument: '<ENTITY>',
  options: {
    '--evidence': 'Print what the proof was decided from, without reading the pages',
    '--run <RUN>': 'With --evidence: of the snapshot of this run, not of the latest one',
    '--repair': 'Restore the newest intact version of each damaged or missing object',
  },
  description: [
    'Checks that latest.json, the manifest and the state table agree, that every page exists with the size, SHA-256 ' +
      'and document count of the manifest, that every line is a JSON document, and that the number of unique ids ' +
      'matches. Also checks the objects that change sets need: withheld documents, increments, and the snapshot of the last ' +
      'full set. The exit code is 1 if any of these checks fails.',
    'With --repair, makes the newest version of an object that has the SHA-256 of the manifest the current one again. Restores ' +
      'latest.json and manifests that were overwritten or deleted as well. This loses nothing. Old versions are kept for a week. Without --repair, shows which objects can be restored. If none can, start a ' +
      'sync, which publishes a new snapshot, or reset the change sets if only they need the object.',
    'With --evidence, prints from which requests, totals, counts and decisions the snapshot is proven, also of a refused run. ' +
      'The exit code is 1 if the SHA-256 of the evidence or of the list of pages is wrong. Snapshots of older releases have no evidence. ' +
      '--json prints evidence.json itself, or null.',
    '--json prints `mismatches` (`key`, `problem` and, of damaged and missing objects, `repair`: `possible`, `impossible`, ' +
      '`unknown`, or `unneeded` if the current version has the SHA-256 of the manifest; `neededBy` is `change-sets` of what the snapshot does not need), `repair` (whether to restore objects) and `restored`, the keys of restored objects.',
  ],
  examples: {
    'verify CL': 'Verify the published snapshot of CL',
    'verify CL --repair': 'Restore damaged and deleted pages from older versions',
    'verify CL --evidence': 'Print for an audit why the snapshot counts as complete',
    'verify CL --json': 'List the mismatches as JSON',
  },
  async run({ entity, values, target, terminal, signal }) {
    const { evidence, run, repair } = values
    if (evidence && repair) throw new UsageError('--evidence cannot be combined with --repair.')
    if (run !== undefined && !evidence) throw new UsageError('--run needs --evidence.')
    const deployment = await findDeployment(target)
    if (evidence) {
      const manifest = await readProven(deployment, { entity, run }, target)
      return evidenceResult(manifest, await readEvidence(manifest, objectReader(deployment.bucket, signal)))
    }
    const operation = { deployment, target, reporter: terminal, signal }
    const verified = await verifySnapshot(entity, operation, { repair })
    return {
      ok: verified.mismatches.length === 0,
      text: verifiedLines(verified, deployment, target).join('\n'),
      data: verified,
    }
  },
})

function evidenceResult(manifest: Manifest, stored: StoredEvidence): CommandResult {
  const text = evidenceText(stored, manifest)
  if (stored.kind === 'none') return { ok: true, text, data: null }
  if (stored.kind === 'damaged') {
    const { key, problem } = stored
    return { ok: false, text, data: { mismatches: [{ key, problem }] } }
  }
  const sections = evidenceSections(stored.evidence).map(({ title, facts, reasons }) =>
    [title, formatTable(facts.map(([name, value]) => [`  ${name}`, value])), ...reasons].join('\n'),
  )
  return { ok: true, text: [...sections, text].join('\n\n'), data: stored.evidence }
}
