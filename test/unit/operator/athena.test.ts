import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { expect, it, onTestFinished, vi } from 'vitest'
import { awsEnvironment } from '../../../local/embedded/environment.ts'
import { listen } from '../../../local/embedded/listen.ts'
import { openAthena } from '../../../operator/aws/athena.ts'
import { Interrupted } from '../../../operator/errors.ts'

const succeeded = { QueryExecution: { Status: { State: 'SUCCEEDED' } } }
const running = { QueryExecution: { Status: { State: 'RUNNING' } } }
const failed = { QueryExecution: { Status: { State: 'FAILED', StateChangeReason: 'a type' } } }
const rows = {
  ResultSet: { Rows: [{ Data: [{ VarCharValue: '_col0' }] }, { Data: [{ VarCharValue: '12' }, {}] }] },
}

/** Athena, which gives the answers to GetQueryExecution in this order, and the actions that were called. */
async function startAthena(answers: object[], refusal?: number) {
  const called: [action: string, parameters: object, authorization: string][] = []
  const server = await listen(
    createServer((request, response) => {
      void json(request).then((parameters) => respond(request, response, parameters as object))
    }),
  )
  function respond({ headers }: IncomingMessage, response: ServerResponse, parameters: object) {
    const action = String(headers['x-amz-target']).replace('AmazonAthena.', '')
    called.push([action, parameters, headers.authorization ?? ''])
    const answer = action === 'GetQueryExecution' ? answers.shift() : action === 'GetQueryResults' ? rows : {}
    response.writeHead(refusal ?? 200)
    response.end(JSON.stringify(action === 'StartQueryExecution' ? { QueryExecutionId: 'q' } : answer))
  }
  const variables = { ...awsEnvironment({}), AWS_ENDPOINT_URL_ATHENA: server.endpoint }
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await server.close()
  })
  const end = new AbortController()
  const ask = openAthena(
    { address: 's3://b/results/', partition: 'aws' },
    { signal: end.signal, pause: async () => void (answers.length === 0 && end.abort()) },
  )
  return { ask, called }
}

it('waits until a query has ended, and returns its first row', async () => {
  const { ask, called } = await startAthena([running, succeeded])
  expect(await ask('SELECT 1')).toEqual({ state: 'succeeded', row: ['12', 'null'] })
  expect(called.map(([action]) => action)).toEqual([
    'StartQueryExecution',
    'GetQueryExecution',
    'GetQueryExecution',
    'GetQueryResults',
  ])
  const [[, parameters, authorization] = []] = called
  expect(parameters).toEqual({
    QueryString: 'SELECT 1',
    ResultConfiguration: { OutputLocation: 's3://b/results/' },
  })
  expect(authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=.*\/athena\/aws4_request, SignedHeaders=.*host/)
})

it('returns why a query failed', async () => {
  const { ask } = await startAthena([failed])
  expect(await ask('SELECT x')).toEqual({ state: 'failed', reason: 'a type' })
})

it('stops a query that is running when it is interrupted, so that it writes no results', async () => {
  const { ask, called } = await startAthena([running])
  await expect(ask('SELECT 1')).rejects.toThrow(Interrupted)
  expect(called.at(-1)?.slice(0, 2)).toEqual(['StopQueryExecution', { QueryExecutionId: 'q' }])
})

it('reports what Athena refuses', async () => {
  const { ask } = await startAthena([], 400)
  await expect(ask('SELECT 1')).rejects.toThrow("Athena's StartQueryExecution responded with 400: ")
})
