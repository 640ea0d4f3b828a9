import { gunzipSync } from 'node:zlib'
import type { SetManifest } from '../../stored/changes/changes.ts'
import { ChangeSetTestbed } from '../unit/compare/change-set-testbed.ts'

const half = String.raw`\ud83d`
const numbered = (from: number, to: number, value: string) =>
  Array.from({ length: to - from }, (_, at) => `{"id":"n${from + at}","value":"${value}"}`)

/** Has two ids twice, documents without an id, and half of surrogate pairs in values, names and arrays. */
const first = [
  '{"id":"twice","value":"earlier"}',
  ...numbered(0, 40, 'first'),
  '{"id":"twice","value":"later"}',
  `{"id":"half","value":"cut ${half}"}`,
  String.raw`{"id":"low","\\":"\\ud83d","values":[["\ude00"]]}`,
  `{"${half}":1,"id":"name"}`,
  '{"id":7,"value":"a"}',
  '{"id":7,"value":"b"}',
  '{"value":"no id"}',
  '{"value":"another"}',
]
const absent = /n3\d|"low"/
/** Lacks ten documents without a proof, one with half of a surrogate pair among them. */
const second = [
  ...first.filter((document) => !absent.test(document)),
  '{"id":"twice","value":"last"}',
  `{"id":"new","value":"${half}"}`,
]
const refused = numbered(0, 10, 'refused')
const last = [
  ...numbered(0, 33, 'last'),
  '{"id":"twice","value":"last"}',
  '{"id":"twice","value":"the last"}',
  `{"id":"half","value":"cut ${half}${half}"}`,
  String.raw`{"id":"low","values":["\ude00 \ud83d\ude00"]}`,
  '{"value":"no id"}',
  `{"${half}":2,"id":"name"}`,
  `{"id":"new","value":"x"}`,
]

/** What readers have after each set of the chain. In the second state, some documents are withheld. */
export const states: readonly (readonly string[])[] = [
  first,
  [...second, ...first.filter((document) => absent.test(document))],
  last,
].map(lastOfEachId)

function lastOfEachId(documents: readonly string[]): string[] {
  return [...new Map(documents.map((document) => [JSON.parse(document).id ?? document, document])).values()]
}

/**
 * Publishes three snapshots whose sets lead from state to state, with a snapshot whose set is refused before the last
 * one. `published` is called with the name of what the bucket has from then on.
 */
export async function publishChain(
  published: (testbed: ChangeSetTestbed, name: string) => void = () => undefined,
): Promise<{ readonly manifests: SetManifest[]; readonly records: string[] }> {
  const testbed = new ChangeSetTestbed()
  const manifests: SetManifest[] = []
  const records: string[] = []
  const next = async (name: string, documents: readonly string[], proof: 'exact' | 'within-tolerance') => {
    const { manifest } = await testbed.next({ documents, proof })
    manifests.push(manifest)
    const parts = manifest.parts.map(({ key }) => gunzipSync(testbed.s3.objects.get(key)?.body ?? ''))
    records.push(Buffer.concat(parts).toString())
    published(testbed, name)
  }
  await next('first', first, 'exact')
  await next('second', second, 'within-tolerance')
  testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 30 }
  testbed.publish({ documents: refused })
  const { status } = await testbed.compare()
  if (status !== 'refused') throw new Error(`The comparison is ${status}.`)
  published(testbed, 'refused')
  testbed.changes = { ...testbed.changes, maxDeletePercent: 100 }
  await next('copy', last, 'exact')
  return { manifests, records }
}
