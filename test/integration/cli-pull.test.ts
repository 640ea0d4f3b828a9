import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type CliWorld, startCliWorld } from './cli-world.ts'

vi.setConfig({ testTimeout: 90_000 })

let world: CliWorld
beforeAll(async () => {
  world = await startCliWorld()
  await world.world.sync('CL')
})
afterAll(() => world.close())

describe('pull and verify', () => {
  it('download the snapshot byte for byte, or as CSV', async () => {
    const { lines } = await world.snapshot('CL')
    expect(await world.longshore('pull CL')).toMatchObject({ code: 0 })
    expect(readFileSync(join(world.folder, 'CL.ndjson'), 'utf8')).toBe(`${lines.join('\n')}\n`)
    expect(await world.longshore(`pull CL --format csv -o ${world.folder}/deep/`)).toMatchObject({ code: 0 })
    const csv = readFileSync(join(world.folder, 'deep', 'CL.csv'), 'utf8')
    expect(csv).toMatch(/^id,/)
    for (const line of lines) expect(csv).toContain(JSON.parse(line).id)
    expect(readdirSync(world.folder).filter((name) => name.includes('partial'))).toEqual([])
  })

  it('detect a damaged page, and leave an existing file unchanged', async () => {
    expect(await world.longshore('verify CL')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('10 pages, 95 documents, 95 unique ids') as string,
    })
    const { manifest } = await world.snapshot('CL')
    const key = manifest.pages[3]?.key ?? ''
    const before = readFileSync(join(world.folder, 'CL.ndjson'))
    await world.stores.s3.send(
      new PutObjectCommand({ Bucket: world.stores.bucket, Key: key, Body: Buffer.alloc(9) }),
    )
    const verified = await world.longshore('verify CL --json')
    expect(verified.code).toBe(1)
    expect(JSON.parse(verified.stdout).mismatches).toEqual([
      { key, problem: expect.stringContaining('9 bytes') },
    ])
    const pulled = await world.longshore('pull CL --force')
    expect(pulled).toMatchObject({ code: 1, stderr: expect.stringContaining(key) as string })
    expect(readFileSync(join(world.folder, 'CL.ndjson'))).toEqual(before)
    expect(readdirSync(world.folder).filter((name) => name.includes('partial'))).toEqual([])
  })

  it('suggest to deploy or to sync if there is no snapshot', async () => {
    expect(await world.longshore('pull ZZ --name Elsewhere')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /Not deployed in account 000000000000, region us-east-1: ElsewhereStorage[\s\S]*→ .*npm run deploy/,
      ) as string,
    })
    expect(existsSync(join(world.folder, 'ZZ.ndjson'))).toBe(false)
    const { code, stdout } = await world.longshore('verify ZZ --json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      error: 'No snapshot of ZZ has been published.',
      fix: expect.stringContaining('sync ZZ --watch'),
    })
  })
})
