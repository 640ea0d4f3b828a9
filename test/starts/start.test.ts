import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { listen } from '../../local/embedded/listen.ts'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { startPlatform } from '../../local/stand-in/platform.ts'
import { oneEntity, prepareStarts } from './starts.ts'

const { run, configuration } = prepareStarts()

describe('npm start -- --once', () => {
  it.concurrent('reads a dock, patches a subscription, publishes a snapshot and a change set, and exits with 0', async ({
    expect,
  }) => {
    const entities = [{ ...oneEntity[0], columns: ['id'] }]
    const { code, output } = await run(['--once', '--config', configuration(entities)])
    expect(output).toContain('200 {"id":"dock-lisbon"')
    expect(output).toContain('"quantity":3')
    expect(output).toMatch(/100% {2}5,000 of 5,000/)
    expect(output).toContain('GET /syncs/ZZ/snapshot')
    expect(output).toContain('"proof":"exact"')
    expect(output).toContain('First document\n  {"id":"cl-')
    expect(output).toContain('2 created, 2 updated, 1 only reordered, 1 deleted')
    expect(output).toMatch(/an increment delivered 4 documents in \d+\.\d s/)
    expect(output).toContain('increment: 4 delivered')
    expect(output).toContain('0 created, 0 updated, 1 deleted')
    expect(output).toContain('First records\n  {"op":"r","id":"cl-')
    expect(output).toContain('Iceberg table: 5,001 rows')
    expect(output).not.toMatch(/"level"|npx/)
    expect(code).toBe(0)
  })

  it.concurrent('scrolls the first entity in ranges with --partitions, and shows a bar for each', async ({
    expect,
  }) => {
    const { code, output } = await run(['--once', '--config', configuration(oneEntity), '--partitions', '4'])
    expect(output).toMatch(/100% {2}5,000 of 5,000/)
    for (const range of [1, 2, 3, 4, 5]) {
      expect(output).toMatch(new RegExp(`  ZZ range ${range} +100% {2}([\\d,]+) of \\1\\n`))
    }
    expect(output).toContain('"proof":"exact"')
    expect(output).toContain('"partitions":[{"where":"(createdIn < ')
    expect(code).toBe(0)
  })

  it.concurrent('syncs a real platform with the credentials in the environment, and changes nothing there', async ({
    expect,
  }) => {
    const platform = await startPlatform({ documents: { ZZ: makeDocuments(700) } })
    platform.credentials.splice(0, 1, { appKey: 'real-key', appToken: 'real-token' })
    const args = ['--once', '--config', configuration(oneEntity), '--upstream', platform.url]
    const good = await run(args, { LONGSHORE_APP_KEY: 'real-key', LONGSHORE_APP_TOKEN: 'real-token' })
    const bad = await run(args, { LONGSHORE_APP_KEY: 'real-key', LONGSHORE_APP_TOKEN: 'old' })
    await platform.close()
    expect(good).toMatchObject({
      code: 0,
      output: expect.stringContaining('published 700 documents') as string,
    })
    expect(bad).toMatchObject({
      code: 1,
      output: expect.stringContaining('The sync ended as failed') as string,
    })
    expect(new Set(platform.requests.map(({ kind }) => kind))).toEqual(new Set(['dock', 'scroll']))
    expect(good.output + bad.output).not.toMatch(/real-key|real-token/)
  })

  it.concurrent('exits with 1 if no entity is configured', async ({ expect }) => {
    const { code, output } = await run(['--once', '--config', configuration([])])
    expect(output).toContain('No entity is configured')
    expect(code).toBe(1)
  })
})

describe('npm start -- --faults', () => {
  /** Without change sets. */
  const entities = [{ ...oneEntity[0], changes: false }]

  it.concurrent.each([
    ['throttling', /- faults: 3 × 429\n/, '"attempts":1'],
    ['expired-token', /- published by attempt 2\n/, '"attempts":2'],
    [
      'lost-page',
      /- attempt 1 was not published: The platform reported .* a page may be missing\. The connection broke .*\. Longshore scrolled again\.\n(?:.*\n)*.*- faults: 1 × interrupted\n.*- published by attempt 2\n/,
      '"attempts":2',
    ],
    ['worker-killed', /- the attempt was suspect/, '"attempts":1'],
  ])(
    '%s explains what to watch, and publishes every document nevertheless',
    async (profile, recovery, attempts) => {
      const { code, output } = await run(['--once', '--config', configuration(entities), '--faults', profile])
      expect(output).toContain('What to watch')
      expect(output).toContain('published 5,000 documents; proof: exact')
      expect(output).toMatch(recovery)
      expect(output).toContain(attempts)
      expect(output).not.toContain('First records')
      expect(code).toBe(0)
    },
  )

  it('shrink ends with a refusal, and with no command that needs a running npm start', async () => {
    const { code, output } = await run(['--once', '--config', configuration(entities), '--faults', 'shrink'])
    expect(output).toMatch(/refused: .* \(maxShrinkPercent\)\. Review and accept it, or sync again\.\n/)
    expect(output).not.toContain('npx')
    expect(code).toBe(0)
  })
})

describe('the command line', () => {
  it.concurrent('--help lists the options', async ({ expect }) => {
    expect(await run(['--help'])).toMatchObject({
      code: 0,
      output: expect.stringContaining('--upstream URL') as string,
    })
  })

  it.concurrent('exits with 2 if the configuration does not exist', async ({ expect }) => {
    const { code, output } = await run(['--config', 'none.json'])
    expect([code, output]).toEqual([2, expect.stringContaining('the file does not exist')])
  })

  it.concurrent('exits with 2 if the given port is taken', async ({ expect }) => {
    const taken = await listen(createServer())
    const { port } = new URL(taken.endpoint)
    const { code, output } = await run(['--port', port, '--config', configuration([])])
    await taken.close()
    expect([code, output]).toEqual([2, expect.stringContaining(`--port: ${port} is in use`)])
  })

  it.concurrent('exits with 2 before anything starts if the platform cannot be reached', async ({
    expect,
  }) => {
    const args = ['--config', configuration([]), '--upstream', 'https://shop.invalid']
    const { code, output } = await run(args, { LONGSHORE_APP_KEY: 'key', LONGSHORE_APP_TOKEN: 'token' })
    expect(output).toContain('--upstream: cannot reach the platform: host shop.invalid')
    expect(output).not.toContain('Longshore on this machine')
    expect(code).toBe(2)
  })
})
