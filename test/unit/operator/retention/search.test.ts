import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readCondition } from '../../../../operator/history/condition.ts'
import { searchForPerson } from '../../../../operator/retention/find-person.ts'
import { nobody, openNotice, personWithId } from '../../../../operator/retention/person.ts'
import { searchVersions } from '../../../../operator/retention/search.ts'
import { encodeVersions, idHashOf } from '../../../../stored/chain/delivered-versions.ts'
import { reviewedLine } from '../../../../stored/chain/reviewed-ids.ts'
import { type PartKind, partKey, setPrefix } from '../../../../stored/changes/change-keys.ts'

const set = { entity: 'CL', runId: 'r1' }
const part = (kind: PartKind) => partKey(set, kind, kind.padEnd(32, '0'))
const idField = 'email'

/** What the objects of an entity have of a document. */
function objectsWith(email: string): ReadonlyMap<string, Buffer> {
  const document = `{"${idField}":"${email}","city":"of ${email}"}`
  const record = `{"op":"r","id":"${email}","after":${document}}`
  const identity = JSON.stringify(email)
  const versions = new Map([[idHashOf(identity), { content: 'c'.repeat(16), date: 1, deliveredAt: 1 }]])
  return new Map([
    ['snapshots/CL/r1/a1-p000001.ndjson.gz', Buffer.from(`${document}\n`)],
    [part('withheld'), Buffer.from(`${document}\n`)],
    [part('records'), Buffer.from(`${record}\n`)],
    [part('compacted'), Buffer.from(`${record}\n`)],
    [part('delivered'), encodeVersions(versions)],
    [part('reviewed'), Buffer.concat([reviewedLine(identity), Buffer.from('\n')])],
  ])
}

const context = (objects: ReadonlyMap<string, Buffer>) => ({
  versions: {
    read: async ({ key }: { readonly key: string }) => {
      const body = objects.get(key)
      return body && gzipSync(body)
    },
  },
  checkTime: () => undefined,
  onProgress: () => undefined,
})

const versionsOf = (keys: Iterable<string>) =>
  [...keys].map((key) => ({ key, versionId: 'v', isLatest: true, writtenAt: 0 }))

describe('the search for a person', () => {
  it('finds an id in every kind of object, and no other id', async () => {
    const objects = objectsWith('ana@shop')
    const all = versionsOf(objects.keys())
    const search = (id: string) =>
      searchForPerson(context(objects), all, { person: personWithId(id), idFields: [idField] })
    expect((await search('ana@shop')).found.map(({ key }) => key).toSorted()).toEqual(
      [...objects.keys()].toSorted(),
    )
    expect(await search('bob@shop')).toMatchObject({ found: [], unreadable: [], versions: all.length })
  })

  it('finds documents by the value of a field wherever they are stored as documents or in records', async () => {
    const objects = objectsWith('ana@shop')
    const person = nobody()
    const wanted = { by: 'where', condition: readCondition('city=of ana@shop'), forms: 'exact' } as const
    const { found } = await searchVersions(context(objects), versionsOf(objects.keys()), {
      atLines(lines) {
        using notice = openNotice(wanted, person, [idField])
        notice.add(lines)
        const isFound = person.hashes.size > 0
        person.hashes.clear()
        return isFound
      },
      atHashes: () => false,
    })
    const kinds = [part('compacted'), part('records'), part('withheld')]
    expect(found.map(({ key }) => key).toSorted()).toEqual(
      [...kinds, 'snapshots/CL/r1/a1-p000001.ndjson.gz'].toSorted(),
    )
  })

  it('cannot read what it does not know, and skips what has no documents or was deleted meanwhile', async () => {
    const unknown = `${setPrefix('CL', 'r1')}future-0.ndjson.gz`
    const objects = new Map([[unknown, Buffer.from('{}\n')]])
    const keys = [
      unknown,
      `${setPrefix('CL', 'r1')}manifest.json`,
      'iceberg/CL/data/r1/f.parquet.gz',
      part('records'),
    ]
    expect(
      await searchForPerson(context(objects), versionsOf(keys), {
        person: personWithId('ana@shop'),
        idFields: [idField],
      }),
    ).toMatchObject({ found: [], unreadable: [{ key: unknown }], versions: 2 })
  })
})
