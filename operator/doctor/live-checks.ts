import { isDeepStrictEqual } from 'node:util'
import { formatDocuments } from '../../functions/runtime/format.ts'
import { parseJson } from '../../functions/runtime/json-object.ts'
import type { GlueColumn } from '../../stored/glue/table-input.ts'
import type { RunView } from '../../stored/views.ts'
import type { QueryEnd } from '../aws/athena.ts'
import type { CallResponse } from '../aws/signed-call.aws.ts'
import { type Checked, ok, problem } from './finding.ts'

/** A call of the API, and the response that it must have. */
export interface ApiCall {
  readonly path: string
  readonly isSigned: boolean
  readonly expected: string
  readonly isExpected: (status: number, members: Readonly<Record<string, unknown>>) => boolean
}

/** The name of no run, with what is encoded in a path: a space, a percent sign and a letter outside of ASCII. */
const noRun = encodeURIComponent('no run é%')

/** API Gateway refuses a call that is not signed, and our function responds to signed ones whose path is encoded. */
export function apiCalls(auth: 'iam' | 'jwt', entity: string): ApiCall[] {
  const path = `/syncs/${entity}`
  const refusal = auth === 'iam' ? 403 : 401
  const unsigned = {
    path,
    isSigned: false,
    expected: String(refusal),
    isExpected: (status: number) => status === refusal,
  }
  if (auth === 'jwt') return [unsigned]
  return [
    unsigned,
    {
      // The first letter as %XX: the same entity, in a path that a client may send too.
      path: `/syncs/%${entity.charCodeAt(0).toString(16)}${entity.slice(1)}`,
      isSigned: true,
      expected: `200 and "entity":"${entity}"`,
      isExpected: (status, members) => status === 200 && members['entity'] === entity,
    },
    {
      path: `${path}/runs/${noRun}`,
      isSigned: true,
      expected: '404 and a problem document of Longshore',
      isExpected: (status, members) => status === 404 && members['type'] !== undefined,
    },
  ]
}

const maxShown = 400

export function apiCheck(
  { path, isSigned, expected, isExpected }: ApiCall,
  { status, body }: CallResponse,
): Checked {
  const name = `GET ${path} ${isSigned ? 'with' : 'without'} a signature`
  if (isExpected(status, Object(parseJson(body))))
    return ok('api', `The API responds to ${name} with ${status}.`)
  const evidence = `The API responds to ${name} with ${`${status} ${body.slice(0, maxShown)}`.trim()}, not with ${expected}.`
  return problem('deployment', { evidence, action: 'Report this in an issue.' })
}

const tableProblem = (entity: string, evidence: string) =>
  problem('table-failed', { entity, evidence, action: 'Report this in an issue.' })

export function columnsCheck(
  entity: string,
  columns: readonly GlueColumn[],
  stored: readonly GlueColumn[] | undefined,
): Checked {
  if (!stored) return tableProblem(entity, `Glue has no typed table of ${entity}.`)
  if (isDeepStrictEqual(columns, stored))
    return ok('tables', `Glue has the ${columns.length} columns of the typed table of ${entity}.`)
  const differs = stored.filter((column, index) => !isDeepStrictEqual(column, columns[index]))
  const shown = JSON.stringify(differs).slice(0, maxShown)
  const evidence = `Glue has ${stored.length} columns of the typed table of ${entity}, which has ${columns.length}; different: ${shown}.`
  return tableProblem(entity, evidence)
}

export function countCheck(entity: string, rows: number, end: QueryEnd): Checked {
  if (end.state === 'failed')
    return tableProblem(entity, `Athena cannot read the typed table of ${entity}: ${end.reason}`)
  const [counted] = end.row
  if (counted === String(rows))
    return ok('tables', `Athena reads the ${rows} rows of the typed table of ${entity}.`)
  const evidence = `Athena reads ${counted ?? 'no'} rows of the typed table of ${entity}, which has ${rows}.`
  return tableProblem(entity, evidence)
}

type EndedRun = Pick<RunView, 'entity' | 'runId' | 'status' | 'reason' | 'documents'>

/** How the sync ended that --live has made. */
export function runCheck({ entity, runId, status, reason, documents }: EndedRun): Checked {
  if (status === 'published')
    return ok('runs', `Run ${runId} published ${formatDocuments(documents)} of ${entity}.`)
  const evidence = `Run ${runId} of ${entity} ended as ${status}${reason ? `: ${reason}` : '.'}`
  const action = 'Find the cause.'
  return status === 'refused'
    ? problem('run-refused', { entity, evidence, action, step: { kind: 'review', runId } })
    : problem('run-failed', { entity, evidence, action, step: { kind: 'logs', runId } })
}
