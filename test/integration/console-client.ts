import { request } from 'node:http'
import { text } from 'node:stream/consumers'

export interface ConsoleResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** Calls the console as a browser would. `fetch` would not send these headers. */
export function consoleClient(url: string) {
  const { origin, host, search } = new URL(url)
  let cookie = ''

  async function send(
    method: string,
    path: string,
    { headers = {}, body }: { headers?: Record<string, string>; body?: string } = {},
  ): Promise<ConsoleResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<ConsoleResponse>()
    const sent = request(`${origin}${path}`, { method, headers: { host, ...headers } }, (response) => {
      text(response).then(
        (received) =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: received }),
        reject,
      )
    })
    sent.on('error', reject)
    sent.end(body)
    return promise
  }

  return {
    send,

    /** Exchanges the token of the URL for the cookie. */
    async signIn(): Promise<ConsoleResponse> {
      const result = await send('GET', `/${search}`)
      cookie = String(result.headers['set-cookie'] ?? '').split(';')[0] ?? ''
      return result
    },

    async get<T>(path: string): Promise<T> {
      return JSON.parse((await this.open(`/console/api${path}`)).body) as T
    },

    open: (path: string) => send('GET', path, { headers: { cookie } }),

    async post(path: string, body: unknown = {}): Promise<{ status: number; body: Record<string, unknown> }> {
      const headers = { cookie, origin, 'content-type': 'application/json' }
      const result = await send('POST', `/console/api${path}`, { headers, body: JSON.stringify(body) })
      return { status: result.status, body: JSON.parse(result.body) as Record<string, unknown> }
    },
  }
}
