import { rootCredentials } from './emulator.ts'
import { type CallResponse, type Credentials, call } from './signed-call.ts'

/** The account owner's manual actions, as plain signed calls of AWS APIs. */
/** As DynamoDB returns it. */
export type StoredItem = Readonly<Record<string, { readonly S?: string; readonly L?: readonly object[] }>>

export interface Account {
  /** Creates a user with this policy and an access key. */
  createUser(name: string, policy: object): Promise<Credentials>
  /** Creates a user that is allowed `execute-api:Invoke` on this resource (ARN without `arn:aws:`). */
  createCaller(name: string, resource: string): Promise<Credentials>
  /** Method and path template of each route of an HTTP API, as `GET /syncs`. */
  listRoutes(apiId: string): Promise<string[]>
  /** Invokes a function and waits for its response. */
  invoke(functionArn: string, event: unknown): Promise<{ error: string | undefined; result: unknown }>
  /** An action of the queue service. */
  // biome-ignore lint/suspicious/noExplicitAny: each action has its own response
  sqs(action: string, parameters: object): Promise<any>
  /** An action of the identity service. Returns its XML. */
  iam(parameters: Readonly<Record<string, string>>): Promise<string>
  /** Longshore's functions in all deployments. */
  listFunctions(): Promise<readonly DeployedFunction[]>
  /** Name of the role that a function runs with. */
  roleOf(functionName: string): Promise<string>
  /** From the next invocation a function runs in new processes, without anything cached. */
  renewFunction(name: string): Promise<void>
  /** Replaces the code of a function. Returns the archive that it had. */
  replaceCode(name: string, archive: Buffer): Promise<Buffer>
  /** An action of the metrics service. */
  // biome-ignore lint/suspicious/noExplicitAny: each action has its own response
  cloudWatch(action: string, parameters: object): Promise<any>
  /** An action of the notification service. Returns its XML. */
  sns(parameters: Readonly<Record<string, string>>): Promise<string>
  /** All items of a DynamoDB table, in DynamoDB JSON. */
  scan(table: string): Promise<StoredItem[]>
  deleteItem(table: string, key: { pk: string; sk: string }): Promise<void>
  /** Removes an entity's lease, whichever run owns it. */
  freeEntity(table: string, entity: string): Promise<void>
  /** Deletes the schedules whose names begin with this. */
  deleteSchedules(prefix: string): Promise<void>
  /** Lines of all log groups whose name contains this, from a time on (epoch milliseconds). */
  logLines(nameContains: string, since: number): Promise<string[]>
}

const logPage = 10_000

export interface DeployedFunction {
  readonly name: string
  readonly stack: string
  /** Its id in the CDK app. */
  readonly id: string
  readonly variables: Readonly<Record<string, string>>
}

export function openAccount(origin: string): Account {
  const send = async (
    service: string,
    request: { method: string; path: string; [header: string]: string },
  ) => {
    const { method, path, body = '', ...headers } = request
    const sign = { service, credentials: rootCredentials }
    let result = await call({ method, path, headers, body, origin, sign })
    // The emulator fails while a function writes the logs that are read ("dictionary changed size during iteration").
    if (result.status === 500) result = await call({ method, path, headers, body, origin, sign })
    if (result.status >= 300) throw new Error(`${method} ${path} of ${service}: ${describe(result)}`)
    return result
  }
  const query =
    (service: string, Version: string) => async (parameters: Readonly<Record<string, string>>) => {
      const body = new URLSearchParams({ Version, ...parameters }).toString()
      const type = 'application/x-www-form-urlencoded'
      return (await send(service, { method: 'POST', path: '/', body, 'content-type': type })).body.toString()
    }
  const iam = query('iam', '2010-05-08')
  const json = async (service: string, target: string, parameters: object) => {
    const result = await send(service, {
      method: 'POST',
      path: '/',
      body: JSON.stringify(parameters),
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': target,
    })
    return JSON.parse(result.body.toString() || '{}')
  }
  const logs = (action: string, parameters: object) => json('logs', `Logs_20140328.${action}`, parameters)

  async function createUser(name: string, policy: object): Promise<Credentials> {
    await iam({ Action: 'CreateUser', UserName: name })
    const PolicyDocument = JSON.stringify(policy)
    await iam({ Action: 'PutUserPolicy', UserName: name, PolicyName: 'calls', PolicyDocument })
    const key = await iam({ Action: 'CreateAccessKey', UserName: name })
    return {
      accessKeyId: /<AccessKeyId>([^<]+)/.exec(key)?.[1] ?? '',
      secretAccessKey: /<SecretAccessKey>([^<]+)/.exec(key)?.[1] ?? '',
    }
  }

  return {
    createUser,

    createCaller(name, resource) {
      const statement = { Effect: 'Allow', Action: 'execute-api:Invoke', Resource: `arn:aws:${resource}` }
      return createUser(name, { Version: '2012-10-17', Statement: [statement] })
    },

    async listRoutes(apiId) {
      const result = await send('apigateway', {
        method: 'GET',
        path: `/v2/apis/${apiId}/routes?maxResults=500`,
      })
      const { items } = JSON.parse(result.body.toString()) as { items: { routeKey: string }[] }
      return items.map(({ routeKey }) => routeKey)
    },

    async invoke(functionArn, event) {
      const path = `/2015-03-31/functions/${encodeURIComponent(functionArn)}/invocations`
      const result = await send('lambda', { method: 'POST', path, body: JSON.stringify(event) })
      return {
        error: result.headers['x-amz-function-error']?.toString(),
        result: JSON.parse(result.body.toString()),
      }
    },

    sqs: (action, parameters) => json('sqs', `AmazonSQS.${action}`, parameters),

    iam,

    sns: query('sns', '2010-03-31'),

    async listFunctions() {
      const result = await send('lambda', { method: 'GET', path: '/2015-03-31/functions/' })
      const { Functions } = JSON.parse(result.body.toString()) as {
        Functions: { FunctionName: string; Environment?: { Variables: Record<string, string> } }[]
      }
      return Functions.flatMap(({ FunctionName: name, Environment }) => {
        // Stack and construct. CloudFormation adds more to a name that it derives from the construct's path.
        const [, stack, id] = /^(\w+)-(\w+?)(?:Function[0-9A-F]{8}-\w+)?$/.exec(name) ?? []
        return stack && id ? [{ name, stack, id, variables: Environment?.Variables ?? {} }] : []
      })
    },

    async roleOf(functionName) {
      const path = `/2015-03-31/functions/${functionName}/configuration`
      const { Role } = JSON.parse((await send('lambda', { method: 'GET', path })).body.toString())
      return String(Role).split('/').at(-1) ?? ''
    },

    async renewFunction(name) {
      const path = `/2015-03-31/functions/${name}/configuration`
      await send('lambda', { method: 'PUT', path, body: '{"Handler":"handler.handler"}' })
    },

    async replaceCode(name, archive) {
      const path = `/2015-03-31/functions/${name}`
      const { Code } = JSON.parse((await send('lambda', { method: 'GET', path })).body.toString())
      const previous = Buffer.from(await (await fetch(Code.Location)).arrayBuffer())
      const body = JSON.stringify({ ZipFile: archive.toString('base64') })
      await send('lambda', { method: 'PUT', path: `${path}/code`, body })
      return previous
    },

    cloudWatch: (action, parameters) =>
      json('monitoring', `GraniteServiceVersion20100801.${action}`, parameters),

    async scan(table) {
      const { Items, LastEvaluatedKey } = await json('dynamodb', 'DynamoDB_20120810.Scan', {
        TableName: table,
      })
      if (LastEvaluatedKey) throw new Error(`${table} has more items than one response can hold.`)
      return Items
    },

    async deleteSchedules(prefix) {
      const list = await send('scheduler', { method: 'GET', path: '/schedules' })
      const { Schedules } = JSON.parse(list.body.toString()) as { Schedules: { Name: string }[] }
      const names = Schedules.map(({ Name }) => Name).filter((name) => name.startsWith(prefix))
      for (const name of names)
        await send('scheduler', { method: 'DELETE', path: `/schedules/${name}?groupName=default` })
    },

    async deleteItem(table, { pk, sk }) {
      const Key = { pk: { S: pk }, sk: { S: sk } }
      await json('dynamodb', 'DynamoDB_20120810.DeleteItem', { TableName: table, Key })
    },

    async freeEntity(table, entity) {
      await json('dynamodb', 'DynamoDB_20120810.UpdateItem', {
        TableName: table,
        Key: { pk: { S: `entity#${entity}` }, sk: { S: 'entity' } },
        UpdateExpression: 'REMOVE #lease, incrementScroll',
        // Without the condition the update creates an item that no release has written.
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: { '#lease': 'lease' },
      }).catch((error: unknown) => {
        if (!String(error).includes('ConditionalCheckFailed')) throw error
      })
    },

    async logLines(nameContains, since) {
      const { logGroups } = await logs('DescribeLogGroups', {})
      const lines: string[] = []
      const groups = logGroups as { logGroupName: string }[]
      for (const { logGroupName } of groups.filter((group) => group.logGroupName.includes(nameContains))) {
        for (let startTime: number | undefined = since; startTime !== undefined; ) {
          const page = await logs('FilterLogEvents', { logGroupName, startTime, limit: logPage })
          const events = page.events as { message: string; timestamp: number }[]
          lines.push(...events.map(({ message }) => message))
          // The emulator has no pagination token: the next page starts at the time of the last event.
          const last = events.at(-1)?.timestamp ?? 0
          startTime = events.length < logPage ? undefined : Math.max(last, startTime + 1)
        }
      }
      return lines
    },
  }
}

const describe = ({ status, body }: CallResponse): string => `${status} ${body.toString().slice(0, 500)}`
