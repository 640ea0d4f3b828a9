import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type CliWorld, startCliWorld } from '../integration/cli-world.ts'

let world: CliWorld
beforeAll(async () => {
  world = await startCliWorld()
  await world.world.sync('CL')
})
afterAll(() => world.close())

it('pull and verify download the snapshot byte for byte, or as CSV', async () => {
  const { lines } = await world.snapshot('CL')
  expect(await world.longshore('pull CL')).toMatchObject({ code: 0 })
  expect(readFileSync(join(world.folder, 'CL.ndjson'), 'utf8')).toBe(`${lines.join('\n')}\n`)
  expect(await world.longshore(`pull CL --format csv -o ${world.folder}/deep/`)).toMatchObject({ code: 0 })
  const csv = readFileSync(join(world.folder, 'deep', 'CL.csv'), 'utf8')
  expect(csv).toMatch(/^id,/)
  for (const line of lines) expect(csv).toContain(JSON.parse(line).id)
  expect(readdirSync(world.folder).filter((name) => name.includes('partial'))).toEqual([])
})
