import { type LambdaResult, ProblemError } from '../../../../functions/http/result.ts'
import { deliver } from '../../../../functions/proxy/response/delivery.ts'
import { endpoint } from '../request/refusal.ts'

interface Given {
  readonly body?: string | Buffer
  readonly encoding?: string | undefined
  readonly accept?: string | undefined
  readonly name?: string
}

export const delivered = ({ body = '{}', encoding, accept, name = 'read-dock' }: Given) =>
  deliver(
    {
      statusCode: 200,
      headers: encoding === undefined ? {} : { 'content-encoding': encoding },
      body: Buffer.from(body),
    },
    { acceptEncoding: accept, endpoint: endpoint(name) },
  )

export const refused = (given: Given) =>
  delivered(given).then(
    () => 'delivered',
    (error: unknown) => (error instanceof ProblemError ? JSON.parse(error.response().body) : String(error)),
  )

export const bytes = ({ body = '', isBase64Encoded }: LambdaResult) =>
  Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8')
