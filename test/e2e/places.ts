import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { GetExecutionHistoryCommand, ListExecutionsCommand } from '@aws-sdk/client-sfn'
import { eventually } from './check.ts'
import type { World } from './world.ts'

/** Somewhere that people look who may not know what passes through Longshore. */
export interface Place {
  readonly name: string
  readonly text: string
  /** What its text contains if it was really read. */
  readonly surely: string
  /** What belongs here all the same. */
  readonly holds?: 'scroll tokens' | 'bodies'
}

/** `lastLogged` is in the newest line that must be found. */
export async function places(world: World, lastLogged: string): Promise<Place[]> {
  const { account, deployment } = world
  const items = (await account.scan(deployment.table)).map((item) => JSON.stringify(item, decoded))
  const areAnswers = (item: string) => item.includes('"idempotency#')
  const state = items.filter((item) => !areAnswers(item)).join('\n')
  const answers = items.filter(areAnswers).join('\n')
  const logs = await eventually('the newest line is logged', async () => {
    const text = (await account.logLines('', 0)).join('\n')
    return text.includes(lastLogged) ? text : undefined
  })
  const value = { MetricName: 'Searched', Value: 1 }
  await account.cloudWatch('PutMetricData', { Namespace: 'Any', MetricData: [value] })
  const metrics = await account.cloudWatch('ListMetrics', {})
  const functions = await account.listFunctions()
  return [
    { name: 'the logs', text: logs, surely: lastLogged },
    { name: 'the metrics', text: JSON.stringify(metrics), surely: '"Searched"' },
    { name: 'the functions’ settings', text: JSON.stringify(functions), surely: 'STATE_TABLE_NAME' },
    { name: 'the histories of the state machine', text: await histories(world), surely: 'By_Hand' },
    // By design: the worker that takes over must know where the scroll stands.
    { name: 'the state', text: state, surely: 'entity#By_Hand', holds: 'scroll tokens' },
    // Who repeats a request with its key is given the first answer.
    { name: 'the kept answers', text: answers, surely: '"fingerprint"', holds: 'bodies' },
    {
      name: 'the templates and the code',
      text: assembly(deployment.assembly),
      surely: 'AWS::Lambda::Function',
    },
  ]
}

async function histories({ sfn, deployment }: World): Promise<string> {
  const { stateMachineArn } = deployment
  const { executions = [] } = await sfn.send(new ListExecutionsCommand({ stateMachineArn, maxResults: 1000 }))
  const all = executions.map(async ({ executionArn }) => {
    const { events } = await sfn.send(new GetExecutionHistoryCommand({ executionArn, maxResults: 1000 }))
    return JSON.stringify(events)
  })
  return (await Promise.all(all)).join('\n')
}

/** Every file of the CDK's output but archives, which hold the same as the folders beside them. */
function assembly(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && !path.endsWith('.zip'))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n')
}

/** Binary attributes as what they hold. */
function decoded(name: string, value: unknown): unknown {
  if (name !== 'B' || typeof value !== 'string') return value
  const bytes = Buffer.from(value, 'base64')
  try {
    return gunzipSync(bytes).toString()
  } catch {
    return bytes.toString('latin1')
  }
}
