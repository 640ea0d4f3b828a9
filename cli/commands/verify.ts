import { createStateStore } from '../../functions/state/sync-state.aws.ts'
import { objectReader } from '../aws/objects.aws.ts'
import { findDeployment, ourCommand } from '../deployment.ts'
import { defineCommand } from '../shell/command.ts'
import { Interrupted } from '../shell/errors.ts'
import { grouped } from '../shell/format.ts'
import { checkedPages } from '../snapshot/page.ts'
import { readPublished } from '../snapshot/published.ts'
import { compareDoors, verification } from '../snapshot/verification.ts'

export const verifyCommand = defineCommand({
  name: 'verify',
  summary: 'Hold the published snapshot of an entity in the bucket against its manifest',
  takesEntity: true,
  options: {},
  notes: [
    'Looks whether latest.json, the manifest and the state table agree; whether each page is there with the size, ' +
      'SHA-256 and number of documents that the manifest says; whether each line is a JSON document; and whether there ' +
      'are as many different ids. Exit code 1 if anything is not.',
    'A page that was overwritten or deleted can be fetched back from its older version for 7 days; a new sync publishes ' +
      'a whole new snapshot.',
  ],
  async run({ entity, target, terminal, signal }) {
    const deployment = await findDeployment(target)
    const published = await readPublished(deployment, entity, target)
    const { latest: remembered } = await createStateStore(deployment.table).readEntity(entity)
    const idField = deployment.configuration.entities.find(({ name }) => name === entity)?.idField ?? 'id'
    const verifying = verification(idField)
    const bar = terminal.progress(entity)
    let seen = 0
    try {
      for await (const checked of checkedPages(published.manifest, objectReader(deployment.bucket, signal))) {
        verifying.add(checked)
        seen += checked.page.documents
        bar.show(seen, published.manifest.documents)
      }
    } catch (error) {
      if (signal.aborted) throw new Interrupted('Interrupted.')
      throw error
    } finally {
      bar.end()
    }
    const { documents, uniqueIds, mismatches: inPages } = verifying.end(published)
    const mismatches = [...compareDoors(entity, { ...published, remembered }), ...inPages]
    const { runId } = published.latest
    const data = { entity, runId, documents, uniqueIds, pages: published.manifest.pages.length, mismatches }
    if (mismatches.length === 0) {
      const text = `${entity}: run ${runId} is whole: ${grouped(data.pages)} pages, ${grouped(documents)} documents, ${grouped(uniqueIds)} different ids.`
      return { ok: true, text, data }
    }
    const text = [
      `${entity}: run ${runId} does not match its manifest:`,
      ...mismatches.map(({ where, problem }) => `  ${where}: ${problem}`),
      `  → ${ourCommand(target, `sync ${entity} --watch`)}`,
    ].join('\n')
    return { ok: false, text, data }
  },
})
