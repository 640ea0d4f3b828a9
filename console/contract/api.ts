/** The JSON API between the console's server and its pages. Times are ISO 8601 in UTC unless a name ends with `Ms`. */

export const apiPrefix = '/console/api'

/** What is the same on every page. */
export interface AboutResponse {
  readonly name: string
  /** Where this server serves the API reference page; null if it does not. */
  readonly referencePath: string | null
  /** Null while a server responds. */
  readonly exportedAt: string | null
  /** A command line for this deployment, with ARGS in place of the command and its arguments; null in an export. */
  readonly commandLine: string | null
}

export interface StartedResponse {
  readonly runId: string
}

/** The body of every response with a status of 400 and above. */
export interface ErrorResponse {
  readonly message: string
  readonly fix?: string
}

/** The responses of an export by path. It is a global variable of the exported page. */
export type ExportedResponses = Readonly<Record<string, unknown>>

export const exportVariable = 'longshoreExport'
