/** The input of an execution. A rule of EventBridge sends the whole event around it, as its detail. */
export function detailOf(input: unknown): unknown {
  const isEvent = typeof input === 'object' && input !== null && 'detail-type' in input && 'detail' in input
  return isEvent ? input.detail : input
}
