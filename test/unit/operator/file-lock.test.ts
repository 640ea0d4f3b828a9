import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { acquireLock } from '../../../operator/file-lock.ts'

let folder: string
let lock: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-test-'))
  lock = join(folder, 'lock')
})
afterEach(() => rmSync(folder, { recursive: true }))

const inUse = (pid: number) => ({ kind: 'in-use', pid })

it('refuses a second one until the first is released, and leaves no file', () => {
  const first = acquireLock(lock)
  expect(JSON.parse(readFileSync(lock, 'utf8'))).toEqual({
    pid: process.pid,
    started: expect.any(String) as string,
  })
  expect(acquireLock(lock)).toEqual(inUse(process.pid))
  expect(readdirSync(folder)).toEqual(['lock'])
  if (first.kind === 'acquired') first.release()
  expect(existsSync(lock)).toBe(false)
  expect(acquireLock(lock)).toMatchObject({ kind: 'acquired' })
})

it('refuses one while another process has it, and replaces it once that has ended', async () => {
  const other = spawn('sleep', ['60'])
  writeFileSync(lock, JSON.stringify({ pid: other.pid }))
  expect(acquireLock(lock)).toEqual(inUse(other.pid ?? 0))
  other.kill('SIGKILL')
  await once(other, 'close')
  expect(acquireLock(lock)).toMatchObject({ kind: 'acquired' })
  expect(JSON.parse(readFileSync(lock, 'utf8'))).toMatchObject({ pid: process.pid })
})

it.each([
  ['whose id another process has now', JSON.stringify({ pid: 1, started: 'in another year' })],
  ['that is no lock', 'text'],
  ['that is empty', ''],
])('replaces a lock %s', (_, text) => {
  writeFileSync(lock, text)
  expect(acquireLock(lock)).toMatchObject({ kind: 'acquired' })
  expect(readdirSync(folder)).toEqual(['lock'])
})

it('does not release a lock that another process has since replaced', () => {
  const first = acquireLock(lock)
  writeFileSync(lock, JSON.stringify({ pid: 1 }))
  if (first.kind === 'acquired') first.release()
  expect(acquireLock(lock)).toEqual(inUse(1))
})
