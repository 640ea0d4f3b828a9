import { describe, expect, it } from 'vitest'
import { UsageError } from '../../../operator/errors.ts'
import { explainPort, isPortTaken, readPort } from '../../../operator/port.ts'

describe('--port', () => {
  it.each(['0', '4511', '65535'])('accepts %s', (text) => expect(readPort(text)).toBe(Number(text)))

  it.each(['65536', '-1', '1.5', '', 'x', '1x', 'x1'])('refuses %j', (text) => {
    expect(() => readPort(text)).toThrow(new UsageError(`--port: '${text}' is not a number from 0 to 65535.`))
  })

  const withCode = (code: string) => Object.assign(new Error('listen'), { code })

  it.each([
    ['EADDRINUSE', true, '--port: 80 is in use. Choose another port, or 0 for any free one.'],
    ['EACCES', false, '--port: 80 needs more privileges. Choose a port above 1023.'],
  ])('is explained after %s', (code, isTaken, message) => {
    const error = withCode(code)
    expect(explainPort(80, error)).toEqual(new UsageError(message, { cause: error }))
    expect(isPortTaken(error)).toBe(isTaken)
  })

  it.each([withCode('EINVAL'), new Error('other'), 'text'])('leaves other errors as they are', (error) => {
    expect(explainPort(80, error)).toBe(error)
    expect(isPortTaken(error)).toBe(false)
  })
})
