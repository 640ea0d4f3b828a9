/** The command line is invalid. The message says how to correct it. */
export class ArgumentsError extends Error {
  override readonly name = 'ArgumentsError'
}
