import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { movePosition, readPositionFile } from '../../../../operator/changes/position-file.ts'
import { failureOf } from '../../../../operator/errors.ts'

const runId = '20260301T060000000Z-0123456789ab'
const foreign = 'is not a position file of longshore changes --follow.'
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-test-'))
  return () => rmSync(folder, { recursive: true })
})
const file = () => join(folder, 'CL.position.json')
const read = () => readPositionFile(file(), 'CL').catch(failureOf)
const position = { version: 1, entity: 'CL', runId }

describe('a position in the changes of an entity', () => {
  it('is the run that was stored', async () => {
    await movePosition(file(), { entity: 'CL', from: undefined, to: runId })
    expect(readFileSync(file(), 'utf8')).toBe(`${JSON.stringify(position)}\n`)
    expect(await read()).toBe(runId)
  })

  it('does not exist before the first one is stored', async () => expect(await read()).toBeUndefined())

  it('is not guessed if the file cannot be read', async () => {
    await expect(readPositionFile(folder, 'CL')).rejects.toMatchObject({
      message: `Cannot read ${folder}: it is a directory.`,
      cause: { code: 'EISDIR' },
    })
  })

  it.each<[name: string, text: string, message: string]>([
    [
      'is of another entity',
      JSON.stringify({ ...position, entity: 'AD' }),
      'has a position in the changes of AD, not of CL.',
    ],
    ['is not JSON', '{', foreign],
    ['is empty', '', foreign],
    ['is of a later version', JSON.stringify({ ...position, version: 2 }), foreign],
    ['has no run', JSON.stringify({ ...position, runId: 'r' }), foreign],
  ])('is refused if it %s', async (_, text, message) => {
    writeFileSync(file(), text)
    expect(await read()).toEqual({
      kind: 'problem',
      message: `${file()} ${message}`,
      fix: 'name another file (--position), or delete it to begin again',
    })
  })
})
