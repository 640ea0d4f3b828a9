import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openDataFolder } from '../../../local/data-folder.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-test-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

it('the state of an older release is refused before anything is written', () => {
  const object = join(folder, 's3', 'snapshots', 'CL', 'latest.json')
  mkdirSync(dirname(object), { recursive: true })
  writeFileSync(object, '{}')
  expect(() => openDataFolder(folder)).toThrow(
    /is of an older release .* Delete the folder, or choose another/,
  )
  rmSync(join(folder, 's3'), { recursive: true })
  mkdirSync(join(folder, 'dynamodb'))
  writeFileSync(join(folder, 'dynamodb', 'CURRENT'), 'MANIFEST-000001')
  expect(() => openDataFolder(folder)).toThrow(/is of an older release/)
  rmSync(join(folder, 'dynamodb'), { recursive: true })
  expect(openDataFolder(folder).hasState).toBe(false)
})
