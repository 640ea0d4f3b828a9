import { findDeployment } from '../../operator/deployment/deployment.ts'
import { verifySnapshot } from '../../operator/snapshot/verify.ts'
import { defineCommand } from '../shell/command.ts'
import { verifyResult } from '../snapshot/verify-result.ts'

export const verifyCommand = defineCommand({
  name: 'verify',
  summary: "Verify an entity's snapshot against its manifest",
  argument: '<ENTITY>',
  description: [
    'Checks that latest.json, the manifest and the state table agree, that every page exists with the size, SHA-256 ' +
      'and document count of the manifest, that every line is a JSON document, and that the number of unique ids ' +
      'matches. The exit code is 1 if any of these checks fails.',
    'To recover a page that was overwritten or deleted, restore its previous object version within 7 days, or start a ' +
      'sync, which publishes a new snapshot.',
  ],
  examples: {
    'verify CL': 'Verify the published snapshot of CL',
    'verify CL --json': 'List the mismatches as JSON',
  },
  async run({ entity, target, terminal, signal }) {
    const deployment = await findDeployment(target)
    const verified = await verifySnapshot(entity, { deployment, target, reporter: terminal, signal })
    return verifyResult(verified, target)
  },
})
