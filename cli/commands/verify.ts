import { objectReader } from '../../operator/aws/objects.aws.ts'
import { findDeployment } from '../../operator/deployment/deployment.ts'
import { UsageError } from '../../operator/errors.ts'
import { readEvidence, type StoredEvidence, storedProofText } from '../../operator/snapshot/evidence.ts'
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
    '--run <RUN>': 'With --evidence: of the snapshot of this run',
    '--repair': 'Restore the newest intact version of each damaged or missing object',
  },
  description: [
    'Checks everything that is stored for the entity as the publisher does, and each row of the typed table. The exit ' +
      'code is 1 if a check fails, unless only an older snapshot needs an object that is lost.',
    '--repair makes the newest version of an object that passes its check the current one again. Old versions are ' +
      'kept for a week. If none is intact, sync again, or reset the change sets if only they need the object.',
    '--evidence prints what proves a snapshot, or a refused one; with --json evidence.json itself, or null for older ' +
      'releases. The exit code is 1 if a SHA-256 is wrong.',
    '--json prints `mismatches`, each with `key`, `problem`, `repair` (`possible`, `impossible`, `unknown`, or ' +
      '`unneeded` if the current version is right) and `neededBy` (`change-sets`, `table`, `review` or `other-snapshots`) if the ' +
      'published snapshot does not need it, and the `restored` keys.',
  ],
  examples: {
    'verify CL': 'Verify snapshots, change sets and table of CL',
    'verify CL --repair': 'Restore damaged and deleted pages from older versions',
    'verify CL --evidence': 'Print for an audit why the snapshot counts as complete',
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
  const text = storedProofText(stored, manifest)
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
