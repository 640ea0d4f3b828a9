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

/** The options of a pause. An empty text is the same as none. */
export interface PauseRequest {
  readonly reason: string
  /** `8h`, `2d` or a time in ISO 8601 with a zone. */
  readonly until: string
}

/** What an action would do, before a person confirms it. */
export interface PreviewResponse {
  readonly text: string
}

/** What an action found or did, in lines. */
export interface ResultResponse {
  readonly lines: readonly string[]
}

export interface VerifyRequest {
  /** Restores intact versions of damaged and missing objects. */
  readonly repair: boolean
}

/** The name of the entity as a person entered it, who thereby confirms that its data is deleted. */
export interface PurgeRequest {
  readonly name: string
}

/** The body of every response with a status of 400 and above. */
export interface ErrorResponse {
  readonly message: string
  readonly fix?: string
}
