import { Duration } from 'aws-cdk-lib'
import type { ComparisonOperator, IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import type { ApiStack } from '../api-stack.ts'
import type { Configuration } from '../config.ts'
import type { ServiceFunction } from '../constructs/service-function.ts'
import type { StorageStack } from '../storage-stack.ts'
import type { SyncStack } from '../sync-stack.ts'

/** The parts of the dashboard, from top to bottom. */
export type RunbookSection = 'snapshots' | 'api' | 'platform'

export interface AlarmDefinition {
  /** The heading of its section in docs/runbook.md. */
  readonly name: string
  /** The function or the kind of capacity, for alarms of which there are several. */
  readonly of?: string
  readonly metric: IMetric
  /** 1 if absent. */
  readonly threshold?: number
  /** Why the threshold has this value. */
  readonly reason: string
  /** What happened, for the reader of the email. */
  readonly summary: string
  /** Greater than or equal if absent. */
  readonly comparison?: ComparisonOperator
  /** How many of the last periods must breach the threshold; 1 of 1 if absent. */
  readonly periods?: readonly [breaching: number, of: number]
  /** What missing data means; not breaching if absent, since most metrics have data only when something happens. */
  readonly missing?: TreatMissingData
}

/** What the alarms and the dashboard watch. */
export interface Monitored {
  readonly configuration: Configuration
  readonly storage: StorageStack
  readonly api: ApiStack
  readonly sync: SyncStack
  readonly freshness: ServiceFunction
}

export const fiveMinutes = Duration.minutes(5)

export function functionsOf({ api, sync, freshness }: Monitored): readonly ServiceFunction[] {
  return [...api.functions, sync.publisher, sync.worker, sync.compare, sync.tables, freshness]
}

export const thresholdOf = ({ threshold = 1 }: AlarmDefinition): number => threshold

/** `FunctionErrors-Proxy`. */
export function alarmId({ name, of }: AlarmDefinition): string {
  const id = name.replaceAll(/ (\w)/g, (_, letter: string) => letter.toUpperCase())
  return of === undefined ? id : `${id}-${of}`
}

export function alarmDescription(alarm: AlarmDefinition): string {
  const { name, summary, reason } = alarm
  // The anchor that Markdown renderers make of the heading.
  const anchor = name.toLowerCase().replaceAll(' ', '-')
  return `${summary} What to do: docs/runbook.md#${anchor}. Threshold: ${thresholdOf(alarm)}. ${reason}`
}
