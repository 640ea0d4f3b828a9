import { rootCredentials } from './emulator.ts'
import { type CallAnswer, type Credentials, call } from './signed-call.ts'

/** What the owner of the account does by hand, as plain signed calls of AWS's own APIs. */
export interface Account {
  /** A user who may do `execute-api:Invoke` on this resource (ARN without `arn:aws:`), with a key. */
  createUser(name: string, resource: string): Promise<Credentials>
  /** Method and path template of each route of an HTTP API, as `GET /syncs`. */
  listRoutes(apiId: string): Promise<string[]>
  /** Invokes a function and waits for its answer. */
  invoke(functionArn: string, event: unknown): Promise<{ error: string | undefined; answer: unknown }>
  /** An action of the queue service. */
  // biome-ignore lint/suspicious/noExplicitAny: as each action answers
  sqs(action: string, parameters: object): Promise<any>
  /** Lines of all log groups whose name contains this, since then (epoch milliseconds). */
  logLines(nameContains: string, since: number): Promise<string[]>
}

export function openAccount(origin: string): Account {
  const send = async (
    service: string,
    request: { method: string; path: string; [header: string]: string },
  ) => {
    const { method, path, body = '', ...headers } = request
    const sign = { service, credentials: rootCredentials }
    const answer = await call({ method, path, headers, body, origin, sign })
    if (answer.status >= 300) throw new Error(`${method} ${path} of ${service}: ${describe(answer)}`)
    return answer
  }
  const iam = async (parameters: Record<string, string>) => {
    const body = new URLSearchParams({ Version: '2010-05-08', ...parameters }).toString()
    const type = 'application/x-www-form-urlencoded'
    return (await send('iam', { method: 'POST', path: '/', body, 'content-type': type })).body.toString()
  }
  const json = async (service: string, target: string, parameters: object) => {
    const answer = await send(service, {
      method: 'POST',
      path: '/',
      body: JSON.stringify(parameters),
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': target,
    })
    return JSON.parse(answer.body.toString() || '{}')
  }
  const logs = (action: string, parameters: object) => json('logs', `Logs_20140328.${action}`, parameters)

  return {
    async createUser(name, resource) {
      await iam({ Action: 'CreateUser', UserName: name })
      const statement = { Effect: 'Allow', Action: 'execute-api:Invoke', Resource: `arn:aws:${resource}` }
      const document = JSON.stringify({ Version: '2012-10-17', Statement: [statement] })
      await iam({
        Action: 'PutUserPolicy',
        UserName: name,
        PolicyName: 'calls',
        PolicyDocument: document,
      })
      const key = await iam({ Action: 'CreateAccessKey', UserName: name })
      return {
        accessKeyId: /<AccessKeyId>([^<]+)/.exec(key)?.[1] ?? '',
        secretAccessKey: /<SecretAccessKey>([^<]+)/.exec(key)?.[1] ?? '',
      }
    },

    async listRoutes(apiId) {
      const answer = await send('apigateway', {
        method: 'GET',
        path: `/v2/apis/${apiId}/routes?maxResults=500`,
      })
      const { items } = JSON.parse(answer.body.toString()) as { items: { routeKey: string }[] }
      return items.map(({ routeKey }) => routeKey)
    },

    async invoke(functionArn, event) {
      const path = `/2015-03-31/functions/${encodeURIComponent(functionArn)}/invocations`
      const answer = await send('lambda', { method: 'POST', path, body: JSON.stringify(event) })
      return {
        error: answer.headers['x-amz-function-error']?.toString(),
        answer: JSON.parse(answer.body.toString()),
      }
    },

    sqs: (action, parameters) => json('sqs', `AmazonSQS.${action}`, parameters),

    async logLines(nameContains, since) {
      const { logGroups } = await logs('DescribeLogGroups', {})
      const lines: string[] = []
      for (const { logGroupName } of logGroups as { logGroupName: string }[]) {
        if (!logGroupName.includes(nameContains)) continue
        const { events } = await logs('FilterLogEvents', { logGroupName, startTime: since })
        lines.push(...(events as { message: string }[]).map(({ message }) => message))
      }
      return lines
    },
  }
}

function describe({ status, body }: CallAnswer): string {
  return `${status} ${body.toString().slice(0, 500)}`
}
