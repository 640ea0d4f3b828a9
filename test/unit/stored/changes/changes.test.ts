import { expect, it } from 'vitest'
import {
  changesLatestKey,
  changesPrefix,
  changesTableKey,
  partKey,
  setManifestKey,
} from '../../../../stored/changes/change-keys.ts'

it('the objects of change sets have the keys that readers rely on', () => {
  expect(changesPrefix('CL')).toBe('changes/CL/')
  expect(changesLatestKey('CL')).toBe('changes/CL/latest.json')
  expect(setManifestKey('CL', 'r')).toBe('changes/CL/r/manifest.json')
  expect(changesTableKey('CL')).toBe('tables/CL.changes/parts.txt')
})

it('a part is named by its kind and its content', () => {
  const set = { entity: 'CL', runId: 'r' }
  const content = '0123456789abcdef'.repeat(2)
  expect(partKey(set, 'records', content)).toBe(`changes/CL/r/records-${content}.ndjson.gz`)
  expect(partKey(set, 'withheld', content)).toBe(`changes/CL/r/withheld-${content}.ndjson.gz`)
})
