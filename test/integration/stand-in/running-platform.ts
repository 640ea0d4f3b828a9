import http from 'node:http'
import { afterEach } from 'vitest'
import { makeDocuments } from '../../../local/stand-in/documents.ts'
import type { Platform, PlatformOptions } from '../../../local/stand-in/platform.ts'
import { localCredentials, startPlatform } from '../../../local/stand-in/platform.ts'

const keys = { 'x-svc-api-appkey': localCredentials.appKey, 'x-svc-api-apptoken': localCredentials.appToken }

export interface Got {
  status: number
  headers: http.IncomingHttpHeaders
  body: Buffer
  /** The response was shorter than its Content-Length. */
  isCut: boolean
}

interface Call {
  method?: string
  headers?: Record<string, string>
  body?: string
  signal?: AbortSignal
}

export const documents = makeDocuments(25, { bytes: 320 })
export const tokenOf = (got: Got) => got.headers['x-svc-md-token'] as string
export const numbers = (got: Got) =>
  (JSON.parse(String(got.body)) as { number: number }[]).map(({ number }) => number)
export const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index)

/** A stand-in that each test of a file starts with options of its own, and calls to it. */
export function useStandIn() {
  let platform: Platform
  afterEach(() => platform.close())

  function call(path: string, { method = 'GET', headers = {}, body, signal }: Call = {}): Promise<Got> {
    return new Promise((done, fail) => {
      const options = {
        method,
        headers: { ...keys, ...headers },
        agent: false as const,
        ...(signal && { signal }),
      }
      const request = http.request(platform.url + path, options, (response) => {
        const chunks: Buffer[] = []
        const finish = (isCut: boolean) =>
          done({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
            isCut,
          })
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => finish(false))
        response.on('error', (error) => (signal?.aborted ? fail(error) : finish(true)))
      })
      request.on('error', fail)
      request.end(body)
    })
  }
  const first = (size = 10, more = '') => call(`/api/dataentities/CL/scroll?_size=${size}${more}`)
  const next = (token: unknown) =>
    call(`/api/dataentities/CL/scroll?_token=${encodeURIComponent(String(token))}`)

  /** Scrolls to the end with the newest token and returns each page. */
  async function scrollAll(size = 10): Promise<Got[]> {
    const pages = [await first(size)]
    let token = tokenOf(pages[0] as Got)
    for (;;) {
      const got = await next(token)
      token = tokenOf(got) ?? token
      if (got.status === 204 || ['', '[]'].includes(String(got.body).trim())) return pages
      pages.push(got)
    }
  }

  return {
    get platform() {
      return platform
    },
    start: async (options: PlatformOptions = {}) => {
      platform = await startPlatform({ documents: { CL: documents }, ...options })
    },
    call,
    /** The first page of a scroll of CL. */
    first,
    /** The page of CL for a token. */
    next,
    scrollAll,
  }
}
