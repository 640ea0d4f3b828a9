/** Whether the code is wrong. Other errors are thrown by design, such as for an entity that is not configured. */
export const isBug = (error: unknown): error is Error =>
  error instanceof TypeError ||
  error instanceof RangeError ||
  error instanceof SyntaxError ||
  error instanceof ReferenceError
