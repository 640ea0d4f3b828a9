import { ProblemError, problemResult } from '../../../../functions/http/result.ts'
import { endpointsWith } from '../../../../functions/platform/configured-endpoints.ts'
import { type Endpoint, endpoints } from '../../../../functions/platform/endpoints.ts'
import { configured } from '../../../endpoints.ts'

const all = [...endpoints, ...endpointsWith(configured)]

export function endpoint(name: string): Endpoint {
  const found = all.find((entry) => entry.name === name)
  if (!found) throw new Error(`no endpoint ${name}`)
  return found
}

/** The problem that a rule refuses with, or what it returns if it does not refuse. */
export function refusal(rule: () => unknown): { status: number; detail: string } & Record<string, unknown> {
  try {
    return { status: 0, detail: `not refused: ${String(rule())}` }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return JSON.parse(problemResult(error.problem, error.message, error.extensions).body)
  }
}
