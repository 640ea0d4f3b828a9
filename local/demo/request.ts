import { setTimeout as wait } from 'node:timers/promises'
import { output } from '../output.ts'

type Method = 'GET' | 'PATCH' | 'POST'

/** Sends one request through the API and prints it. Throws if it fails. */
export async function send(apiUrl: string, line: `${Method} /${string}`, body?: string): Promise<string> {
  output.request(body ? `${line}  ${body}` : line)
  const [method = '', path = ''] = line.split(' ')
  const response = await fetch(apiUrl + path, {
    method,
    ...(body && { body, headers: { 'Content-Type': 'application/json' } }),
  })
  const text = await response.text()
  output.answer(response.status, text)
  if (!response.ok) throw new Error(`${line} was answered with ${response.status}.`)
  return text
}

/** Polls until it is true. */
export async function eventually(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error('The comparison did not end within 20 seconds.')
    await wait(100)
  }
}
