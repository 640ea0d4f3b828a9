import { primitive } from '../../functions/runtime/settings-schema/schema-parts.ts'

/** What CloudWatch Logs accepts (API reference, PutRetentionPolicy). */
const retentionDays: readonly number[] = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
]

const expected = 'a number of days that CloudWatch Logs offers, such as 30'

export const retentionSchema = primitive<number>('number', expected, (days) => {
  if (retentionDays.includes(days)) return undefined
  const below = retentionDays.findLast((offered) => offered < days)
  const above = retentionDays.find((offered) => offered > days)
  const nearest = [below, above].filter((offered) => offered !== undefined)
  if (nearest.length === 0) return `${days} is not ${expected}`
  const are = nearest.length === 1 ? 'is' : 'are'
  return `${days} is not a number of days that CloudWatch Logs offers; the nearest ${are} ${nearest.join(' and ')}`
})
