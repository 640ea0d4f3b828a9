import { expect, it, vi } from 'vitest'
import { createWake } from '../../../../functions/state/slots/wake.aws.ts'

it('a run that could not be woken is reported without ARNs, which the log has', async () => {
  const error = new Error('arn:aws:sts::111122223333:x may not call states:SendTaskSuccess')
  const log = vi.fn()
  const wake = createWake(log, { send: () => Promise.reject(error) } as never)
  const reason = 'Error: [redacted] may not call states:SendTaskSuccess'
  expect(await wake('token')).toEqual({ kind: 'failed', reason })
  expect(log).toHaveBeenCalledWith('WARN', 'run not woken', { reason: String(error) })
})
