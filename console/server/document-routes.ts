import { configuredEntity, ProblemError } from '../../functions/http/result.ts'
import type { HistoryContext } from '../../operator/history/document-states.ts'
import { findDocument } from '../../operator/history/find-document.ts'
import { readHistory } from '../../operator/history/versions.ts'
import type { ChangeSummary } from '../../operator/review/change-summary.ts'
import { compareSnapshots, summarizeSet } from '../../operator/review/compare-snapshots.ts'
import { summaryLines } from '../../operator/review/summary-lines.ts'
import { readEvidence, storedProofText } from '../../operator/snapshot/evidence.ts'
import { evidenceSections } from '../../operator/text/evidence.ts'
import type { SetManifest } from '../../stored/changes/changes.ts'
import { runIdPattern } from '../../stored/run/run.ts'
import type { Manifest } from '../../stored/snapshots/manifest.ts'
import type { PreviewResponse } from '../contract/api.ts'
import type { SummaryResponse } from '../contract/change-sets.ts'
import type { HistoryResponse } from '../contract/history.ts'
import type { EvidenceResponse } from '../contract/snapshots.ts'
import type { ConsoleContext } from './context.ts'
import { republishText } from './data/maintenance.ts'
import { createKeptSnapshots, downloadOf, readDocument, readPage, stored } from './document-views/pages.ts'
import { readRecords, readRow } from './document-views/records.ts'
import { documentRow, fieldChange } from './document-views/values.ts'
import { createPromiseCache } from './promise-cache.ts'
import { type ApiRequest, ReadyResponse, type Routes, wholeNumberParameter } from './routes.ts'

/** Sets never change, and a summary reads all of their records. */
const maxSummaries = 20

/** Snapshots, their documents and change sets, as they are stored in the bucket. */
export function documentRoutes(context: ConsoleContext): Routes {
  const { read, snapshots, changes } = context
  const { configuration } = context.deployment
  const kept = createKeptSnapshots(snapshots)
  const find = { read, listObjects: snapshots.listObjects }
  const history = { ...find, readSnapshots: kept.readAll, changes }

  const summaries = createPromiseCache<ChangeSummary>(maxSummaries)
  const summaryOf = (set: SetManifest) =>
    summaries(`${set.entity}/${set.runId}`, async () =>
      summarizeSet(set, await kept.find(set.entity, set.runId), read),
    )

  const entityOf = ({ path }: ApiRequest) => configuredEntity(configuration.entities, path('entity')).name
  const positionOf = ({ path }: ApiRequest, line: string | null) => ({
    page: wholeNumberParameter(path('page')),
    line: wholeNumberParameter(line),
  })
  const manifestOf = (request: ApiRequest) => kept.read(entityOf(request), request.path('run'))

  async function refusedOf(request: ApiRequest): Promise<Manifest | undefined> {
    const [entity, runId] = [entityOf(request), request.path('run')]
    const published = await kept.find(entity, runId)
    return published || !runIdPattern.test(runId) ? undefined : snapshots.readRefused(entity, runId)
  }

  async function setOf(request: ApiRequest): Promise<SetManifest> {
    const [entity, runId] = [entityOf(request), request.path('run')]
    const manifest = runIdPattern.test(runId) ? await changes.readManifest(entity, runId) : undefined
    if (manifest) return manifest.value
    throw new ProblemError('not-found', 'This change set does not exist, or has expired.')
  }

  return {
    'GET /entities/{entity}/snapshots/{run}/republish': async (request) => {
      const { name: entity, changes } = configuredEntity(configuration.entities, request.path('entity'))
      const { published } = await kept.list(entity)
      if (published === null) throw new ProblemError('not-found', 'No snapshot is published.')
      const [before, after] = await Promise.all([kept.read(entity, published), manifestOf(request)])
      const ignored = new Set(changes === false ? [] : changes.ignore)
      const { differences } = await compareSnapshots({ before, after, ignored }, find)
      return { text: republishText({ before, after, differences }) } satisfies PreviewResponse
    },

    'GET /entities/{entity}/snapshots': (request) => kept.list(entityOf(request)),

    'GET /entities/{entity}/snapshots/{run}/pages/{page}': async (request) =>
      readPage(await manifestOf(request), positionOf(request, request.query.get('from')), read),

    'GET /entities/{entity}/snapshots/{run}/pages/{page}/documents/{line}': async (request) =>
      readDocument(await manifestOf(request), positionOf(request, request.path('line')), read),

    'GET /entities/{entity}/snapshots/{run}/documents': async (request) => {
      const manifest = await manifestOf(request)
      const found = await findDocument(find, manifest, request.query.get('id') ?? '')
      return found ? documentRow(stored(manifest, found.position, found.line), 'beginning') : null
    },

    'GET /entities/{entity}/snapshots/{run}/evidence': async (request) => {
      const manifest = (await refusedOf(request)) ?? (await manifestOf(request))
      const evidence = await readEvidence(manifest, read)
      return {
        state: evidence.kind,
        text: storedProofText(evidence, manifest),
        sections: evidence.kind === 'intact' ? evidenceSections(evidence.evidence) : [],
      } satisfies EvidenceResponse
    },

    'GET /entities/{entity}/snapshots/{run}/download': async (request) =>
      new ReadyResponse(downloadOf(await manifestOf(request), read)),

    'GET /entities/{entity}/history': (request) =>
      historyOf(history, entityOf(request), request.query.get('id') ?? ''),

    'GET /entities/{entity}/changes/{run}': async (request) => {
      const from = wholeNumberParameter(request.query.get('from'))
      return readRecords(await setOf(request), from, read)
    },

    'GET /entities/{entity}/changes/{run}/summary': async (request) => {
      const lines = summaryLines(await summaryOf(await setOf(request)))
      return { lines } satisfies SummaryResponse
    },

    'GET /entities/{entity}/changes/{run}/records/{index}': async (request) =>
      readRow(await setOf(request), wholeNumberParameter(request.path('index')), read),
  }
}

/** What is known of a document, with the beginnings of its values. */
async function historyOf(context: HistoryContext, entity: string, id: string): Promise<HistoryResponse> {
  const { current, versions } = await readHistory(context, entity, id)
  const row = current && stored(current.manifest, current.found.position, current.found.line)
  return {
    id,
    document: row ? documentRow(row, 'beginning') : null,
    versions: versions.map(({ runId, source, kind, changes }) => ({
      runId,
      source,
      kind,
      changes: changes.map((change) => fieldChange(change, 'beginning')),
    })),
  }
}
