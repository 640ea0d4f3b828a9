import { describe, expect, it } from 'vitest'
import { type BodyKind, bodyKind } from '../../../../functions/worker/scroll/body-kind.ts'

describe('the check of a body without parsing it', () => {
  it.each<[string, BodyKind]>([
    ['', 'empty'],
    [' \r\n', 'empty'],
    ['[]', 'empty'],
    ['[ \n ]', 'empty'],
    ['\ufeff[]', 'empty'],
    ['[{}]', 'documents'],
    [' [{}]\n', 'documents'],
    ['\ufeff[{}]', 'documents'],
    ['\ufeff', 'nothing'],
    ['<html>', 'other'],
    ['{}', 'nothing'],
    ['\ufeff { \n } ', 'nothing'],
    [' null\n', 'nothing'],
    ['""', 'nothing'],
    ['nullx', 'other'],
    [`{"Message":"${'no'.repeat(1000)}"}`, 'nothing'],
    [`null${' '.repeat(1000)}`, 'other'],
    ['{"a":[}]', 'other'],
    ['[', 'cut-off'],
    ['[1', 'cut-off'],
    ['[],', 'cut-off'],
    ['[{"a":1},{"b"', 'cut-off'],
    [' [{"a":1},', 'cut-off'],
  ])('finds that %j is %s', (body, kind) => expect(bodyKind(Buffer.from(body))).toBe(kind))
})
