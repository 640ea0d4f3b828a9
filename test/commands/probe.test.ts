import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { localCredentials } from '../../local/stand-in/platform.ts'
import { type CliWorld, startCliWorld } from '../integration/cli-world.ts'

let world: CliWorld
/** Of a platform that is not on this machine. */
let remote: string
beforeAll(async () => {
  world = await startCliWorld()
  await world.longshore('credentials set --no-sync', JSON.stringify(localCredentials))
  remote = join(world.folder, 'remote.json')
  const entities = [{ name: 'CL', schedule: 'rate(1 day)' }]
  writeFileSync(remote, JSON.stringify({ upstream: { baseUrl: 'https://shop.invalid' }, entities }))
})
afterEach(() => {
  world.platform.faults.clear()
  for (const name of ['LONGSHORE_APP_KEY', 'LONGSHORE_APP_TOKEN']) delete process.env[name]
})
afterAll(() => world.close())

const useEnvironment = ({ appKey, appToken } = localCredentials) =>
  Object.assign(process.env, { LONGSHORE_APP_KEY: appKey, LONGSHORE_APP_TOKEN: appToken })

describe('probe', () => {
  it('shows what the platform does, what to configure, and only reads', async () => {
    world.platform.requests.splice(0)
    const { code, stdout, stderr } = await world.longshore('probe CL')
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stdout).toMatch(/^searchTotal +reported, documents 95, separator "="$/m)
    expect(stdout).toMatch(/^ranges +add up$/m)
    expect(stdout).toMatch(/^tokenLife +not tried$/m)
    expect(stdout).toMatch(/^totals +'check' +totalCheck$/m)
    expect(stdout).toMatch(/^partitions +leave out +searchTotal$/m)
    expect(new Set(world.platform.requests.map(({ method }) => method))).toEqual(new Set(['GET']))
    expect(stdout).toContain(`CL, by ${world.platform.requests.length} requests:`)
  })

  it('prints a report without values of documents, with the credentials of the environment', async () => {
    useEnvironment()
    const { code, stdout } = await world.longshore('probe CL --wrong-key --json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      version: 1,
      entity: 'CL',
      facts: { wrongKey: { kind: 'refused', status: 401 } },
    })
    for (const value of ['client', 'example.com', '2020-', localCredentials.appToken])
      expect(stdout).not.toContain(value)
  })

  it('stops at rejected credentials after one request', async () => {
    useEnvironment({ appKey: 'a', appToken: 'b' })
    world.platform.requests.splice(0)
    expect(await world.longshore('probe CL')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The platform rejects the credentials: 401.') as string,
    })
    expect(world.platform.requests).toHaveLength(1)
  })

  it('asks before it calls another machine, and names what it will send', async () => {
    useEnvironment()
    const questions: string[] = []
    const confirm = async (question: string) => questions.push(question) === 0
    const declined = await world.longshoreFor({ confirm }, 'probe CL --token-life --wrong-key', remote)
    expect(declined).toMatchObject({ code: 1, stdout: 'Nothing was sent.\n' })
    expect(questions.join()).toMatch(/at most 60 .* shop\.invalid.*lock the account.*21 minutes/)
    expect(await world.longshore('probe CL --wrong-key', '', remote)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('probe CL --wrong-key --yes') as string,
    })
  })
})
