import { text } from 'node:stream/consumers'
import { SignatureV4 } from '@smithy/signature-v4'
import { awsClients } from './clients.aws.ts'

export interface SignedCall {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The service that the call is signed for; undefined without a signature. */
  readonly service: string | undefined
}

export interface CallResponse {
  readonly status: number
  readonly body: string
}

/** One call, with the SDK's own signature, time limits and proxy. A signed path is sent as it is encoded in the URL. */
export async function callSigned({ method, url, headers, body, service }: SignedCall): Promise<CallResponse> {
  const { credentials, region, sha256, requestHandler } = awsClients.identity().config
  const request = {
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    ...(url.port !== '' && { port: Number(url.port) }),
    path: url.pathname,
    query: {},
    headers: { host: url.host, ...headers },
    body,
  }
  const signer = service === undefined ? undefined : new SignatureV4({ service, region, credentials, sha256 })
  const { response } = await requestHandler.handle((await (signer?.sign(request) ?? request)) as never)
  return { status: response.statusCode, body: await text(response.body) }
}
