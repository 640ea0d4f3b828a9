import { readFileSync, writeFileSync } from 'node:fs'
import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Inspection } from '../../operator/doctor/finding.ts'
import { itemVersion } from '../../stored/item-version.ts'
import { type CliWorld, startCliWorld } from '../integration/cli-world.ts'

let world: CliWorld
beforeAll(async () => {
  world = await startCliWorld()
})
afterAll(() => world.close())

const inspectionOf = (stdout: string) => JSON.parse(stdout) as Inspection
const findingsOf = (stdout: string) => inspectionOf(stdout).findings

it('names account and region if nothing is deployed, and checks the platform nevertheless', async () => {
  const { code, stdout } = await world.longshore('doctor --name Other --json')
  expect(code).toBe(1)
  const { problems, findings } = inspectionOf(stdout)
  expect(problems).toEqual([
    {
      kind: 'deployment',
      level: 'problem',
      since: null,
      evidence:
        'Not deployed in account 000000000000, region us-east-1: OtherStorage, OtherSync, OtherApi, OtherMonitoring.',
      action: expect.stringMatching(/right account and region\?.* -c config=.+ -c name=Other$/) as string,
    },
  ])
  expect(findings).toMatchObject([{ level: 'ok', about: 'upstream' }])
})

it('synthesizes the configuration, and names what a deployment would change', async () => {
  const config = world.writeConfiguration('drift.json', {})
  const { Resources } = world.templates.LongshoreSync
  Object.assign(Resources, { Added: {} })
  const { stdout } = await world.longshore('doctor --json', '', config)
  expect(inspectionOf(stdout).problems.filter(({ kind }) => kind === 'drift')).toMatchObject([
    { evidence: 'The deployment differs from this checkout: LongshoreSync (Added).' },
  ])
  expect(world.app.context()).toMatchObject({ config })
  delete Resources['Added']
})

it('reports each secret, and state that an earlier commit wrote, with what to do', async () => {
  const { stores } = world
  const Item = { pk: { S: 'entity#CL' }, sk: { S: 'entity' }, version: { N: String(itemVersion - 1) } }
  await stores.dynamodb.send(new PutItemCommand({ TableName: stores.table, Item }))
  const config = world.writeConfiguration('two-secrets.json', {})
  const documents = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:documents'
  const configuration = { ...JSON.parse(readFileSync(config, 'utf8')), credentials: { documents } }
  writeFileSync(config, JSON.stringify(configuration))
  const { code, stdout } = await world.longshore('doctor --json', '', config)
  expect(code).toBe(1)
  expect(findingsOf(stdout)).toContainEqual({
    level: 'ok',
    about: 'drift',
    text: 'The deployment matches this checkout.',
  })
  const ofSecrets = inspectionOf(stdout).problems.filter(({ kind }) => kind === 'credentials')
  expect(ofSecrets.map(({ evidence, command }) => [evidence, command])).toEqual([
    ['Credentials for logistics, subscriptions are not set.', 'credentials set --area logistics'],
    [
      expect.stringMatching(/^Cannot use the credentials for documents: /),
      'credentials set --area documents',
    ],
  ])
  expect(findingsOf(stdout)).toContainEqual({
    level: 'unknown',
    about: 'entities',
    text: expect.stringMatching(
      /Cannot read the item entity#CL .* version is \d+ .* reads version \d+\.$/,
    ) as string,
    fix: expect.stringContaining('docs/deploy.md, "State from before 1.0.0"') as string,
  })
})
