import { beforeEach, describe, expect, it } from 'vitest'
import { changesTableKey, setManifestKey } from '../../../../stored/changes/change-keys.ts'
import { ChangeSetTestbed, type PublishedSet } from '../../compare/change-set-testbed.ts'

let testbed: ChangeSetTestbed

beforeEach(() => {
  testbed = new ChangeSetTestbed()
})

const documents = (count: number) => Array.from({ length: count }, (_, id) => `{"id":"${id}"}`)
const list = () => testbed.text(changesTableKey('CL'))
const addresses = (...sets: readonly PublishedSet[]) =>
  sets.flatMap(({ manifest }) => manifest.parts.map(({ key }) => `s3://bucket/${key}\n`)).join('')

describe('the Athena table of the change sets', () => {
  it('lists each part once', async () => {
    await testbed.next({ documents: documents(1) })
    const sets: PublishedSet[] = []
    for (const count of [2, 3, 4]) sets.push(await testbed.next({ documents: documents(count) }))
    expect(list()).toBe(addresses(...sets))
  })

  it('lists the parts of a set that replaces documents by as many others', async () => {
    await testbed.next({ documents: documents(1) })
    const set = await testbed.next({ documents: ['{"id":"other"}'] })
    expect(set.manifest).toMatchObject({ created: 1, deleted: 1 })
    expect(list()).toBe(addresses(set))
  })

  it('is not replaced by an older comparison that ends later', async () => {
    await testbed.next({ documents: documents(1) })
    testbed.publish({ documents: documents(2) })
    const newer: PublishedSet[] = []
    testbed.s3.beforePut(changesTableKey('CL'), async () =>
      newer.push(await testbed.next({ documents: documents(3) })),
    )
    await testbed.compare()
    const [older = '', last = ''] = list()?.split('\n') ?? []
    expect(newer.map(({ manifest }) => manifest.parts[0]?.key)).toEqual([last.replace('s3://bucket/', '')])
    expect(older).toContain('/records-')
  })

  it('is written again if the comparison before it writes the list first, without the new set', async () => {
    await testbed.next({ documents: documents(1) })
    const before = await testbed.next({ documents: documents(2) })
    testbed.overwrite(changesTableKey('CL'), Buffer.from(''))
    const runId = testbed.publish({ documents: documents(3) })
    testbed.s3.beforePut(changesTableKey('CL'), () =>
      testbed.overwrite(changesTableKey('CL'), Buffer.from(addresses(before))),
    )
    await testbed.compare()
    expect(list()).toBe(addresses(before, testbed.set(runId)))
  })

  it('leaves out a set whose manifest is gone', async () => {
    await testbed.next({ documents: documents(1) })
    const gone = await testbed.next({ documents: documents(2) })
    await testbed.next({ documents: documents(2) })
    testbed.s3.objects.delete(changesTableKey('CL'))
    testbed.s3.objects.delete(setManifestKey('CL', gone.manifest.runId))
    const last = await testbed.next({ documents: documents(3) })
    expect(list()).toBe(addresses(last))
  })
})
