import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { acquireLock } from '../../operator/file-lock.ts'
import { latestKey, type Manifest, manifestKey } from '../../stored/snapshots/manifest.ts'
import { type CliWorld, startCliWorld } from '../integration/cli-world.ts'

let world: CliWorld
let manifest: Manifest
beforeAll(async () => {
  world = await startCliWorld()
  await world.world.sync('CL')
  ;({ manifest } = await world.snapshot('CL'))
})
afterAll(() => world.close())

interface Damage {
  readonly what: string
  readonly keyOf: () => string
  readonly contents: () => string | undefined
  readonly problem: string
  readonly fix?: RegExp
}

const command = /→ npx --no-install longshore (sync CL --watch|verify CL) --config /

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

  it.each(['pull CL --update', 'pull CL --force'])(
    '%s is refused while another process writes the file',
    async (args) => {
      const file = join(world.folder, 'CL.ndjson')
      const lock = acquireLock(`${file}.lock`)
      const { code, stderr } = await world.longshore(args)
      if (lock.kind === 'acquired') lock.release()
      expect(code).toBe(1)
      expect(stderr).toContain(`${file} is in use by process ${process.pid}`)
      expect((await world.longshore(args)).stderr).not.toContain('in use')
    },
  )

  it('count the ids by the field of the manifest, whatever is configured since', async () => {
    const config = world.writeConfiguration('ids.json', {})
    const { entities, ...rest } = JSON.parse(readFileSync(config, 'utf8'))
    const [first, second] = entities
    writeFileSync(config, JSON.stringify({ ...rest, entities: [second, { ...first, idField: 'name' }] }))
    expect(await world.longshore('verify CL', '', config)).toMatchObject({ code: 0 })
  })

  it('detect a damaged page, and leave an existing file unchanged', async () => {
    expect(await world.longshore('verify CL')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('10 pages, 95 documents, 95 unique ids') as string,
    })
    const key = manifest.pages[3]?.key ?? ''
    const before = readFileSync(join(world.folder, 'CL.ndjson'))
    await world.stores.s3.send(
      new PutObjectCommand({ Bucket: world.stores.bucket, Key: key, Body: Buffer.alloc(9) }),
    )
    const verified = await world.longshore('verify CL --json')
    expect(verified.code).toBe(1)
    expect(JSON.parse(verified.stdout).mismatches).toEqual([
      { key, problem: expect.stringContaining('9 bytes'), repair: 'possible' },
    ])
    const pulled = await world.longshore('pull CL --force')
    expect(pulled).toMatchObject({ code: 1, stderr: expect.stringContaining(key) as string })
    expect(pulled.stderr).toMatch(
      /CL\.ndjson was not changed\.\n {2}→ npx --no-install longshore verify CL --config /,
    )
    expect(readFileSync(join(world.folder, 'CL.ndjson'))).toEqual(before)
    expect(readdirSync(world.folder).filter((name) => name.includes('partial'))).toEqual([])
    expect(await world.longshore('verify CL --repair')).toMatchObject({ code: 0 })
    expect(await world.longshore('pull CL --force')).toMatchObject({ code: 0 })
  })

  it.each<Damage>([
    {
      what: 'latest.json is not JSON',
      keyOf: () => latestKey('CL'),
      contents: () => 'none',
      problem: 'is not JSON.',
      fix: /longshore verify CL --repair/,
    },
    {
      what: 'latest.json is malformed',
      keyOf: () => latestKey('CL'),
      contents: () => '{"runId":1}',
      problem: 'has no manifest.',
      fix: /longshore verify CL --repair/,
    },
    {
      what: 'the manifest has other counts',
      keyOf: () => manifestKey('CL', manifest.runId),
      contents: () => JSON.stringify({ ...manifest, documents: 96 }),
      problem: 'its objects have 95 lines; the manifest has 96.',
    },
    {
      what: 'the manifest is missing',
      keyOf: () => manifestKey('CL', manifest.runId),
      contents: () => undefined,
      problem: 'is not in the bucket.',
    },
    {
      what: 'a page is missing',
      keyOf: () => manifest.pages[0]?.key ?? '',
      contents: () => undefined,
      problem: 'not found in the bucket.',
    },
  ])('fail and name a fix if $what', async ({ keyOf, contents, problem, fix = command }) => {
    const Key = keyOf()
    const object = { Bucket: world.stores.bucket, Key }
    const before = await (
      await world.stores.s3.send(new GetObjectCommand(object))
    ).Body?.transformToByteArray()
    const Body = contents()
    await world.stores.s3.send(
      Body === undefined ? new DeleteObjectCommand(object) : new PutObjectCommand({ ...object, Body }),
    )
    const { code, stderr } = await world.longshore('pull CL -o other.ndjson')
    await world.stores.s3.send(new PutObjectCommand({ ...object, Body: before ?? '' }))
    expect([code, stderr]).toEqual([1, expect.stringContaining(problem)])
    expect(stderr).toMatch(fix)
    expect(existsSync(join(world.folder, 'other.ndjson'))).toBe(false)
  })

  it('suggest to deploy, and name the configured entities', async () => {
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
      error: expect.stringContaining('The entity ZZ is not configured.'),
    })
  })
})
