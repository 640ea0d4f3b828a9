/** The input of an execution. An EventBridge rule sends a whole event, whose detail is this input. */
export function detailOf(input: unknown): unknown {
  const isEvent = typeof input === 'object' && input !== null && 'detail-type' in input && 'detail' in input
  return isEvent ? input.detail : input
}
