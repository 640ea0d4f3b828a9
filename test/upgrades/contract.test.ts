import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { contractFile, contractOf } from './contract.ts'
import { record } from './record.ts'

it('changes nothing that a deployed version depends on without a change of contract.json (npm run check -- upgrades)', async () => {
  expect(contractOf(await record())).toEqual(JSON.parse(readFileSync(contractFile, 'utf8')) as unknown)
})
