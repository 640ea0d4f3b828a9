import { execFile } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { complete } from '../infra/configurations.ts'
import { missingActions, roleActions } from '../infra/needed-actions.ts'
import { synthesize } from '../infra/synthesize.ts'
import { pythonTools } from '../python-tools.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const programs = await pythonTools('aws-models', new URL('aws/requirements.txt', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = temporaryFolder()
const execute = promisify(execFile)

/** Tests that together make every call of the sources. */
const recordedTests = [
  ...['conditional', 'embedded-lambda', 'embedded-services', 'events', 'idempotency'].map(
    (name) => `test/integration/${name}`,
  ),
  ...['alerts/topic', 'operator', 'stored/glue'].map((name) => `test/unit/${name}`),
  ...['clock', 'erase.test', 'purge', 'schedules'].map((name) => `test/commands/${name}`),
]

interface Call {
  readonly service: string
  readonly operation: string
  // biome-ignore lint/suspicious/noExplicitAny: each operation has its own input
  readonly input: any
}
type Templates = Readonly<Record<string, unknown>>
interface Case {
  readonly calls: readonly Call[]
  readonly templates: Templates
}

async function record(): Promise<Call[]> {
  const file = join(folder, 'calls.jsonl')
  const projects = ['unit', 'integration', 'commands'].map((name) => `--project=${name}`)
  const recorder = new URL('aws/record-calls.ts', import.meta.url).href
  await execute(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...projects, ...recordedTests], {
    cwd: root,
    maxBuffer: 1 << 26,
    env: {
      ...process.env,
      VITEST: '',
      NODE_OPTIONS: `--import=${recorder}`,
      LONGSHORE_RECORDED_CALLS: file,
    },
  })
  const calls = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  return [...new Map(calls.map((call) => [call.key, call])).values()]
}

async function problemsOf(cases: readonly Case[]): Promise<string[][]> {
  const file = join(folder, 'cases.json')
  writeFileSync(file, JSON.stringify(cases))
  const script = fileURLToPath(new URL('aws/check_models.py', import.meta.url))
  const { stdout } = await execute(join(programs ?? '', 'python'), [script, file], { maxBuffer: 1 << 26 })
  return JSON.parse(stdout)
}

/** What is found and right. */
const accepted: readonly { readonly problem: RegExp; readonly reason: string }[] = [
  {
    problem:
      /^Scheduler UpdateSchedule\.(?:\$metadata|Arn|CreationDate|LastModificationDate): no such member$/,
    reason: 'The schedule is sent as it was read, and the SDK leaves these out.',
  },
  {
    problem: /states:SendTaskSuccess is not for |:stateMachine:\w+ is for none of the actions$/,
    reason:
      'The reference names no resource, but Step Functions checks the state machine whose task waits, as does grantTaskResponse of the CDK.',
  },
]

const isOpen = (problem: string) => !accepted.some((each) => each.problem.test(problem))

/** Commands and paginators that the sources import, each with its client's name. */
const imported = globSync('{functions,operator,stored}/**/*.aws.ts', { cwd: root }).flatMap((file) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/import \{([^}]*)\} from '@aws-sdk\/client-/g)].flatMap(
    ([, names = '']) =>
      [...names.matchAll(/(?<!type )\b(?:(\w+)Command|paginate(\w+))\b/g)].map(
        ([, command, pages]) => command ?? pages,
      ),
  ),
)

/** ARNs of another partition than what is written most often. */
const inChina = JSON.parse(JSON.stringify(complete).replaceAll('arn:aws:', 'arn:aws-cn:'))
const texts = synthesize(inChina).templates
const parsed = (templates: Readonly<Record<string, string>>): Templates =>
  Object.fromEntries(Object.entries(templates).map(([stack, text]) => [stack, JSON.parse(text)]))

describe.skipIf(!programs)('by the models that AWS publishes', () => {
  let calls: readonly Call[] = []
  let found: readonly string[][] = []
  beforeAll(async () => {
    calls = await record()
    found = await problemsOf([
      { calls, templates: parsed(texts) },
      ...Object.values(mistakes).map((plant) => plant()),
    ])
  })

  /** A recorded call, changed. */
  const call = (name: string, change: (input: Call['input']) => unknown) => (): Case => {
    const found = calls.find(({ service, operation }) => name === `${service} ${operation}`)
    if (!found) throw new Error(`No ${name} was recorded.`)
    const input = structuredClone(found.input)
    change(input)
    return { calls: [{ ...found, input }], templates: {} }
  }
  /** A text of the templates, replaced. */
  const template = (from: RegExp, to: string) => (): Case => {
    const changed = Object.entries(texts).map(([stack, text]) => [stack, text.replace(from, to)] as const)
    expect(changed).not.toEqual(Object.entries(texts))
    return { calls: [], templates: parsed(Object.fromEntries(changed)) }
  }

  const mistakes: Readonly<Record<string, () => Case>> = {
    'a member that does not exist': call('S3 PutObject', (input) =>
      Object.assign(input, { IfNonMatch: '*' }),
    ),
    'a missing member': call('DynamoDB PutItem', (input) => delete input.TableName),
    'a value of an enum': call('Lambda Invoke', (input) => Object.assign(input, { InvocationType: 'Sync' })),
    'a text in place of a flag': call('DynamoDB GetItem', (input) =>
      Object.assign(input, { ConsistentRead: 'true' }),
    ),
    'a text in place of a list': call('S3 DeleteObjects', (input) =>
      Object.assign(input.Delete, { Objects: 'a' }),
    ),
    'a too long name of a table': call('Glue CreateTable', (input) =>
      Object.assign(input.TableInput, { Name: 'n'.repeat(256) }),
    ),
    'a too long name of an execution': call('SFN StartExecution', (input) =>
      Object.assign(input, { name: 'n'.repeat(81) }),
    ),
    'a name with a character that is not allowed': call('Scheduler GetSchedule', (input) =>
      Object.assign(input, { Name: 'a b' }),
    ),
    'too many entries': call('EventBridge PutEvents', (input) =>
      Object.assign(input, { Entries: Array(11).fill(input.Entries[0]) }),
    ),
    'a too short token': call('Secrets Manager PutSecretValue', (input) =>
      Object.assign(input, { ClientRequestToken: 'a' }),
    ),
    'a too large limit': call('CloudWatch Logs FilterLogEvents', (input) =>
      Object.assign(input, { limit: 20_000 }),
    ),
    'an action that does not exist': template(/"s3:ListBucket"/, '"s3:ListObjects"'),
    'a condition key that does not exist': template(/s3:if-none-match/, 's3:if-nonematch'),
    'a condition key of another service': template(/kms:ViaService/, 's3:ViaService'),
    'an operator of another type': template(/"StringEquals"(?=: \{\s*"kms:ViaService)/, '"Bool"'),
    'an ARN of another partition': template(
      /"arn:",\s*\{\s*"Ref": "AWS::Partition"\s*\},\s*":glue/,
      '"arn:aws:glue',
    ),
    'objects without their bucket’s slash': template(/"\/snapshots\/\*"/, '"snapshots"'),
    'a resource of another kind': template(/":execution:"/, '":stateMachine:"'),
    'a resource of another service': template(/":secret:/, '":parameter:'),
    'a service that may not be a principal’s condition': template(
      /"aws:SourceAccount"/,
      '"aws:SourceAcount"',
    ),
  }

  it('every call of the sources was recorded', () => {
    expect(imported.length).toBeGreaterThan(30)
    const recorded = new Set(calls.map(({ operation }) => operation))
    expect(imported.filter((operation) => !recorded.has(operation ?? ''))).toEqual([])
  })

  it('the calls, policies and trust of roles are right', () => {
    const [problems = []] = found
    expect(problems.filter(isOpen)).toEqual([])
    expect(accepted.filter(({ problem }) => !problems.some((each) => problem.test(each)))).toEqual([])
  })

  it.each(Object.keys(mistakes).map((mistake, index) => ({ mistake, index })))(
    'finds $mistake',
    ({ index }) => expect(found[index + 1]?.filter(isOpen)).not.toEqual([]),
  )

  it('finds a missing grant', () => {
    const of = (type: string) =>
      synthesize(complete)
        .of(type)
        .map((resource) => ({
          ...resource,
          properties: JSON.parse(
            JSON.stringify(resource.properties).replaceAll('"dynamodb:Query"', '"dynamodb:Scan"'),
          ),
        }))
    expect(missingActions(roleActions({ of }))).toContain('PublisherRole dynamodb:Query')
  })
})
