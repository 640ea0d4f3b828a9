import { CommandError, Interrupted } from '../errors.ts'
import type { Waiting } from '../waiting.ts'
import { awsClients } from './clients.aws.ts'
import { callSigned } from './signed-call.aws.ts'

export type QueryEnd =
  /** The first row, as text. */
  | { readonly state: 'succeeded'; readonly row: readonly string[] }
  | { readonly state: 'failed'; readonly reason: string }

const pollMs = 500

/**
 * Runs queries in Athena's primary workgroup. Its API needs three calls (Athena API reference, "StartQueryExecution"), so
 * that they are signed here: the client of the SDK would add a megabyte to every installation. Throws `Interrupted`.
 */
export function openAthena(
  output: { readonly address: string; readonly partition: string },
  waiting: Waiting,
): (query: string) => Promise<QueryEnd> {
  async function call<T>(action: string, parameters: object): Promise<T> {
    const { status, body } = await callSigned({
      method: 'POST',
      url: new URL(await endpoint(output.partition)),
      headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `AmazonAthena.${action}` },
      body: JSON.stringify(parameters),
      service: 'athena',
    })
    if (status !== 200) throw new CommandError(`Athena's ${action} responded with ${status}: ${body}`)
    return JSON.parse(body)
  }

  return async (query) => {
    const { QueryExecutionId } = await call<{ QueryExecutionId: string }>('StartQueryExecution', {
      QueryString: query,
      ResultConfiguration: { OutputLocation: output.address },
    })
    for (;;) {
      const { QueryExecution } = await call<Execution>('GetQueryExecution', { QueryExecutionId })
      const { State, StateChangeReason = '' } = QueryExecution.Status
      if (State === 'SUCCEEDED') break
      if (State === 'FAILED' || State === 'CANCELLED') return { state: 'failed', reason: StateChangeReason }
      await waiting.pause(pollMs, waiting.signal)
      if (!waiting.signal.aborted) continue
      await call('StopQueryExecution', { QueryExecutionId })
      throw new Interrupted('Interrupted. The query in Athena was stopped.')
    }
    const { ResultSet } = await call<Results>('GetQueryResults', { QueryExecutionId })
    // The first row has the names of the columns.
    const [, row] = ResultSet.Rows
    return { state: 'succeeded', row: (row?.Data ?? []).map(({ VarCharValue = 'null' }) => VarCharValue) }
  }
}

interface Execution {
  readonly QueryExecution: {
    readonly Status: { readonly State: string; readonly StateChangeReason?: string }
  }
}

interface Results {
  readonly ResultSet: {
    readonly Rows: readonly { readonly Data: readonly { readonly VarCharValue?: string }[] }[]
  }
}

async function endpoint(partition: string): Promise<string> {
  const region = await awsClients.identity().config.region()
  const suffix = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com'
  const { AWS_ENDPOINT_URL_ATHENA: own, AWS_ENDPOINT_URL: all } = process.env
  return own ?? all ?? `https://athena.${region}.${suffix}`
}
