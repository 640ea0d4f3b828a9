import { objectReader } from '../../operator/aws/objects.aws.ts'
import { findDeployment } from '../../operator/deployment/deployment.ts'
import { UsageError } from '../../operator/errors.ts'
import { evidenceText, readEvidence, type StoredEvidence } from '../../operator/snapshot/evidence.ts'
import { readProven } from '../../operator/snapshot/published.ts'
import { evidenceSections } from '../../operator/text/evidence.ts'
import { verifiedLines } from '../../operator/verify/verified-text.ts'
import { verifyEntity } from '../../operator/verify/verify.ts'
import { isLost } from '../../operator/verify/verify-stored.ts'
import type { Manifest } from '../../stored/snapshots/manifest.ts'
import { type CommandResult, defineCommand } from '../shell/command.ts'
import { formatTable } from '../shell/text-table.ts'

export const verifyCommand = defineCommand({
  name: 'verify',
  summary: 'Verify what is stored of an entity',
  argument: '<ENTITY>',
  options: {
    '--evidence': 'Print what the proof was decided from, without reading the pages',
    '--run <RUN>': 'With --evidence: of the snapshot of this run, not of the latest one',
    '--repair': 'Restore the newest intact version of each damaged or missing object',
  },
  description: [
    'Reads everything that is stored of the entity, and checks it as the publisher does: that latest.json, the manifest and the ' +
      'state table agree; that each page of each kept snapshot, also of a refused one, has the size, SHA-256 and documents of ' +
      'its manifest; that the unique ids, the evidence and what the publisher has counted agree; that each change set has ' +
      'the hash that the next one has of it and leads from one snapshot to the next; that the lists for Athena are right; and ' +
      'that each row of the typed table has the values of its document. The exit code is 1 if a check fails, except of an ' +
      'object that is lost and that only an older snapshot needs.',
    'With --repair, makes the newest version of an object that passes its check the current one again, also of latest.json and ' +
      'of manifests. This loses nothing. Old versions are kept for a week. Without --repair, shows which objects can be ' +
      'restored. If none can, start a sync, which publishes a new snapshot and table, or reset the change sets if only they ' +
      'need the object.',
    'With --evidence, prints from which requests, totals, counts and decisions the snapshot is proven, also of a refused run. ' +
      'The exit code is 1 if the SHA-256 of the evidence or of the list of pages is wrong. Snapshots of older releases have no evidence. ' +
      '--json prints evidence.json itself, or null.',
    '--json prints `mismatches` (`key`, `problem` and, of damaged and missing objects, `repair`: `possible`, `impossible`, ' +
      '`unknown`, or `unneeded` if the current version has the SHA-256 of the manifest; `neededBy` is `change-sets`, `table` or ' +
      '`other-snapshots` of what the published snapshot does not need), `repair` (whether to restore objects) and `restored`, ' +
      'the keys of restored objects.',
  ],
  examples: {
    'verify CL': 'Verify snapshots, change sets and table of CL',
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
    const verified = await verifyEntity(entity, operation, { repair })
    return {
      ok: verified.mismatches.every(isLost),
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
