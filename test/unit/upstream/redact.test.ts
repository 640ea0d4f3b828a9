import { expect, it } from 'vitest'
import { redact } from '../../../functions/upstream/redact.ts'

it.each([
  ['the key kx/9"\\ is wrong', 'the key [concealed] is wrong'],
  [JSON.stringify({ key: 'kx/9"\\' }), '{"key":"[concealed]"}'],
  [`?token=${encodeURIComponent('kx/9"\\')}`, '?token=[concealed]'],
  ['kx/9"\\ and kx/9"\\, second', '[concealed] and [concealed], [concealed]'],
  ['nothing', 'nothing'],
])('takes secrets out of %j', (text, expected) => {
  expect(redact(text, ['kx/9"\\', 'second'])).toBe(expected)
})
