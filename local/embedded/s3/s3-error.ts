/** The status of each error code of the S3 API reference, "Error responses", that is used here. */
const statuses = {
  BadDigest: 400,
  IncompleteBody: 400,
  InvalidArgument: 400,
  InvalidRequest: 400,
  MalformedXML: 400,
  XAmzContentSHA256Mismatch: 400,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NoSuchVersion: 404,
  MethodNotAllowed: 405,
  MissingContentLength: 411,
  PreconditionFailed: 412,
  InvalidRange: 416,
  NotImplemented: 501,
} as const

export class S3Error extends Error {
  readonly code: keyof typeof statuses
  readonly headers: Readonly<Record<string, string>>

  constructor(code: keyof typeof statuses, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.code = code
    this.headers = headers
  }

  get status(): number {
    return statuses[this.code]
  }
}

export const noSuchKey = (headers?: Readonly<Record<string, string>>) =>
  new S3Error('NoSuchKey', 'The specified key does not exist.', headers)
