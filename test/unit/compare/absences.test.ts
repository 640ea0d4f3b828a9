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

/** A snapshot by ranges, given by what its absences mean, or a whole one, given by its proof. */
type Snapshot = Absences | Extract<Proof, 'exact' | 'no-total'>

const publish = (snapshot: Snapshot, documents: readonly string[]) =>
  testbed.next(
    snapshot === 'exact' || snapshot === 'no-total'
      ? { documents, proof: snapshot }
      : { documents, absences: snapshot },
  )

describe('a document that is absent', () => {
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
})
