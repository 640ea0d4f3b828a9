import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeOutput } from '../../../scripts/write-output.ts'

let dist: string
beforeEach(() => {
  dist = mkdtempSync(join(tmpdir(), 'longshore-test-'))
})
afterEach(() => rmSync(dist, { recursive: true, force: true }))

const handler = () => ({ path: join(dist, 'proxy/handler.mjs'), contents: Buffer.from('export {}') })

describe('writing the build output', () => {
  it('removes the folders of removed functions and the chunks of earlier builds', () => {
    mkdirSync(join(dist, 'removed'))
    writeFileSync(join(dist, 'removed/handler.mjs'), '')
    mkdirSync(join(dist, 'proxy'))
    writeFileSync(join(dist, 'proxy/chunk-OLD.mjs'), '')
    writeOutput(dist, [handler()])
    expect(existsSync(join(dist, 'removed'))).toBe(false)
    expect(existsSync(join(dist, 'proxy/chunk-OLD.mjs'))).toBe(false)
    expect(readFileSync(handler().path, 'utf8')).toBe('export {}')
  })

  it('creates the folder if it does not exist', () => {
    rmSync(dist, { recursive: true })
    writeOutput(dist, [handler()])
    expect(existsSync(handler().path)).toBe(true)
  })

  it('does not touch a file that is up to date', () => {
    writeOutput(dist, [handler()])
    utimesSync(handler().path, 1, 1)
    writeOutput(dist, [handler()])
    expect(statSync(handler().path).mtimeMs).toBe(1000)
  })
})
