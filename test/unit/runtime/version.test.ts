import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { version } from '../../../functions/runtime/version.ts'

it('the functions know the version in package.json', () => {
  const file = new URL('../../../package.json', import.meta.url)
  expect((JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version).toBe(version)
})
