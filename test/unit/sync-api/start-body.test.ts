import { describe, expect, it } from 'vitest'
import { ProblemError } from '../../../functions/http/result.ts'
import { readStartBody } from '../../../functions/sync-api/request-bodies.ts'

const read = (text: string) => readStartBody(Buffer.from(text))

function refusalOf(text: string): ProblemError {
  try {
    read(text)
  } catch (error) {
    if (error instanceof ProblemError) return error
    throw error
  }
  throw new Error('The body was accepted.')
}

describe('the body of a start', () => {
  it.each([
    ['', { kind: 'full', acceptShrink: false, acceptDeletes: false }],
    [' \n', { kind: 'full', acceptShrink: false, acceptDeletes: false }],
    ['null', { kind: 'full', acceptShrink: false, acceptDeletes: false }],
    ['{}', { kind: 'full', acceptShrink: false, acceptDeletes: false }],
    ['{"acceptShrink": false}', { kind: 'full', acceptShrink: false, acceptDeletes: false }],
    ['{"acceptShrink": true}', { kind: 'full', acceptShrink: true, acceptDeletes: false }],
    ['{"acceptDeletes": true}', { kind: 'full', acceptShrink: false, acceptDeletes: true }],
    ['{"increment": true}', { kind: 'increment' }],
    ['{"increment": false}', { kind: 'full', acceptShrink: false, acceptDeletes: false }],
  ])('%j accepts %o', (text, options) => expect(read(text)).toEqual(options))

  const rest = 'Send no body, or any of {"acceptShrink": true, "acceptDeletes": true, "increment": true}.'

  it.each([
    ['{"acceptShrink": 1}', '/acceptShrink', 'true or false'],
    ['{"a/b~c/d~": true}', '/a~1b~0c~1d~0', 'acceptShrink or acceptDeletes or increment'],
    [`{"${'n'.repeat(101)}": true}`, `/${'n'.repeat(100)}`, 'acceptShrink or acceptDeletes or increment'],
  ])('%s is refused, with a JSON pointer', (text, pointer, expected) => {
    const { problem, message, extensions } = refusalOf(text)
    expect(problem).toBe('invalid-request')
    expect(message).toBe(`The body is invalid: ${pointer} must be ${expected}. ${rest}`)
    expect(extensions).toEqual({ pointer, errors: [{ pointer, expected }] })
  })

  it.each(['[]', '1', 'x', '{'])('%s is refused, since it is not an object', (text) => {
    const { message, extensions } = refusalOf(text)
    expect(message).toBe(`The body is invalid: the body must be a JSON object. ${rest}`)
    expect(extensions).toEqual({ pointer: '', errors: [{ pointer: '', expected: 'a JSON object' }] })
  })

  it('is refused with all errors at once, but at most 20', () => {
    const { message, extensions } = refusalOf('{"acceptDeletes": 1, "other": true, "acceptShrink": true}')
    expect(message).toContain(
      '/acceptDeletes must be true or false; /other must be acceptShrink or acceptDeletes or increment.',
    )
    expect(extensions).toMatchObject({ pointer: '/acceptDeletes', errors: { length: 2 } })
    const many = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`n${index}`, true]))
    expect(refusalOf(JSON.stringify(many)).extensions['errors']).toHaveLength(20)
  })
})
