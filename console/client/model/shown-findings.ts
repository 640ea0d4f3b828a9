import type { FindingRow, HealthResponse } from '../../contract/health.ts'

/** The response to the button, until a later one arrives by itself. */
export function newer(
  one: HealthResponse | undefined,
  other: HealthResponse | undefined,
): HealthResponse | undefined {
  if (!one || !other) return one ?? other
  return one.checkedAt > other.checkedAt ? one : other
}

/** Why nothing new is shown: the button failed, or no response has arrived yet. */
export function shownError<T>(
  { failure, error }: { readonly failure: T | undefined; readonly error: T | undefined },
  response: HealthResponse | undefined,
): T | undefined {
  return failure ?? (response ? undefined : error)
}

const order: readonly FindingRow['level'][] = ['problem', 'unknown', 'note', 'ok']

/** Problems first. What is found of entities is left out: the overview shows it as it is now. */
export function sortedFindings(findings: readonly FindingRow[]): FindingRow[] {
  const shown = findings.filter(({ about }) => about !== 'entities')
  return shown.toSorted((one, other) => order.indexOf(one.level) - order.indexOf(other.level))
}

/** Alarms that are firing are listed; null is nothing known. */
export function alarmsText(alarms: HealthResponse['alarms']): string {
  return alarms?.length === 0 ? 'No alarm is firing.' : ''
}
