/** REST-Content-Total: right, not sent, wrong by a number, never above a number, or any text. */
export type ScrollTotal =
  | 'right'
  | 'missing'
  | { readonly offBy: number }
  | { readonly cappedAt: number }
  | { readonly value: string }

export function totalText(total: ScrollTotal, count: number): string | undefined {
  if (total === 'missing') return undefined
  if (total === 'right') return String(count)
  if ('cappedAt' in total) return String(Math.min(count, total.cappedAt))
  return 'value' in total ? total.value : String(Math.max(0, count + total.offBy))
}
