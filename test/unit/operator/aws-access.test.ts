import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { requireAwsAccess } from '../../../operator/deployment/access.aws.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const folder = temporaryFolder()
const [config, credentials] = [join(folder, 'config'), join(folder, 'credentials')]
writeFileSync(
  config,
  `[profile mfa]
region = eu-west-1
role_arn = arn:aws:iam::123456789012:role/Deployer
source_profile = base
mfa_serial = arn:aws:iam::123456789012:mfa/operator

[profile process]
region = eu-west-1
credential_process = ${folder}/missing-tool get
`,
)
writeFileSync(
  credentials,
  '[base]\naws_access_key_id = AKIAEXAMPLE000000000\naws_secret_access_key = example\n',
)

beforeEach(() => {
  const keys = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']
  for (const name of [...keys, 'AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_PROFILE']) vi.stubEnv(name, undefined)
  vi.stubEnv('AWS_CONFIG_FILE', config)
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', credentials)
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
})
afterEach(() => void vi.unstubAllEnvs())

it.each([
  ['mfa', /^Cannot load AWS credentials for the profile mfa: .*requires multi-factor authentication/],
  [
    'absent',
    /^Cannot load AWS credentials for the profile absent: Could not resolve .*\[absent\] in configuration/,
  ],
  ['process', /^Cannot load AWS credentials for the profile process: .*missing-tool get: .*not found\.$/],
  ['base', /^No AWS region is set, and the profile base has none\.$/],
])('tells why the profile %s gives no access', async (profile, message) => {
  vi.stubEnv('AWS_PROFILE', profile)
  await expect(requireAwsAccess()).rejects.toThrow(message)
})

it('reports that there are no credentials at all', async () => {
  vi.stubEnv('AWS_REGION', 'eu-west-1')
  await expect(requireAwsAccess()).rejects.toThrow(/^Cannot load AWS credentials: Could not load credentials/)
})

it('names --local if npm start is running', async () => {
  const startedAt = '2026-11-26T10:00:00.000Z'
  const server = createServer((_request, response) => response.end(JSON.stringify({ startedAt }))).listen(
    0,
    '127.0.0.1',
  )
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const file = join(folder, 'local.json')
  writeFileSync(file, JSON.stringify({ startedAt, apiUrl: `http://127.0.0.1:${port}`, environment: {} }))
  vi.stubEnv('LONGSHORE_LOCAL', file)
  vi.stubEnv('AWS_PROFILE', 'base')
  const fix = 'set AWS_REGION, or add --local: npm start is running'
  await expect(requireAwsAccess()).rejects.toMatchObject({ fix })
  server.close()
  server.closeAllConnections()
})

it.each(['AWS_REGION', 'AWS_DEFAULT_REGION'])(
  'takes the region from %s, as the AWS CLI does',
  async (variable) => {
    vi.stubEnv('AWS_PROFILE', 'base')
    vi.stubEnv(variable, 'eu-west-1')
    await requireAwsAccess()
    expect(process.env['AWS_REGION']).toBe('eu-west-1')
  },
)
