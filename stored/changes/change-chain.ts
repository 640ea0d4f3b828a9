import { dayMs } from '../../functions/runtime/durations.ts'
import type { ChangesLatest } from './changes-latest.ts'

const maxFailures = 3

/** Whether comparisons from the tip have failed so often and for so long that the chain starts again. */
export function keepsFailing({ failures }: ChangesLatest): boolean {
  if (!failures) return false
  return failures.count >= maxFailures && Date.parse(failures.last) - Date.parse(failures.first) >= dayMs
}
