import { findDeployment } from '../../operator/deployment/deployment.ts'
import { verifiedLines } from '../../operator/snapshot/verified-text.ts'
import { verifySnapshot } from '../../operator/snapshot/verify.ts'
import { defineCommand } from '../shell/command.ts'

export const verifyCommand = defineCommand({
  name: 'verify',
  summary: "Verify an entity's snapshot against its manifest",
  argument: '<ENTITY>',
  options: {
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
    '--json prints `mismatches` (`key`, `problem` and, of damaged and missing objects, `repair`: `possible`, `impossible` or ' +
      '`unknown`; `neededBy` is `change-sets` of what the snapshot does not need) and `restored`, the keys of restored objects.',
  ],
  examples: {
    'verify CL': 'Verify the published snapshot of CL',
    'verify CL --repair': 'Restore damaged and deleted pages from older versions',
    'verify CL --json': 'List the mismatches as JSON',
  },
  async run({ entity, values, target, terminal, signal }) {
    const deployment = await findDeployment(target)
    const operation = { deployment, target, reporter: terminal, signal }
    const verified = await verifySnapshot(entity, operation, { repair: values.repair })
    return {
      ok: verified.mismatches.length === 0,
      text: verifiedLines(verified, deployment, target).join('\n'),
      data: verified,
    }
  },
})
