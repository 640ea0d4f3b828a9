import { beforeEach, describe, expect, it } from 'vitest'
import type { Proof } from '../../../stored/run/proof.ts'
import type { Absences } from '../../../stored/run/split.ts'
import { ChangeSetTestbed } from './change-set-testbed.ts'

let testbed: ChangeSetTestbed

beforeEach(() => {
  testbed = new ChangeSetTestbed()
})

const kept = ['{"id":"kept","createdIn":"2024-01-01T00:00:00Z"}']
const dated = '{"id":"gone","createdIn":"2024-01-02T00:00:00Z"}'
const undated = '{"id":"gone","createdIn":"soon"}'

/** A snapshot by ranges, given by what its absences mean, or a whole one, given by its proof. */
type Snapshot = Absences | Extract<Proof, 'exact' | 'no-total'>

const publish = (snapshot: Snapshot, documents: readonly string[]) =>
  testbed.next(
    snapshot === 'exact' || snapshot === 'no-total'
      ? { documents, proof: snapshot }
      : { documents, absences: snapshot },
  )

/** Publishes snapshots that lack the document. Returns whether each of them deleted it or withheld it. */
async function outcomes(document: string, snapshots: readonly Snapshot[]): Promise<string[]> {
  await publish('proven', [...kept, document])
  const found: string[] = []
  for (const snapshot of snapshots) {
    const { manifest, records, withheld } = await publish(snapshot, kept)
    expect(manifest).toMatchObject({ deleted: records.length, withheld: withheld.length })
    found.push(records.length > 0 ? 'deleted' : withheld.length > 0 ? 'withheld' : 'gone')
  }
  return found
}

describe('a document that is absent', () => {
  it.each<[string, readonly Snapshot[], readonly string[]]>([
    [dated, ['proven'], ['deleted']],
    [dated, ['repeatable', 'repeatable'], ['withheld', 'deleted']],
    [dated, ['unknown', 'unknown', 'unknown'], ['withheld', 'withheld', 'withheld']],
    [dated, ['unknown', 'proven'], ['withheld', 'deleted']],
    [dated, ['unknown', 'repeatable', 'repeatable'], ['withheld', 'withheld', 'deleted']],
    [dated, ['repeatable', 'unknown', 'repeatable'], ['withheld', 'withheld', 'deleted']],
    [dated, ['unknown', 'no-total', 'unknown', 'no-total'], ['withheld', 'withheld', 'withheld', 'deleted']],
    [dated, ['repeatable', 'proven', 'proven'], ['withheld', 'deleted', 'gone']],
    [undated, ['proven', 'proven'], ['withheld', 'deleted']],
    [undated, ['unknown', 'proven', 'proven'], ['withheld', 'withheld', 'deleted']],
    [undated, ['proven', 'unknown', 'unknown', 'proven'], ['withheld', 'withheld', 'withheld', 'deleted']],
    [undated, ['proven', 'repeatable'], ['withheld', 'deleted']],
    [undated, ['proven', 'no-total'], ['withheld', 'deleted']],
    [undated, ['no-total', 'proven'], ['withheld', 'deleted']],
    [undated, ['exact'], ['deleted']],
    [undated, ['unknown', 'exact'], ['withheld', 'deleted']],
    ['{"createdIn":null,"id":"gone"}', ['proven', 'proven'], ['withheld', 'deleted']],
    ['{"id":"gone","in":{"createdIn":"2024-01-02"}}', ['proven', 'proven'], ['withheld', 'deleted']],
    ['{"id":"gone","created\\u0049n":"2024-01-02"}', ['proven'], ['deleted']],
  ])('%s from the snapshots %j is %j', async (document, snapshots, expected) => {
    expect(await outcomes(document, snapshots)).toEqual(expected)
  })

  it('counts from the beginning after it has reappeared', async () => {
    await publish('proven', [...kept, undated])
    await publish('proven', kept)
    expect(await publish('unknown', [...kept, undated])).toMatchObject({ manifest: { updated: 1 } })
    expect(await publish('proven', kept)).toMatchObject({ withheld: [undated] })
  })

  it('is stored apart from those whose absence counts otherwise', async () => {
    const other = '{"id":"other"}'
    await publish('exact', [...kept, dated, other])
    await publish('no-total', [...kept, other])
    const { manifest } = await publish('unknown', kept)
    expect(manifest).toMatchObject({
      withheld: 2,
      withheldParts: [
        { records: 1, countedAbsences: 0 },
        { records: 1, countedAbsences: 1 },
      ],
    })
    expect(await publish('no-total', kept)).toMatchObject({
      manifest: { withheldParts: [{ records: 1, countedAbsences: 1 }] },
      records: [`{"op":"d","id":"gone","before":${dated}}`],
      withheld: [other],
    })
  })

  it('counts for the guard only if it is a delete', async () => {
    const many = Array.from({ length: 20 }, (_, id) => `{"id":"${id}","createdIn":"${id}"}`)
    await publish('proven', [...kept, ...many])
    testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 30 }
    expect(await publish('proven', kept)).toMatchObject({ manifest: { withheld: 20, deleted: 0 } })
    testbed.publish({ documents: kept, absences: 'proven' })
    expect(await testbed.compare()).toMatchObject({ status: 'refused' })
  })
})
