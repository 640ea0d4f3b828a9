import { setTimeout as wait } from 'node:timers/promises'
import { output } from '../output.ts'

type Method = 'GET' | 'PATCH' | 'POST'
export type RequestLine = `${Method} /${string}`

export interface ApiResponse {
  readonly status: number
  readonly text: string
}

/** Sends one request through the API, prints it and returns the JSON of the response. Throws if it fails. */
export async function sendRequest<T>(apiUrl: string, line: RequestLine, body?: object): Promise<T> {
  const { status, text } = await exchange(apiUrl, line, body)
  if (status >= 400) throw failure(line, status)
  return JSON.parse(text) as T
}

/** Sends one request through the API, prints it and returns the response, whatever its status. */
export async function exchange(apiUrl: string, line: RequestLine, json?: object): Promise<ApiResponse> {
  const body = json && JSON.stringify(json)
  output.request(body ? `${line}  ${body}` : line)
  const [method = '', path = ''] = line.split(' ')
  const response = await fetch(apiUrl + path, {
    method,
    ...(body && { body, headers: { 'Content-Type': 'application/json' } }),
  })
  const text = await response.text()
  output.respond(response.status, text)
  return { status: response.status, text }
}

export const failure = (line: RequestLine, status: number) => new Error(`${line} returned ${status}.`)

/** Reads JSON without printing it. */
export const readJson = async <T>(url: string): Promise<T> => (await (await fetch(url)).json()) as T

/** Polls until it is true. */
export async function eventually(
  isTrue: () => Promise<boolean>,
  what: 'comparison' | 'table' = 'comparison',
): Promise<void> {
  const deadline = Date.now() + 20_000
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`The ${what} did not end within 20 seconds.`)
    await wait(100)
  }
}
