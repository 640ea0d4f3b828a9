import { createHash } from 'node:crypto'

export const document = (id: number, value: unknown = 0) => `{"id":"${id}","v":${JSON.stringify(value)}}`
export const documents = (count: number, value: unknown = 0) =>
  Array.from({ length: count }, (_, id) => document(id, value))
export const idSum = (...ids: string[]) =>
  (
    ids.reduce(
      (sum, id) =>
        sum + BigInt(`0x${createHash('sha256').update(JSON.stringify(id)).digest('hex').slice(0, 32)}`),
      0n,
    ) %
    (1n << 128n)
  )
    .toString(16)
    .padStart(32, '0')
