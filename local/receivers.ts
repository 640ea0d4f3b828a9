import { AddressError, parseAddress } from '../functions/runtime/receiver-address.ts'
import { type AlertType, alertTypes } from '../functions/runtime/settings.ts'
import type { Configuration } from '../lib/config.ts'
import { UsageError } from '../operator/errors.ts'

/**
 * Where problems are reported. The alerts of the configuration name secrets of an account, which nothing on this machine
 * reads: their addresses are in variables.
 */
export interface LocalReceiver {
  readonly type: AlertType
  readonly address: string
}

/** Throws `UsageError`. */
export const readReceivers = (variables: NodeJS.ProcessEnv): LocalReceiver[] =>
  alertTypes.flatMap((type) => readReceiver(type, variables))

function readReceiver(type: AlertType, variables: NodeJS.ProcessEnv): LocalReceiver[] {
  const name = `LONGSHORE_ALERT_${type.toUpperCase()}`
  const value = variables[name]
  if (!value) return []
  try {
    return [{ type, address: parseAddress(value).href }]
  } catch (error) {
    if (!(error instanceof AddressError)) throw error
    throw new UsageError(`${name}: ${error.message}`, { cause: error })
  }
}

const secretOf = (type: AlertType) => `longshore-alert-${type}`

/** The values of secrets, by their names. */
export const alertSecrets = (receivers: readonly LocalReceiver[]): Record<string, string> =>
  Object.fromEntries(receivers.map(({ type, address }) => [secretOf(type), address]))

/** Of the configuration, only whether a receiver of this type wants notes. */
export const localAlerts = (
  receivers: readonly LocalReceiver[],
  { alerts }: Pick<Configuration, 'alerts'>,
): Configuration['alerts'] =>
  receivers.map(({ type }) => ({
    type,
    url: secretOf(type),
    notes: alerts.some((alert) => alert.type === type && alert.notes),
  }))
