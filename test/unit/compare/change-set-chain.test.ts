import { beforeEach, describe, expect, it } from 'vitest'
import { runPrefix } from '../../../stored/snapshots/manifest.ts'
import { documents } from './change-documents.ts'
import { ChangeSetTestbed, type PublishedSet, withChanges } from './change-set-testbed.ts'

let testbed: ChangeSetTestbed

beforeEach(() => {
  testbed = new ChangeSetTestbed()
})

describe('a chain starts again with a reset', () => {
  const before = { documents: documents(3) }

  it('when the query changed', async () => {
    await testbed.next(before)
    const { manifest } = await testbed.next({ documents: documents(4), query: { _where: 'a=1' } })
    expect(manifest).toMatchObject({ kind: 'reset', base: null, parts: [] })
    expect(testbed.chain()?.sets).toEqual([expect.objectContaining({ kind: 'reset', base: null })])
  })

  it('does not start again when change sets were off without a publication', async () => {
    const { changes } = testbed
    await testbed.next(before)
    testbed.changes = false
    await testbed.compare()
    testbed.changes = changes
    expect((await testbed.next(before)).manifest.kind).toBe('changes')
  })

  it.each(['manifest', 'pages'])("when the %s of the tip's snapshot expired", async (expired) => {
    const { manifest: first } = await testbed.next(before)
    for (const key of testbed.keys(runPrefix('CL', first.runId)))
      if (key.endsWith('manifest.json') === (expired === 'manifest')) testbed.s3.objects.delete(key)
    expect((await testbed.next(before)).manifest.kind).toBe('reset')
  })
})

describe('a chain whose comparisons keep failing', () => {
  /** Publishes snapshots of a base whose first page is damaged, a day after each other. */
  async function failing(days: number, count = 8) {
    const { manifest: first } = await testbed.next({ documents: documents(count) })
    const [page = ''] = testbed.keys(runPrefix('CL', first.runId))
    testbed.overwrite(page, Buffer.from('damaged'))
    for (let day = 1; day <= days; day++) {
      testbed.publish({ documents: documents(8) })
      expect(await testbed.compare()).toMatchObject({ status: 'failed', base: first.runId })
    }
    return first
  }

  it('starts again after three failures over a day, and reports why', async () => {
    await failing(3)
    const { manifest } = await testbed.next({ documents: documents(7) })
    const reason = 'Comparisons from the tip kept failing, because of damaged pages or too many changes.'
    expect(manifest).toMatchObject({ kind: 'reset', reason })
    expect(testbed.chain()).toMatchObject({ tip: manifest.runId, failures: null })
    expect((await testbed.next({ documents: documents(6) })).manifest).toMatchObject({ deleted: 1 })
  })

  it('does not start again because of a failure of AWS or of our code', async () => {
    await testbed.next({ documents: documents(8) })
    const before = testbed.chain()
    for (let day = 0; day < 5; day++) {
      const runId = testbed.publish({ documents: documents(8) })
      const down = withChanges(() => ({ readObject: async () => Promise.reject(new Error('S3 is down')) }))
      await expect(testbed.compare({}, down)).rejects.toThrow('S3 is down')
      const request = { entity: 'CL', runId, acceptDeletes: false }
      await testbed.invoke({ task: 'record-failure', request, reason: 'It stopped.' })
    }
    expect(testbed.chain()).toEqual(before)
    expect((await testbed.next({ documents: documents(7) })).manifest).toMatchObject({ deleted: 1 })
  })

  it('refuses to start again at a snapshot that has lost too much, until that is accepted', async () => {
    testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 30 }
    await failing(3, 100)
    const runId = testbed.publish({ documents: documents(50), uniqueIds: 50 })
    expect(await testbed.compare()).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining('deletes 50 of 100'),
    })
    expect(await testbed.compare({ runId, acceptDeletes: true })).toMatchObject({ kind: 'reset' })
  })
})

it('sets older than keepDays expire, and their objects one day later; those of the tip stay', async () => {
  testbed.changes = { ignore: [], maxDeletePercent: 100, keepDays: 3 }
  const runs = await testbed.publishSets(1, 2, 3, 4, 5, 6, 7, 8)
  expect(testbed.chain()?.sets.map(({ runId }) => runId)).toEqual(runs.slice(4))
  const stored = new Set(testbed.keys('changes/CL/2').map((key) => key.split('/')[2]))
  expect([...stored]).toEqual(runs.slice(3))
})

describe('the Athena table of the change sets', () => {
  const list = () => testbed.text('tables/CL.changes/parts.txt')
  const addresses = (...sets: readonly PublishedSet[]) =>
    sets.flatMap(({ manifest }) => manifest.parts.map(({ key }) => `s3://bucket/${key}\n`)).join('')

  it('lists the parts of every set in the chain', async () => {
    await testbed.next({ documents: documents(3) })
    expect(list()).toBe('')
    const first = await testbed.next({ documents: documents(3, 'a') })
    const unchanged = await testbed.next({ documents: documents(3, 'a') })
    const last = await testbed.next({ documents: documents(3, 'b') })
    expect(unchanged.manifest.parts).toEqual([])
    expect(list()).toBe(addresses(first, last))
  })

  it('no longer lists the sets before a reset', async () => {
    await testbed.next({ documents: documents(3) })
    await testbed.next({ documents: documents(3, 'a') })
    await testbed.next({ documents: documents(3, 'b'), query: { _where: 'x' } })
    expect(list()).toBe('')
  })

  it('is complete again after the next publication if it was lost', async () => {
    await testbed.next({ documents: documents(3) })
    const first = await testbed.next({ documents: documents(3, 'a') })
    testbed.s3.objects.delete('tables/CL.changes/parts.txt')
    const last = await testbed.next({ documents: documents(3, 'b') })
    expect(list()).toBe(addresses(first, last))
  })
})
