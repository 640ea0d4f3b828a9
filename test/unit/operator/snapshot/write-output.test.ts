import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { DamagedData, failureOf } from '../../../../operator/errors.ts'
import { intactLines, readIntactLines, requireCount } from '../../../../operator/snapshot/checked-objects.ts'
import { writeOutput } from '../../../../operator/snapshot/write-output.ts'

describe('a failure while a file is written', () => {
  const write = (error: Error, isAborted: boolean) => {
    const controller = new AbortController()
    if (isAborted) controller.abort()
    const context = { file: 'f', signal: controller.signal, fix: 'do it' }
    return writeOutput(context, () => Promise.reject(error)).catch((failure: unknown) => failureOf(failure))
  }

  it.each([
    ['damaged data', new DamagedData('Damaged.'), false, 'problem', 'Damaged. f was not changed.', 'do it'],
    ['an interrupt', new Error('aborted'), true, 'interrupted', 'Interrupted. f was not changed.', undefined],
    ['anything else', new Error('Why.'), false, 'problem', 'Error: Why.', undefined],
  ])('by %s reports that the file was not changed', async (...[, error, isAborted, kind, message, fix]) => {
    expect(await write(error, isAborted)).toEqual({ kind, message, ...(fix && { fix }) })
  })

  it('does not happen otherwise', async () => {
    const context = { file: 'f', signal: new AbortController().signal, fix: '' }
    expect(await writeOutput(context, async () => 1)).toBe(1)
  })
})

it('names the object that is damaged, and how many lines were read before it', async () => {
  const done: number[] = []
  const objects = [{ key: 'a', count: 1, bytes: 2, sha256: 'x' }]
  const lines = intactLines(
    objects,
    async () => Buffer.from('abc'),
    (count) => done.push(count),
  )
  await expect(lines.next()).rejects.toThrow('The stored data is damaged: a: 3 bytes; the manifest has 2.')
  expect(done).toEqual([0])
})

it('yields the lines of each object, and how many lines were read', async () => {
  const bodies = new Map(['a', 'b'].map((key) => [key, gzipSync(`{"n":"${key}"}\n{}\n`)]))
  const objects = [...bodies].map(([key, body]) => {
    return { key, count: 2, bytes: body.length, sha256: createHash('sha256').update(body).digest('hex') }
  })
  const read = async (key: string) => bodies.get(key)
  const done: number[] = []
  const texts: string[] = []
  for await (const lines of intactLines(objects, read, (count) => done.push(count))) texts.push(String(lines))
  expect(texts).toEqual(['{"n":"a"}\n{}\n', '{"n":"b"}\n{}\n'])
  expect(done).toEqual([0, 2, 4])
  const [first = { key: '', count: 0, bytes: 0, sha256: '' }] = objects
  expect((await readIntactLines(first, read)).map(String)).toEqual(['{"n":"a"}', '{}'])
  const damaged = readIntactLines({ ...first, key: 'c' }, read)
  await expect(damaged).rejects.toThrow(
    new DamagedData('The stored data is damaged: c: not found in the bucket.'),
  )
})

it('compares the counts of the objects with their manifest', () => {
  const objects = [1, 2].map((count) => ({ key: 'a', count, bytes: 2, sha256: 'x' }))
  expect(() => requireCount('m', objects, 3)).not.toThrow()
  expect(() => requireCount('m', objects, 4)).toThrow(
    'The stored data is damaged: m: its objects have 3 lines; the manifest has 4.',
  )
})
