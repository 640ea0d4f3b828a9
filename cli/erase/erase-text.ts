import { formatCount, formatDocuments, plural } from '../../functions/runtime/format.ts'
import type { ErasureEvidence } from '../../operator/retention/evidence.ts'
import { formatTable } from '../shell/text-table.ts'

/** `include`: the command that also finds documents which have the value in another form. */
interface Shown {
  readonly columns?: number | undefined
  readonly include: string
}

/** What an erasure printed and whether nothing is left. */
export const erasedResult = (evidence: ErasureEvidence, shown: Shown) => ({
  ok: evidence.removed?.left === 0,
  text: evidenceText(evidence, shown),
  data: evidence,
})

/** What was searched and found, and what happens to it. */
export function evidenceText(evidence: ErasureEvidence, { columns, include }: Shown): string {
  const { entity, published, searched, found, deletedAsWell, removed, by, searchedAt, erasedAt } = evidence
  const snapshot = published
    ? `The published snapshot of ${entity} (run ${published.runId}, as of ${published.openedAt}) does not contain ${wantedText(evidence)}.`
    : `No snapshot of ${entity} is published. Searched for ${wantedText(evidence)}.`
  const search = `Searched ${plural(searched.versions, 'version')} of objects (${formatCount(searched.bytes)} bytes) at ${searchedAt}: snapshots, change sets, refused runs and pages of other runs. Table files are known by the snapshots that they contain.`
  const first = [snapshot, search, comparedText(evidence)]
  const others = otherFormLines(evidence, include)
  if (found.length === 0) return [...first, `Nothing contains ${wantedText(evidence)}.`, ...others].join('\n')
  const snapshotRuns = found.filter(({ kind }) => kind.endsWith('snapshot')).map(({ runId }) => runId)
  const rows = found.map(({ kind, runId, found: containing, unreadable, versions }) => [
    kind,
    runId,
    kind === 'table' ? (snapshotRuns.includes(runId) ? 'its snapshot' : 'unknown') : String(containing),
    unreadable === 0 ? '' : String(unreadable),
    String(versions),
  ])
  const table = formatTable([['KIND', 'RUN', 'WITH IT', 'UNREADABLE', 'VERSIONS'], ...rows], {
    columns,
    optional: ['UNREADABLE', 'WITH IT'],
  })
  const more = deletedAsWell.map(({ kind, runId, versions }) => [kind, runId, String(versions)])
  const { chain, asWell } = chainText(evidence)
  const moreTable = formatTable([['KIND', 'RUN', 'VERSIONS'], ...more], { columns })
  const lines = [
    ...first,
    ...others,
    '',
    'Contains it:',
    table,
    '',
    ...(more.length > 0 ? [`Deleted as well: ${asWell}`, moreTable, ''] : []),
    chain,
  ]
  if (!removed) return lines.join('\n')
  const deleted = `Deleted ${plural(removed.versions, 'version')} of objects and ${plural(removed.items, 'item')} of the state table, by ${by}, at ${erasedAt}.`
  return [...lines, deleted, leftText(removed.left), notSearched].join('\n')
}

/** `the document client-17`, or `documents with email=ann@example.com (2 ids: "a", "b")` */
function wantedText(evidence: ErasureEvidence): string {
  if ('id' in evidence) return `the document ${evidence.id}`
  const { where, forms, ids, withoutId } = evidence
  const what = `${where}${forms === 'any' ? ' in any form' : ''}`
  const named = [
    ...(ids.length > 0 ? [`${plural(ids.length, 'id')}: ${listed(ids)}`] : []),
    ...(withoutId > 0 ? [`${formatDocuments(withoutId)} without an id`] : []),
  ]
  return named.length === 0 ? `a document with ${what}` : `documents with ${what} (${named.join('; ')})`
}

const maxNamed = 10

const listed = (all: readonly string[]) =>
  `${all.slice(0, maxNamed).join(', ')}${all.length > maxNamed ? ', …' : ''}`

function comparedText(evidence: ErasureEvidence): string {
  if ('id' in evidence) {
    if (evidence.notCompared === 0) return 'Compared ids exactly.'
    return `Compared ids exactly. Not compared: ${formatDocuments(evidence.notCompared)} without an id: only --where finds these.`
  }
  const { where, forms, withField } = evidence
  const how = forms === 'any' ? 'without regard to letter case, white space and Unicode form' : 'exactly'
  return `Compared texts ${how}, numbers and booleans as they are written, and each element of a list. Documents that have the field ${where.slice(0, where.indexOf('='))}: ${formatCount(withField)}.`
}

/** Documents that an exact comparison does not find, although a person may mean them. */
function otherFormLines({ otherForms, ...evidence }: ErasureEvidence, include: string): string[] {
  if (otherForms.length === 0) return []
  const one = otherForms.length === 1
  const text = `${formatDocuments(otherForms.length)} ${one ? 'has' : 'have'} it in another form: ${listed([...new Set(otherForms)].map(visible))}. ${one ? 'It differs' : 'They differ'} only in letter case, white space or Unicode form.`
  const isIncluded = 'forms' in evidence && evidence.forms === 'any'
  return isIncluded ? [text] : [`${text} To include ${one ? 'it' : 'them'}:`, `  → ${include}`]
}

/** As JSON, in which two forms that look the same differ. */
const visible = (text: string) =>
  JSON.stringify(text).replaceAll(/[\p{M}\p{Cf}\p{White_Space}]/gu, (character) =>
    character === ' ' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** What becomes of the chain, and why also objects are deleted that do not contain it; conditional before an erasure. */
function chainText({ chain, removed }: ErasureEvidence): { readonly chain: string; readonly asWell: string } {
  const verb = (done: string, planned: string) => (removed ? done : `would ${planned}`)
  const [starts, receive] = [verb('starts', 'start'), verb('receive', 'receive')]
  const asWell = chain === 'reset' ? `the chain ${starts} again` : 'other objects of these change sets'
  const texts = {
    unchanged: `${verb('continues', 'continue')}.`,
    shortened: `${verb('begins', 'begin')} after them: readers that have not applied them ${receive} 410 and load the snapshot again.`,
    reset: `${starts} again with the next full sync: until then, readers that begin ${receive} 410.${removed ? ' Start a sync.' : ''}`,
  }
  return { chain: `The chain of change sets ${texts[chain]}`, asWell }
}

const leftText = (left: number) =>
  left === 0
    ? 'Searched again: no version of an object contains it.'
    : `Searched again: ${plural(left, 'version')} written meanwhile contain it. Run the command again.`

const notSearched =
  'Not part of the bucket, and not searched: files that pull and other readers wrote, results of Athena queries, backups, and logs (docs/erasure.md).'
