import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager'
import { makeDocuments } from '../../../local/stand-in/documents.ts'
import { localCredentials, type Platform, startPlatform } from '../../../local/stand-in/platform.ts'
import { npmPackages } from '../../npm-packages.ts'
import { virtualEnvironment } from '../../virtual-environment.ts'
import type { Check } from '../check.ts'
import type { Deployment } from '../deployment.ts'
import { sourceDocuments } from '../snapshot-proof.ts'
import { generatedClientChecks } from './generated-clients.ts'
import { localhostLookup } from './localhost-lookup.ts'

const sources = new URL('../platform-clients/', import.meta.url)
const guide = readFileSync(new URL('../../../docs/clients.md', import.meta.url), 'utf8')

/** The guide's example in a language, with the program that uses it. */
function programAfterExample(language: 'js' | 'python', program: string): string {
  const example = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1]
  assert.ok(example, `docs/clients.md has an example in ${language}`)
  return `${localhostLookup[language]}\n${example}\n${readFileSync(new URL(program, sources), 'utf8')}`
}

const account = 'my-shop'
const audience = 'clients'

let platform: Platform
let deployment: Deployment

/** Clients that were written for the platform's own API, changed as docs/clients.md shows. */
export const platformClientChecks: Check[] = [
  {
    name: "a platform with another header prefix is deployed with its account's name",
    async run(context) {
      platform = await startPlatform({
        headerPrefix: 'X-VTEX',
        documents: { CL: makeDocuments(100) },
        docks: { 'dock-1': Buffer.from('{"id":"dock-1","name":"Quay"}') },
        groups: { 'group-1': { item: [] } },
        subscriptions: { 'subscription-1': { status: 'ACTIVE', item: { quantity: 1 } } },
      })
      context.cleanUp.add(() => platform.close())
      deployment = await context.deployBeside({
        name: 'Clients',
        upstream: { baseUrl: platform.url, headerPrefix: 'X-VTEX', account },
        entities: [{ name: 'CL', schedule: 'rate(1 day)' }],
        auth: { type: 'jwt', issuer: context.issuer.url, audience: [audience] },
      })
      const secret = { SecretId: deployment.secretArn, SecretString: JSON.stringify(localCredentials) }
      await context.secrets.send(new PutSecretValueCommand(secret))
    },
  },
  {
    name: "the npm packages of the platform's vendor read a dock, update subscriptions, search and scroll to the end",
    async run(context) {
      const manifest = new URL('package.json', sources)
      const folder = await npmPackages({ name: 'platform-clients', manifest }, context.cleanUp)
      writeFileSync(join(folder, 'program.js'), programAfterExample('js', 'program.js'))
      const scope = 'docks:read subscriptions:write documents:read'
      const printed = await context.run({
        file: process.execPath,
        arguments: [join(folder, 'program.js')],
        environment: {
          ...context.emulator.environment,
          API_URL: deployment.apiUrl,
          TOKEN: context.issuer.token({ aud: audience, scope }),
        },
        timeoutSeconds: 120,
      })
      const { dock, found, empty, scrolled } = JSON.parse(printed)
      assert.deepEqual(dock, { id: 'dock-1', name: 'Quay' })
      assert.deepEqual([found.data.length, found.pagination.total], [40, 100])
      assert.deepEqual(empty, [])
      assert.equal(new Set(scrolled).size, 100)
      assert.deepEqual(platform.subscriptions.get('subscription-1')?.['item'], { quantity: 3 })
      assert.deepEqual(platform.groups.get('group-1')?.item?.[0]?.['sku'], { id: '7' })
      for (const { url = '' } of platform.requests) {
        const isGroup = url.startsWith('/api/rns/subscriptions-group/')
        const { searchParams } = new URL(url, platform.url)
        assert.equal(searchParams.get('an'), isGroup ? account : null, url)
        assert.ok(!(searchParams.has('_size') && searchParams.has('_token')), url)
      }
    },
  },
  {
    name: 'Python with requests and the signer of botocore does the same with an AWS identity',
    async run(context) {
      const requirements = new URL('requirements.txt', sources)
      const programs = await virtualEnvironment({ name: 'platform-clients', requirements }, context.cleanUp)
      const { caller, platform, emulator } = context
      platform.docks.set('1', Buffer.from('{"id":"1"}'))
      platform.subscriptions.set('42', { status: 'PAUSED' })
      const printed = await context.run({
        file: join(programs, 'python'),
        arguments: ['-c', programAfterExample('python', 'program.py')],
        environment: {
          ...emulator.environment,
          REQUESTS_CA_BUNDLE: emulator.environment['AWS_CA_BUNDLE'] ?? '',
          AWS_ACCESS_KEY_ID: caller.accessKeyId,
          AWS_SECRET_ACCESS_KEY: caller.secretAccessKey,
          API_URL: context.deployment.apiUrl,
        },
        timeoutSeconds: 120,
      })
      const { dock, patched, found, scrolled } = JSON.parse(printed)
      assert.deepEqual([dock, patched, found], [{ id: '1' }, 200, 10])
      assert.equal(new Set(scrolled).size, sourceDocuments(context, 'CL').length)
    },
  },
  ...generatedClientChecks(() => ({ platform, deployment, audience })),
]
