import assert from 'node:assert/strict'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tableDatabase } from '../../../functions/runtime/settings-schema/glue-names.ts'
import { type LogSource, savedQueries } from '../../../lib/monitoring/saved-queries.ts'
import type { ApiRequest, ApiResponse, CheckContext } from '../../e2e/context.ts'
import type { Deployment } from '../../e2e/deployment.ts'
import { pathWithOurNode } from '../../processes.ts'
import { type Counter, counted, type Drill } from '../drill.ts'
import { type Row, runQuery } from '../log-query.ts'
import { commandsOf, type QueryName, type Values } from '../pages.ts'

/** What a script printed. */
export interface Printed {
  readonly code: number
  readonly text: string
}

/** What an operator does in an account. */
export interface AccountOperator {
  /** Runs a script or a command line of a page, with `longshore`, `cdk` and `aws`. */
  readonly sh: (script: string, environment?: Readonly<Record<string, string>>) => Promise<Printed>
  /** Runs a saved query on what the functions have logged since the drill began. */
  readonly query: (name: QueryName, id?: string) => Promise<Row[]>
  /** Calls the API. */
  readonly call: (request: ApiRequest) => Promise<ApiResponse>
  /** Does the same with another deployment of the account. */
  readonly of: (deployment: Deployment) => AccountOperator
}

export interface AccountWorld extends AccountOperator {
  readonly of: (deployment: Deployment) => AccountWorld
  readonly context: CheckContext
  /** The commands of a text, with the values of this deployment. */
  readonly commands: (text: string, values?: Values) => string[]
}

export type AccountDrill = Drill<AccountWorld, AccountOperator>

const root = fileURLToPath(new URL('../../..', import.meta.url))
/** Parts of the names of log groups. The emulator writes no access log. */
const logGroups: Readonly<Record<LogSource, readonly string[]>> = {
  'API functions': ['ProxyLogs', 'SyncApiLogs', 'OpenApiLogs'],
  worker: ['WorkerLogs'],
  compare: ['CompareLogs'],
  tables: ['TablesLogs'],
  freshness: ['FreshnessLogs'],
  'all functions': ['Logs'],
  'access log': [],
}

/** The drills' view of the deployment. A deployment of its own can be used in place of the usual one. */
export function accountWorld(
  context: CheckContext,
  deployment: Deployment = context.deployment,
): AccountWorld {
  const startedAt = Date.now()
  const { emulator } = context
  const environment = {
    ...emulator.environment,
    PATH: [emulator.programs, pathWithOurNode()].join(delimiter),
    AWS_PAGER: '',
    CI: 'true',
    CDK_DISABLE_VERSION_CHECK: '1',
    TMPDIR: context.folder,
  }
  const values = {
    '<name>': deployment.name,
    '<StateTableName>': deployment.table,
    '<CredentialsSecretArn>': deployment.secretArn,
    '<SnapshotBucketName>': deployment.bucket,
    '<bucket>': deployment.bucket,
    '<TableDatabaseName>': tableDatabase(deployment.name),
    'config=PATH': `config=${deployment.configurationFile}`,
    LongshoreStorage: `${deployment.name}Storage`,
  }
  return {
    context,
    async sh(script, more = {}) {
      const ended = 'exit of the script: '
      const printed = await context.run({
        file: 'bash',
        arguments: ['-c', `(${configured(script, deployment)}\n)\necho "${ended}$?"`],
        environment: { ...environment, ...more },
        folder: root,
      })
      const [text = '', code] = printed.split(ended)
      return { code: Number(code), text }
    },
    async query(name, id = '') {
      const { source, text } = savedQueries[name]
      const groups = logGroups[source]
      const lines = await Promise.all(groups.map((group) => context.account.logLines(group, startedAt)))
      return runQuery(text.replaceAll("'ID'", `'${id}'`), lines.flat().flatMap(rowOf))
    },
    call: (request) => context.callApi(request),
    of: (another) => accountWorld(context, another),
    commands(text, more = {}) {
      const commands = commandsOf(text, { ...values, ...more })
      for (const command of commands) assert.doesNotMatch(command, /<\w+>/, 'every value is known')
      return commands
    },
  }
}

/** With the configuration of the deployment, as the pages describe it for a configuration outside the checkout. */
function configured(script: string, { configurationFile, assembly }: Deployment): string {
  const app = `-c config=${configurationFile} -o ${assembly}`
  return (
    script
      // Version 1 of the AWS command line ignores AWS_ENDPOINT_URL for SQS.
      .replaceAll('aws sqs ', 'aws --endpoint-url "$AWS_ENDPOINT_URL" sqs ')
      .split('\n')
      .map((line) => {
        if (line.startsWith('npx --no-install longshore ')) return `${line} --config ${configurationFile}`
        if (line.startsWith('npm run deploy'))
          return `${line.includes(' -- ') ? line : `${line} --`} --require-approval never ${app}`
        return line.startsWith('npx cdk ') ? `${line.replace(/ -c config=\S+/, '')} ${app}` : line
      })
      .join('\n')
  )
}

function rowOf(line: string): Row[] {
  try {
    const row: unknown = JSON.parse(line)
    return typeof row === 'object' && row !== null ? [row as Row] : []
  } catch {
    return []
  }
}

/** The same, with each step counted. */
export function countedOperator(world: AccountWorld, counter: Counter): AccountOperator {
  return {
    of: (deployment) => countedOperator(world.of(deployment), counter),
    sh: counted(world.sh, counter),
    query: counted(world.query, counter),
    call: counted(world.call, counter),
  }
}

export async function succeeds(printed: Promise<Printed>): Promise<string> {
  const { code, text } = await printed
  assert.equal(code, 0, text)
  return text
}

/** The name of the only resource of this kind whose name contains a text. */
export const lineWith = (text: string, part: string): string =>
  text.split('\n').find((line) => line.includes(part)) ?? ''

/** As if looks had watched the schedule of an entity (`CL`) or its daily task (`CL#erasure`) since 2020. */
export const backdate = (world: AccountWorld, watched: string) =>
  succeeds(
    world.sh(
      `aws dynamodb update-item --table-name ${world.context.deployment.table} ` +
        `--key '{"pk":{"S":"freshness"},"sk":{"S":"watched"}}' ` +
        `--update-expression 'SET watched.#watched.since = :since' ` +
        `--expression-attribute-names '{"#watched":"${watched}"}' ` +
        `--expression-attribute-values '{":since":{"S":"2020-01-01T00:00:00.000Z"}}'`,
    ),
  )

export const inFolder = (context: CheckContext, name: string) => join(context.folder, name)
