import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { LocalClockMove, PublicInstance } from '../../operator/deployment/local-instance.ts'
import { localClockPath } from '../../operator/deployment/local-instance.ts'
import { pageRefusal } from '../loopback.ts'

export interface ClockPageOptions {
  /** Proves that a caller may move the clock. */
  readonly token: string
  readonly platform: PublicInstance['platform']
  readonly passTime: (ms: number) => Promise<void>
}

/** What `longshore --local clock` calls. One move at a time. */
export function createClockPage({ token, platform, passTime }: ClockPageOptions) {
  let last: Promise<void> = Promise.resolve()

  async function refusal({ method, headers }: IncomingMessage): Promise<[number, string] | undefined> {
    if (method !== 'POST') return [405, 'Use POST.']
    const refused = pageRefusal(headers)
    if (refused !== undefined || headers.authorization !== `Bearer ${token}`)
      return [403, refused ?? 'Forbidden.']
    return platform === 'real' ? [409, 'The clock of a real platform cannot be moved.'] : undefined
  }

  return {
    owns: (path: string) => path === localClockPath,
    async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
      const body = await text(request)
      const [status, message] = (await refusal(request)) ?? [200, 'Moved.']
      if (status === 200) {
        const { ms } = JSON.parse(body) as LocalClockMove
        last = last.then(() => passTime(ms))
        await last
      }
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }))
    },
  }
}
