import { createStateStore } from '../../functions/state/sync-state.aws.ts'
import { awsClients } from '../../operator/aws/clients.aws.ts'
import { objectReader } from '../../operator/aws/objects.aws.ts'
import { findDeployment } from '../../operator/deployment/deployment.ts'
import { Interrupted } from '../../operator/errors.ts'
import { checkedObjects, objectsOfPages } from '../../operator/snapshot/checked-objects.ts'
import { readPublished } from '../../operator/snapshot/published.ts'
import { compareMetadata, verification } from '../../operator/snapshot/verification.ts'
import { defineCommand } from '../shell/command.ts'
import { verifyResult } from '../snapshot/verify-result.ts'

export const verifyCommand = defineCommand({
  name: 'verify',
  summary: "Verify an entity's snapshot against its manifest",
  entity: 'required',
  flags: {},
  description: [
    'Checks that latest.json, the manifest and the state table agree, that every page exists with the size, SHA-256 ' +
      'and document count of the manifest, that every line is a JSON document, and that the number of unique ids ' +
      'matches. The exit code is 1 if one of them does not.',
    'To recover a page that was overwritten or deleted, restore its previous object version within 7 days, or start a ' +
      'sync, which publishes a new snapshot.',
  ],
  examples: [
    { purpose: 'Verify the published snapshot of CL', command: 'verify CL' },
    { purpose: 'List the mismatches as JSON', command: 'verify CL --json' },
  ],
  async run({ entity, target, terminal, signal }) {
    const deployment = await findDeployment(target)
    const published = await readPublished(deployment, entity, target)
    const { manifest } = published
    const { latest: recorded } = await createStateStore(deployment.table, awsClients.table()).readEntity(
      entity,
    )
    const idField = deployment.configuration.entities.find(({ name }) => name === entity)?.idField ?? 'id'
    const verifying = verification(idField)
    const bar = terminal.progress(entity)
    let done = 0
    try {
      for await (const checked of checkedObjects(
        objectsOfPages(manifest.pages),
        objectReader(deployment.bucket, signal),
      )) {
        verifying.add(checked)
        done += checked.object.count
        bar.show(done, manifest.documents)
      }
    } catch (error) {
      if (signal.aborted) throw new Interrupted('Interrupted.')
      throw error
    } finally {
      bar.end()
    }
    const { documents, uniqueIds, mismatches: inPages } = verifying.end(published)
    const mismatches = [...compareMetadata(entity, { ...published, recorded }), ...inPages]
    const { runId, pages } = manifest
    return verifyResult({ entity, runId, documents, uniqueIds, pages: pages.length, mismatches }, target)
  },
})
