/** The JSON API between the console's server and its pages. Times are ISO 8601 in UTC unless a name ends with `Ms`. */

export const apiPrefix = '/console/api'

/** What is the same on every page. */
export interface AboutResponse {
  readonly name: string
  /** Where this server serves the API reference page; null if it does not. */
  readonly referencePath: string | null
  /** A command line for this deployment, with ARGS in place of the command and its arguments. */
  readonly commandLine: string
}

export interface StartedResponse {
  readonly runId: string
}

/** What an action would do, before a person confirms it. */
export interface PreviewResponse {
  readonly text: string
}

/** What an action found or did, in lines. */
export interface ResultResponse {
  readonly lines: readonly string[]
}

/** The body of every response with a status of 400 and above. */
export interface ErrorResponse {
  readonly message: string
  readonly fix?: string
}
