import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ConfigurationInput } from '../../../lib/config.ts'
import { onScroll } from '../../../local/stand-in/faults.ts'
import type { CheckContext } from '../../e2e/context.ts'
import type { Deployment } from '../../e2e/deployment.ts'
import { account, region } from '../../e2e/emulator.ts'
import { call } from '../../e2e/signed-call.ts'
import { drill } from '../drill.ts'
import { situation } from '../pages.ts'
import { type AccountDrill, accountWorld, succeeds } from './world.ts'

const audience = 'longshore-drills'
const entity = { name: 'CL', schedule: 'rate(30 days)' as const, pageSize: 50 }
const security = readFileSync(fileURLToPath(new URL('../../../SECURITY.md', import.meta.url)), 'utf8')

const textOf = (title: string) => situation('symptoms', title).text
const title = {
  athena: 'The stack LongshoreAthena fails with an access-denied error',
  key: 'The deployment fails at a log group with encryptionKeyArn set',
  toolkit: 'cdk deploy fails with "This stack uses assets, so the toolkit stack must be deployed"',
  unauthorized: '401 {"message":"Unauthorized"}',
  tolerance: 'Runs fail because the count differs every time',
  slow: 'A sync takes too long',
}

let drilled: Deployment | undefined

/** A deployment of the drills' own, whose callers use tokens. */
async function drilledDeployment(
  context: CheckContext,
  changes: Partial<ConfigurationInput> = {},
): Promise<Deployment> {
  const auth = { type: 'jwt' as const, issuer: context.issuer.url, audience: [audience] }
  const upstream = { baseUrl: context.platform.url }
  const configuration = { auth, upstream, entities: [entity], ...changes, name: 'Drilled' }
  const deployment = drilled ?? (await context.deployBeside(configuration))
  drilled = deployment
  return deployment
}

/** Deployments, and situations that only another configuration resolves. */
export const deploymentDrills: AccountDrill[] = [
  drill('symptoms', title.toolkit, async (world) => {
    const elsewhere = { AWS_REGION: 'eu-central-1', AWS_DEFAULT_REGION: 'eu-central-1' }
    const deploy = 'npx cdk deploy LongshoreStorage --require-approval never'
    const { code, text } = await world.sh(deploy, elsewhere)
    assert.equal(code, 1, text)
    assert.match(text, /toolkit stack must be deployed|bootstrap/)
    return async (operator) => {
      const [bootstrap = ''] = world.commands(textOf(title.toolkit))
      await succeeds(operator.sh(bootstrap, elsewhere))
      await succeeds(operator.sh(deploy, elsewhere))
    }
  }),
  drill('symptoms', title.athena, async (world) => {
    // The emulator has no Lake Formation. The drill only checks that the key leaves the stack out.
    assert.match(textOf(title.athena), /configuration\.md#athena/)
    return async (operator) => {
      await drilledDeployment(world.context, { athena: false })
      const list = "aws cloudformation describe-stacks --query 'Stacks[].StackName' --output text"
      const stacks = await succeeds(operator.sh(list))
      assert.match(stacks, /DrilledSync/)
      assert.doesNotMatch(stacks, /DrilledAthena/)
    }
  }),
  drill('symptoms', title.unauthorized, async ({ context }) => {
    const { apiUrl: origin, secretArn } = await drilledDeployment(context)
    const [pair] = context.platform.credentials
    const put = `aws secretsmanager put-secret-value --secret-id ${secretArn} --secret-string '${JSON.stringify(pair)}'`
    await succeeds(accountWorld(context).sh(put))
    const statusWith = async (aud: string) => {
      const token = context.issuer.token({ aud, scope: 'syncs:read' })
      const headers = { authorization: `Bearer ${token}` }
      return (await call({ method: 'GET', path: '/syncs', origin, headers })).status
    }
    assert.equal(await statusWith('another'), 401)
    return async () => {
      assert.match(textOf(title.unauthorized), /`iss` and `aud` with `auth`/)
      assert.equal(await statusWith(audience), 200)
    }
  }),
  drill('symptoms', title.key, async ({ context }) => {
    const world = accountWorld(context, await drilledDeployment(context))
    const created = await succeeds(world.sh('aws kms create-key --query KeyMetadata.Arn --output text'))
    const arn = created.trim()
    return async (operator) => {
      assert.match(textOf(title.key), /SECURITY\.md#keys/)
      const [, statements = ''] = /\n## Keys\n[\s\S]+?```json\n([\s\S]+?)```/.exec(security) ?? []
      const own = {
        Effect: 'Allow',
        Principal: { AWS: `arn:aws:iam::${account}:root` },
        Action: 'kms:*',
        Resource: '*',
      }
      const filled = statements.replaceAll('REGION', region).replaceAll('ACCOUNT', account)
      const policy = join(context.folder, 'key-policy.json')
      const Statement = [own, ...(JSON.parse(filled) as object[])]
      writeFileSync(policy, JSON.stringify({ Version: '2012-10-17', Statement }))
      const put = `aws kms put-key-policy --key-id ${arn} --policy-name default --policy file://${policy}`
      await succeeds(operator.sh(put))
      await drilled?.deployAgain({ encryptionKeyArn: arn })
      const groups = `aws logs describe-log-groups --query 'logGroups[?kmsKeyId].logGroupName' --output text`
      assert.match(await succeeds(operator.sh(groups)), /Drilled/)
    }
  }),
  drill('symptoms', title.tolerance, async (world) => {
    const { platform } = world.context
    const deployment = await drilledDeployment(world.context)
    const sync = 'npx --no-install longshore sync CL --watch'
    const wrong = { kind: 'total', total: { offBy: 20 } } as const
    platform.faults.add({ match: onScroll({ entity: 'CL' }), fault: wrong, times: Infinity })
    const { code, text } = await world.of(deployment).sh(sync)
    assert.equal(code, 1, text)
    return async (operator) => {
      assert.match(textOf(title.tolerance), /raise `totalTolerancePercent`/)
      const runs = await succeeds(operator.of(deployment).sh('npx --no-install longshore runs CL --json'))
      assert.match(runs, /"uniqueIds"/)
      await deployment.deployAgain({ entities: [{ ...entity, totalTolerancePercent: 30 }] })
      assert.match(await succeeds(operator.of(deployment).sh(`${sync} --json`)), /within-tolerance/)
    }
  }),
  drill('symptoms', title.slow, async (world) => {
    const deployment = await drilledDeployment(world.context)
    await succeeds(world.of(deployment).sh('npx --no-install longshore sync CL --watch'))
    return async (operator) => {
      assert.match(textOf(title.slow), /partitions\.md/)
      const { sh } = operator.of(deployment)
      assert.match(await succeeds(sh('npx --no-install longshore probe CL')), /partitions/)
      await deployment.deployAgain({ entities: [{ ...entity, partitions: { by: 'createdIn', count: 4 } }] })
      const ended = await succeeds(sh('npx --no-install longshore sync CL --watch --json'))
      const { partitions } = JSON.parse(ended.slice(ended.indexOf('{')))
      assert.ok(partitions.length > 1, ended)
    }
  }),
  drill('deploy', ['Uninstall', 'the snapshots are retained'], async (world) => {
    const deployment = await drilledDeployment(world.context)
    const own = world.of(deployment)
    const status = await succeeds(own.sh('npx --no-install longshore status --json'))
    const { runId } = JSON.parse(status.slice(status.indexOf('{'))).entities[0].snapshot
    return async (operator) => {
      const { sh } = operator.of(deployment)
      const [unprotect = '', destroy = ''] = own.commands(situation('deploy', 'Uninstall').text)
      await succeeds(sh(unprotect))
      assert.match(await succeeds(sh(`${destroy} --force`)), /DELETE_SKIPPED/)
      const kept = await succeeds(sh(`aws s3 ls s3://${deployment.bucket}/snapshots/CL/${runId}/`))
      assert.match(kept, /manifest\.json/)
    }
  }),
  drill('deploy', 'Adopt retained resources', async (world) => {
    // The previous drill has destroyed the stacks.
    const deployment = await drilledDeployment(world.context)
    const own = world.of(deployment)
    const listed = `aws s3 ls s3://${deployment.bucket}/snapshots/CL/latest.json`
    await succeeds(own.sh(listed))
    return async (operator) => {
      const { sh } = operator.of(deployment)
      const { text } = situation('deploy', 'Adopt retained resources')
      const [adopt = '', logging = '', deploy = '', status = ''] = own.commands(text)
      // The emulator does not store a bucket's logging configuration.
      assert.equal((await succeeds(sh(logging))).trim(), '')
      const buckets = await succeeds(sh("aws s3api list-buckets --query 'Buckets[].Name' --output text"))
      const logs = buckets.split(/\s+/).find((each) => /^drilled.*accesslog/i.test(each)) ?? ''
      const mapping = join(world.context.folder, 'adopted.json')
      writeFileSync(mapping, JSON.stringify(identifiers(deployment, { text, logs })))
      await succeeds(sh(`${adopt} --resource-mapping ${mapping}`))
      await succeeds(sh(deploy))
      const shown = await succeeds(sh(`${status} --json`))
      const { runId, documents } = JSON.parse(shown.slice(shown.indexOf('{'))).entities[0].snapshot
      assert.ok((await succeeds(sh(listed.replace('latest.json', `${runId}/`)))).includes('manifest.json'))
      assert.ok(documents > 0)
      await succeeds(sh('npx --no-install longshore sync CL --watch'))
      await succeeds(sh('npx --no-install longshore verify CL'))
      assert.doesNotMatch((await sh('npx --no-install longshore doctor')).text, /✗/)
    }
  }),
]

/** The physical id to enter, by the table of the page, for each retained resource of the storage stack. */
function identifiers(
  { assembly, name, bucket, table, secretArn }: Deployment,
  { text, logs }: { readonly text: string; readonly logs: string },
): Record<string, Record<string, string>> {
  const template = readFileSync(join(assembly, `${name}Storage.template.json`), 'utf8')
  const paths = new Map(
    Object.entries<{ Metadata: Record<string, string> }>(JSON.parse(template).Resources).map(
      ([id, { Metadata }]) => [Metadata['aws:cdk:path']?.replace(`${name}Storage/`, ''), id],
    ),
  )
  const values: Readonly<Record<string, string>> = {
    State: table,
    Credentials: secretArn,
    Snapshots: bucket,
    AccessLog: logs,
  }
  const rows = [...text.matchAll(/^ +\| (`.+`) \| `(\w+)`: /gm)]
  return Object.fromEntries(
    rows.flatMap(([, resources = '', key = '']) =>
      [...resources.matchAll(/`([^`]+)`/g)].map(([, path = '']) => [
        paths.get(`${path}/Resource`) ?? path,
        { [key]: values[path.replace('/Policy', '')] ?? '' },
      ]),
    ),
  )
}
