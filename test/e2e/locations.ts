import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { GetExecutionHistoryCommand, ListExecutionsCommand } from '@aws-sdk/client-sfn'
import { eventually } from './check.ts'
import type { CheckContext } from './context.ts'

/** A location that people can read who must not see what passes through Longshore. */
export interface Location {
  readonly name: string
  readonly text: string
  /** Text that is present if the location was really read. */
  readonly marker: string
  /** What is stored here by design. */
  readonly holds?: 'scroll tokens' | 'bodies'
}

/** Waits until the log contains `lastLogged`. */
export async function locations(context: CheckContext, lastLogged: string): Promise<Location[]> {
  const { account, deployment } = context
  const items = (await account.scan(deployment.table)).map((item) => JSON.stringify(item, decoded))
  const areResponses = (item: string) => item.includes('"idempotency#')
  const state = items.filter((item) => !areResponses(item)).join('\n')
  const responses = items.filter(areResponses).join('\n')
  const logs = await eventually('the newest line is logged', async () => {
    const text = (await account.logLines('', 0)).join('\n')
    return text.includes(lastLogged) ? text : undefined
  })
  const value = { MetricName: 'Searched', Value: 1 }
  await account.cloudWatch('PutMetricData', { Namespace: 'Any', MetricData: [value] })
  const metrics = await account.cloudWatch('ListMetrics', {})
  const functions = await account.listFunctions()
  return [
    { name: 'the logs', text: logs, marker: lastLogged },
    { name: 'the metrics', text: JSON.stringify(metrics), marker: '"Searched"' },
    {
      name: 'the environment variables of the functions',
      text: JSON.stringify(functions),
      marker: 'STATE_TABLE_NAME',
    },
    { name: 'the execution histories', text: await histories(context), marker: 'By_Hand' },
    // The next worker continues with the scroll's token.
    { name: 'the state table', text: state, marker: 'entity#By_Hand', holds: 'scroll tokens' },
    // A repeated request with the same idempotency key gets the stored response.
    { name: 'the stored idempotent responses', text: responses, marker: '"fingerprint"', holds: 'bodies' },
    {
      name: 'the templates and the code',
      text: assembly(deployment.assembly),
      marker: 'AWS::Lambda::Function',
    },
  ]
}

async function histories({ sfn, deployment }: CheckContext): Promise<string> {
  const { stateMachineArn } = deployment
  const { executions = [] } = await sfn.send(new ListExecutionsCommand({ stateMachineArn, maxResults: 1000 }))
  const all = executions.map(async ({ executionArn }) => {
    const { events } = await sfn.send(new GetExecutionHistoryCommand({ executionArn, maxResults: 1000 }))
    return JSON.stringify(events)
  })
  return (await Promise.all(all)).join('\n')
}

/** Every file of the CDK's output except archives, whose contents are also in folders. */
function assembly(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && !path.endsWith('.zip'))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n')
}

/** Decodes binary attributes. */
function decoded(name: string, value: unknown): unknown {
  if (name !== 'B' || typeof value !== 'string') return value
  const bytes = Buffer.from(value, 'base64')
  try {
    return gunzipSync(bytes).toString()
  } catch {
    return bytes.toString('latin1')
  }
}
