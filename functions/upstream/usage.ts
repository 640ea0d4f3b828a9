import type { MetricValues } from '../runtime/metrics.ts'
import { CredentialsError } from './exchange.ts'

/** What requests to the platform took and how they ended, for the sender's log line and metrics. */
export interface UpstreamUsage {
  /** Time spent waiting for the credentials. */
  secretMs: number
  /** One value for each exchange. */
  readonly exchangesMs: number[]
  /** For each exchange: 1 for 5xx or no complete response, else 0. */
  readonly faults: number[]
  /** How often the credentials were rejected, or could not be used. */
  credentialsRejected: number
}

export function newUsage(): UpstreamUsage {
  return { secretMs: 0, exchangesMs: [], faults: [], credentialsRejected: 0 }
}

/** Counts an exchange by its status, or as a failure without one. */
export function countExchange(usage: UpstreamUsage, startedAt: number, status?: number): void {
  usage.exchangesMs.push(Date.now() - startedAt)
  usage.faults.push(status === undefined || status >= 500 ? 1 : 0)
}

/** Counts credentials that cannot be used. */
export function countCredentials(usage: UpstreamUsage, error: unknown): void {
  if (error instanceof CredentialsError) usage.credentialsRejected++
}

/** The usage of one proxied call as metrics. */
export const usageMetrics = ({ faults, credentialsRejected }: UpstreamUsage): MetricValues => ({
  ...(faults.length > 0 && { UpstreamFault: faults }),
  ...(credentialsRejected > 0 && { CredentialsRejected: credentialsRejected }),
})
