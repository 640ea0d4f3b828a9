import { expect, it } from 'vitest'
import { createWake } from '../../../../stored/slots/wake.aws.ts'

it('a run that could not be woken is reported without ARNs, which the log has', async () => {
  const client = { send: () => Promise.reject(new Error('arn:aws:sts::1:x may not.')) } as never
  const lines: unknown[][] = []
  const wake = createWake((...line) => void lines.push(line), client)
  expect(await wake('token')).toEqual({ kind: 'failed', reason: '[redacted] may not.' })
  expect(lines).toEqual([['WARN', 'run not woken', { reason: 'Error: arn:aws:sts::1:x may not.' }]])
})
