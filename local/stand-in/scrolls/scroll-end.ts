import { jsonBytes } from '../platform-response.ts'

/** How a scroll ends on platforms that forget a finished one: its status and body. */
const finished = {
  null: [200, 'null'],
  refused: [400, '{"Message":"Operation not found"}'],
  'not-found': [404, '{"Message":"Not found"}'],
  gone: [410, ''],
  object: [200, '{}'],
  text: [200, '""'],
  'no-range': [416, ''],
} as const
const endForms = {
  empty: [200, ''],
  brackets: [200, '[]'],
  'white-space': [200, ' \r\n\t '],
  'no-content': [204, ''],
  ...finished,
} as const

export type EndForm = keyof typeof endForms

/** A response without documents. A scroll that begins with one has not finished before. */
export function scrollEnd(form: EndForm, headers: Record<string, string>, isFirst: boolean) {
  const [status, body] = endForms[isFirst && form in finished ? 'empty' : form]
  return { ...jsonBytes(Buffer.from(body), headers), status }
}
